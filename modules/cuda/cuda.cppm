// topbit.cuda: the CUDA backend, a separate library, the only one that uses the CUDA runtime.
//
// Importing it registers every strided operator for key::CUDA and provides the memory of CUDA devices. A program built
// with it starts on a machine without a driver or a GPU; using the device there is an error that says what is missing.
// Built without the CUDA toolkit, it is the same module over a stub.
export module topbit.cuda;

export import topbit.tensor;
export import :runtime;
export import :graph;
export import :registration;
