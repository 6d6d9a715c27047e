// topbit.tensor: strided tensors with dispatch keys, without arithmetic.
export module topbit.tensor;

// Tier 1: elements and devices.
export import :half;
export import :dtype;
export import :device;
export import :scalar;
export import :literal;
export import :generator;
export import :tensor_error;

// Tier 2: index arithmetic and memory.
export import :memory_observer;
export import :shape;
export import :allocator.host_memory;
export import :storage;
export import :device_hook;

// Tier 3: the handle.
export import :handle;
export import :layer_facts;
export import :make;
export import :layout_payload;
export import :boxed;
export import :schema_types;
export import :signatures.functional;
export import :signatures.in_place;
export import :signatures.out;
export import :signatures.several_results;
export import :rule_kinds;
export import :plan;
export import :overlap;
export import :print;
export import :stream;
