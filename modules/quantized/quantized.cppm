// topbit.quantized: tensors of integer codes with scales. A layout like any other: the operators that have a kernel for
// it take it, linear(x, w) unchanged; the others throw an error that says how to convert.
export module topbit.quantized;

export import topbit.ops;

export import :payload;
export import :scales;
export import :operators;
export import :part_operators;
export import :access;
export import :network;
export import :observer;
export import :fallback;
export import :registration;
export import :gguf;
export import :gguf_header;
