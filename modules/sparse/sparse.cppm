// Sparse tensors: layouts sparse_coo, sparse_csr and sparse_csc. Programs import this module by itself.
//
// Operators are written with differentiable operators on the tensors that a sparse tensor consists of, so they work on
// every device; on the CPU the module's own kernels do what takes time.
export module topbit.sparse;

export import :payload;
export import :construct;
export import :access;
export import :convert;
export import :parts;
export import :product;
export import :registration;
export import :lookup_gradients;
export import :market_text;
export import :matrix_market;
