// topbit.autograd: reverse-mode gradients, a layer like any other: a key, guards, redispatch.
//
// It imports topbit.tensor and calls operators through typed handles bound by name. Gradient rules are defined next to
// the operators.
export module topbit.autograd;

// Tier 1: the graph.
export import :mode;
export import :node;
export import :variable;
export import :view;
export import :saved;
export import :hook;
export import :anomaly;

// Tier 2: recording and running.
export import :rule;
export import :record;
export import :derivative;
export import :writes;
export import :engine;

// Tier 3: for users.
export import :function_layer;
export import :function;
export import :check;
export import :graph;

// The fallback for operators without a gradient rule; registered when this module is loaded.
export import :unimplemented;

// Which operators have a gradient rule.
export import :declaration;
