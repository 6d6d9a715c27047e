// topbit.ops: the operators of aten:: and topbit::, their CPU, meta and composite kernels, and their gradients.
export module topbit.ops;

export import topbit.tensor;
export import topbit.autograd;

export import :registration.backend_call;
export import :registration.caller;
export import :registration.device_check;
export import :registration.structured;

export import :elementwise.operation;

export import :arithmetic.arithmetic;

export import :unary.activation;
export import :unary.activation_backward;
export import :unary.unary;

export import :comparison.comparison;
export import :comparison.ternary;

export import :reduce.reduce;
export import :reduce.variance;

export import :view.view;
export import :view.view_list;

export import :create.create;
export import :create.pinned;
export import :create.sequence;
export import :create.to_dense;

export import :random.dropout;
export import :random.random;
export import :random.random_stream;
export import :random.random_recorder;

export import :rowwise.scan;
export import :rowwise.softmax;

export import :linalg.einsum;
export import :linalg.linalg;
export import :linalg.vectors;

export import :convolution.convolution;
export import :convolution.pad;
export import :convolution.images;
export import :convolution.pool;

export import :norm.batch_norm;
export import :norm.layer_norm;

export import :loss.loss;

export import :attention.attention;

export import :optimizer.update;

export import :index.advanced_index;
export import :index.gather;
export import :index.embedding_bag;

export import :join.join;

export import :sort.sort;
export import :sort.unique;

export import :syntax.indexing;
export import :syntax.operators;

export import :backend.backend;
export import :backend.builtin;
export import :backend.cpu;
