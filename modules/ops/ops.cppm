// topbit.ops: the operators of aten:: and topbit::, their CPU, meta and composite kernels, and their gradients.
export module topbit.ops;

export import topbit.tensor;
export import topbit.autograd;

// Tier 1: the operators, by family. Declarations only; a typed handle binds by name. Those that accept tensors of
// several devices declare it here.
export import :device_check;
import :caller;
export import :random_recorder;
export import :create;
export import :sequence;
export import :random;
export import :dropout;
export import :elementwise;
export import :unary;
export import :activation;
export import :comparison;
export import :ternary;
export import :reduce;
export import :spread;
export import :linalg;
export import :einsum;
export import :pad;
export import :convolution;
export import :pool;
export import :attention;
export import :update;
export import :batch_norm;
export import :view;
export import :view_list;
export import :softmax;
export import :scan;
export import :loss;
export import :gather;
export import :advanced_index;
export import :join;
export import :sort;
export import :layer_norm;
export import :unique;
export import :vectors;
export import :images;

// Tier 2: all forms of an operator from a shape function and a kernel, registration of backend kernel tables, the CPU's
// table, arithmetic and indexing.
export import :backend_call;
import :rules;
export import :structured;
import :pointwise_code;
import :pointwise_arguments;
import :quick;
import :pointwise;
import :pointwise_rules;
import :pointwise_families;
import :view_rules;
import :product_rules;
import :convolution_rules;
import :pool_rules;
import :product_families;
import :reduction;
import :reduction_families;
import :fronted;
import :factory;
import :random_rules;
import :create_forms;
import :rowwise;
import :row_rules;
import :attention_rules;
import :update_rules;
import :loss_rules;
import :computed;
import :gather_rules;
import :advanced_index_rules;
import :join_rules;
import :sort_rules;
import :layer_norm_rules;
import :unique_rules;
import :pad_rules;
import :vector_rules;
export import :backend;
export import :cpu;
export import :operators;
export import :indexing;

// Tier 3: composites, gradients, and the list of all registrations.
import :numbers;
import :derivative;
import :families;
import :written;
import :product_shapes;
import :builtin;
