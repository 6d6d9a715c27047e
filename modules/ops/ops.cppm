// topbit.ops: the operators of aten:: and topbit::, their CPU, meta and composite kernels, and their gradients.
export module topbit.ops;

export import topbit.tensor;
export import topbit.autograd;

export import :registration.backend_call;
import :registration.caller;
export import :registration.device_check;
export import :registration.structured;
import :registration.structured_forms;
import :registration.unstructured;
import :registration.factory;
import :registration.families;
import :registration.operands;
import :registration.composite;

import :elementwise.arguments;
import :elementwise.operation;
import :elementwise.fast_path;
import :elementwise.elementwise;
import :elementwise.elementwise_kernels;

export import :arithmetic.arithmetic;
import :arithmetic.arithmetic_kernels;

export import :unary.activation;
export import :unary.unary;
import :unary.unary_kernels;

export import :comparison.comparison;
export import :comparison.ternary;
import :comparison.comparison_kernels;

export import :reduce.reduce;
import :reduce.reduce_parameters;
export import :reduce.variance;
import :reduce.reduce_kernels;

export import :view.view;
export import :view.view_list;
import :view.view_shapes;

export import :create.create;
export import :create.sequence;
import :create.create_kernels;

export import :random.dropout;
export import :random.random;
import :random.random_kernels;
export import :random.random_recorder;

import :rowwise.rowwise;
export import :rowwise.scan;
export import :rowwise.softmax;
import :rowwise.softmax_kernels;

export import :linalg.einsum;
export import :linalg.linalg;
import :linalg.matmul_kernels;
import :linalg.matrix_views;
export import :linalg.vectors;
import :linalg.vectors_kernels;

export import :convolution.convolution;
export import :convolution.pad;
import :convolution.convolution_kernels;
export import :convolution.images;
import :convolution.pad_kernels;
export import :convolution.pool;
import :convolution.pool_kernels;

export import :norm.batch_norm;
export import :norm.layer_norm;
import :norm.layer_norm_kernels;

export import :loss.loss;
import :loss.loss_kernels;

export import :attention.attention;
import :attention.attention_kernels;

export import :optimizer.update;
import :optimizer.update_kernels;

export import :index.advanced_index;
export import :index.gather;
import :index.gather_kernels;
import :index.advanced_index_kernels;

export import :join.join;
import :join.join_kernels;

export import :sort.sort;
import :sort.sort_kernels;
export import :sort.unique;
import :sort.unique_kernels;

export import :syntax.indexing;
export import :syntax.operators;

import :gradient_registration.derivative;

export import :backend.backend;
import :backend.builtin;
export import :backend.cpu;
