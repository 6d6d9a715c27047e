// Shape functions and kernel thunks of operators that take an index along a dimension.
module topbit.ops:index.gather_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.unstructured;
import :index.gather;
import :elementwise.elementwise;
import :elementwise.operation;
import :rowwise.softmax_kernels;
import :rowwise.rowwise;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

// A zero-dimensional tensor with this value, in the dtype and on the device of `like`.
tensor one_number(backend_call c, const tensor& like, const scalar& value);
// int64, dense, one dimension.
tensor flat_index(backend_call c, const tensor& index);
void check_integer_index(backend_call c, const tensor& index);

// One index into one dimension of a dense table; the rows have the table's other sizes.
void run_take_along(backend_call c, take_code code, const tensor& rows, const tensor& table, std::size_t dim,
                    const tensor& index);
// out = self, then rows written or added at the index, which is checked before anything is written.
void run_put_along(backend_call c, take_code code, const tensor& self, std::int64_t dim, const tensor& index,
                   const tensor& rows, const tensor& out);

// Sparse gradients of strided tensors. Their operators are bound by name, since sparse tensors are of a module that
// this one does not know.
inline constexpr op<
    "aten::embedding_sparse_backward(Tensor grad, Tensor indices, SymInt num_weights, int padding_idx, bool "
    "scale_grad_by_freq) -> Tensor">
    embedding_sparse_backward;
// Throws unless an operator is registered. Asked when a call is recorded: its gradient would be too late to say what
// the program lacks.
void check_sparse_gradients(std::string_view name, std::string_view option, std::string_view needed);

struct gather_kernel {
  static constexpr auto needs = all_of(rowwise::gather);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index, bool);
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, bool, const tensor& out);
};

result_meta scatter_meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                         const tensor* source);
void run_scatter(backend_call c, rowwise code, const tensor& self, std::int64_t dim, const tensor& index,
                 const tensor& source, const tensor& out);

template <rowwise Code>
struct scatter_kernel {
  static constexpr auto needs = all_of(table_entry::copy, rowwise::check_index, Code);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                          const tensor& source) {
    return scatter_meta(op, self, dim, index, &source);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const tensor& source,
                  const tensor& out) {
    run_scatter(c, Code, self, dim, index, source, out);
  }
};

// The meaning of `reduce` in the older forms.
rowwise scatter_code(std::string_view op, std::string_view reduce);

struct scatter_reduction_kernel {
  static constexpr auto needs =
      all_of(table_entry::copy, rowwise::check_index, rowwise::scatter_add, rowwise::scatter_mul);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                          const tensor& source, std::string_view reduce) {
    scatter_code(op, reduce);
    return scatter_meta(op, self, dim, index, &source);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const tensor& source,
                  std::string_view reduce, const tensor& out) {
    run_scatter(c, scatter_code(c.op, reduce), self, dim, index, source, out);
  }
};
struct scatter_value_reduction_kernel {
  static constexpr auto needs =
      all_of(table_entry::copy, elementwise::fill, rowwise::check_index, rowwise::scatter_add, rowwise::scatter_mul);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index, const scalar&,
                          std::string_view reduce) {
    scatter_code(op, reduce);
    return scatter_meta(op, self, dim, index, nullptr);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const scalar& value,
                  std::string_view reduce, const tensor& out);
};
// Sum, product, maximum, minimum and mean.
inline constexpr auto scatter_reduce_kernels =
    all_of(table_entry::copy, elementwise::fill, elementwise::maximum, elementwise::div, elementwise::div_floor,
           rowwise::check_index, rowwise::scatter, rowwise::scatter_add, rowwise::scatter_mul, rowwise::scatter_amax,
           rowwise::scatter_amin);

struct scatter_reduce_kernel {
  static constexpr auto needs = scatter_reduce_kernels;
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                          const tensor& source, std::string_view reduce, bool include_self);
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const tensor& source,
                  std::string_view reduce, bool include_self, const tensor& out);
};
struct index_reduce_kernel {
  static constexpr auto needs = scatter_reduce_kernels;
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                          const tensor& source, std::string_view reduce, bool include_self);
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const tensor& source,
                  std::string_view reduce, bool include_self, const tensor& out);
};

struct scatter_value_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::fill, rowwise::check_index, rowwise::scatter);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                          const scalar&) {
    return scatter_meta(op, self, dim, index, nullptr);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const scalar& value,
                  const tensor& out);
};

struct index_select_kernel {
  static constexpr auto needs = all_of(take_code::take);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index);
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const tensor& out);
};

result_meta put_along_meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                           const tensor& source);

struct index_add_kernel {
  static constexpr auto needs = all_of(table_entry::copy, elementwise::mul, take_code::put_add, take_code::check);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                          const tensor& source, const scalar& alpha);
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const tensor& source,
                  const scalar& alpha, const tensor& out);
};

struct index_copy_kernel {
  static constexpr auto needs = all_of(table_entry::copy, take_code::put, take_code::check);
  static result_meta meta(std::string_view op, const tensor& self, std::int64_t dim, const tensor& index,
                          const tensor& source) {
    return put_along_meta(op, self, dim, index, source);
  }
  static void run(backend_call c, const tensor& self, std::int64_t dim, const tensor& index, const tensor& source,
                  const tensor& out) {
    run_put_along(c, take_code::put, self, dim, index, source, out);
  }
};

struct take_kernel {
  static constexpr auto needs = all_of(take_code::take);
  static result_meta meta(std::string_view op, const tensor& self, const tensor& index);
  static void run(backend_call c, const tensor& self, const tensor& index, const tensor& out);
};

struct embedding_kernel {
  static constexpr auto needs = all_of(take_code::take);
  static result_meta meta(std::string_view op, const tensor& weight, const tensor& indices, std::int64_t, bool, bool);
  static void run(backend_call c, const tensor& weight, const tensor& indices, std::int64_t, bool, bool,
                  const tensor& out);
};

struct embedding_backward_kernel {
  static constexpr auto needs = all_of(elementwise::fill, elementwise::div, elementwise::ne, elementwise::where,
                                       take_code::take, take_code::put_add, take_code::check);
  static tensor run(backend_call c, const tensor& grad, const tensor& indices, std::int64_t rows, std::int64_t padding,
                    bool by_frequency);
};

// The output may be self; an index or a source that is the output must be copied before.
inline constexpr author::kernel_abilities updates{.in_place = true, .first_only = true};

inline constexpr auto gather_forms = forms_list<
    structured_forms<gather_kernel, no_abilities, aten::gather, aten::gather_out>,
    structured_forms<scatter_kernel<rowwise::scatter>, updates, aten::scatter_src, aten::scatter_src_,
                     aten::scatter_src_out>,
    structured_forms<scatter_value_kernel, updates, aten::scatter_value, aten::scatter_value_, aten::scatter_value_out>,
    structured_forms<scatter_kernel<rowwise::scatter_add>, updates, aten::scatter_add, aten::scatter_add_,
                     aten::scatter_add_out>,
    structured_forms<scatter_reduction_kernel, updates, aten::scatter_reduce, aten::scatter_reduce_,
                     aten::scatter_reduce_out>,
    structured_forms<scatter_value_reduction_kernel, updates, aten::scatter_value_reduce, aten::scatter_value_reduce_,
                     aten::scatter_value_reduce_out>,
    structured_forms<scatter_reduce_kernel, updates, aten::scatter_reduce_two, aten::scatter_reduce_two_,
                     aten::scatter_reduce_two_out>,
    structured_forms<index_reduce_kernel, updates, aten::index_reduce, aten::index_reduce_, aten::index_reduce_out>,
    structured_forms<index_select_kernel, no_abilities, aten::index_select, aten::index_select_out>,
    structured_forms<index_add_kernel, updates, aten::index_add, aten::index_add_, aten::index_add_out>,
    structured_forms<index_copy_kernel, updates, aten::index_copy, aten::index_copy_, aten::index_copy_out>,
    structured_forms<take_kernel, no_abilities, aten::take, aten::take_out>,
    structured_forms<embedding_kernel, no_abilities, aten::embedding>,
    unstructured<embedding_backward_kernel, aten::embedding_dense_backward>>();

}  // namespace topbit::detail
