// Gradient rules of gather, scatter and index operators. An element that was read several times gets the sum of the
// gradients; of several that were written to one position each gets the gradient of that position, as in PyTorch.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :gradient_registration.derivative;
import :index.gather_kernels;
import :registration.composite;

namespace topbit::detail {

namespace {

using integer = std::int64_t;

// The saved index tensors of an advanced index.
struct kept_indices {
  std::vector<std::optional<saved_tensor>> kept;

  explicit kept_indices(std::span<const optional_tensor> given) {
    for (const optional_tensor& i : given) kept.push_back(is_given(i) ? std::optional<saved_tensor>(*i) : std::nullopt);
  }
  std::vector<optional_tensor> list() const {
    std::vector<optional_tensor> at;
    for (const std::optional<saved_tensor>& i : kept) at.push_back(i ? optional_tensor(i->get()) : std::nullopt);
    return at;
  }
};

struct index_kernel {
  kind_of self;
  kept_indices indices;

  static index_kernel save(T self, std::span<const optional_tensor> given, T) { return {self, kept_indices(given)}; }
  std::vector<tensor> backward(T g, std::span<const bool>) const {
    std::vector<tensor> all(1 + indices.kept.size());
    all[0] = self.zeros_beside(g);
    aten::index_put_(all[0], indices.list(), g, true);
    return all;
  }
};

// A zero-dimensional zero.
tensor zero_of(T g) { return aten::zeros(shape{}, arg<"dtype"> = g.dtype(), arg<"device"> = g.device()); }

struct index_put_kernel {
  kept_indices indices;
  bool accumulates;
  static constexpr bool keeps_first_argument = false;

  static index_put_kernel save(T, std::span<const optional_tensor> given, T, bool accumulate, T) {
    return {kept_indices(given), accumulate};
  }
  std::vector<tensor> backward(T g, std::span<const bool> wanted) const {
    const std::vector<optional_tensor> at = indices.list();
    std::vector<tensor> all(2 + at.size());
    if (wanted.front()) all.front() = accumulates ? g : aten::index_put(g, at, zero_of(g), false);
    if (wanted.back()) all.back() = aten::index_Tensor(g, at);
    return all;
  }
};

// Two kinds of index along a dimension: one per element, or one per slice.
struct by_element {
  static tensor take(T x, integer dim, T index) { return aten::gather(x, dim, index); }
  static tensor& add_(tensor& to, integer dim, T index, T x) { return aten::scatter_add_(to, dim, index, x); }
  static tensor reduce(T x, integer dim, T index, T source, std::string_view how) {
    return aten::scatter_reduce_two(x, dim, index, source, how, true);
  }
  static tensor erase(T x, integer dim, T index) { return aten::scatter_value(x, dim, index, 0); }

  // Elements beyond the sizes of `index` are not read.
  static tensor view(const tensor& source, T index) {
    if (source.dim() != index.dim()) return aten::reshape(source, index.sizes());
    tensor part = source;
    for (std::size_t d = 0; d < index.sizes().size(); ++d) {
      const std::int64_t n = index.sizes()[d];
      if (n != source.sizes()[d]) part = aten::slice_Tensor(part, static_cast<integer>(d), 0, n);
    }
    return part;
  }
};
struct by_slice {
  static tensor take(T x, integer dim, T index) { return aten::index_select(x, dim, index); }
  static tensor& add_(tensor& to, integer dim, T index, T x) { return aten::index_add_(to, dim, index, x); }
  static tensor reduce(T x, integer dim, T index, T source, std::string_view how) {
    return aten::index_reduce(x, dim, index, source, how, true);
  }
  static tensor erase(T x, integer dim, T index) { return aten::index_fill_int_Scalar(x, dim, index, 0); }
  static tensor view(const tensor& source, T) { return source; }
};

// The gradient of a source that was read through Way::view().
template <class Way>
tensor of_source(const kind_of& source, T index, T g) {
  if (numel(source.sizes) == g.numel()) return aten::reshape(g, source.sizes);
  const tensor whole = source.zeros_beside(g);
  tensor part = Way::view(whole, index);
  aten::copy_(part, g);
  return whole;
}

struct index_select_gradient {
  kind_of self;
  integer dim;
  saved_tensor index;

  static index_select_gradient save(T self, integer dim, T index, T) { return {self, dim, saved_tensor(index)}; }
  grads2 backward(T g, wants2) const {
    tensor whole = self.zeros_beside(g);
    return {aten::index_add_(whole, dim, index.get(), g), tensor()};
  }
};

constexpr op<"topbit::gather_sparse_backward(Tensor grad, int dim, Tensor index, int[] size) -> Tensor">
    gather_sparse_backward;

struct gather_gradient {
  kind_of self;
  integer dim;
  saved_tensor index;
  bool sparse;

  static gather_gradient save(T self, integer dim, T index, bool sparse, T) {
    if (sparse) check_sparse_gradients(aten::gather.name(), "sparse_grad", gather_sparse_backward.name());
    return {self, dim, saved_tensor(index), sparse && is_leaf(self)};
  }
  grads2 backward(T g, wants2) const {
    if (sparse) return {gather_sparse_backward(g, dim, index.get(), self.sizes), tensor()};
    tensor whole = self.zeros_beside(g);
    return {aten::scatter_add_(whole, dim, index.get(), g), tensor()};
  }
};

struct take_gradient {
  kind_of self;
  saved_tensor index;
  static take_gradient save(T self, T index, T) { return {self, saved_tensor(index)}; }
  grads2 backward(T g, wants2) const {
    kind_of line = self;
    line.sizes = {numel(self.sizes)};
    tensor whole = line.zeros_beside(g);
    const optional_tensor at[] = {index.get()};
    aten::index_put_(whole, at, g, true);
    return {aten::reshape(whole, self.sizes), tensor()};
  }
};

// self with elements replaced by those of the source, or with the source added.
template <class Way, bool Adds>
struct put_along_rule {
  kind_of source;
  integer dim;
  saved_tensor index;
  scalar alpha;
  static constexpr bool keeps_first_argument = false;

  static put_along_rule save(T, integer dim, T index, T source, const scalar& alpha, T) {
    return {source, dim, saved_tensor(index), alpha};
  }
  static put_along_rule save(T self, integer dim, T index, T source, T result) {
    return save(self, dim, index, source, 1, result);
  }
  std::array<tensor, 3> backward(T g, std::array<bool, 3> wanted) const {
    std::array<tensor, 3> all;
    if (wanted[0]) all[0] = Adds ? g : Way::erase(g, dim, index.get());
    if (wanted[2]) all[2] = of_source<Way>(source, index.get(), times(Way::take(g, dim, index.get()), alpha));
    return all;
  }
};

using scatter_value_gradient =
    derivative<aten::scatter_value, keep<2>,
               [](T g, T index, integer dim, const scalar&) { return aten::scatter_value(g, dim, index, 0); },
               no_gradient>;

// Elementwise linear in self.
using scatter_value_reduction_gradient =
    derivative<aten::scatter_value_reduce, keep<2>,
               [](T g, T index, integer dim, const scalar& value, const std::string& reduce) {
                 return reduce == "add" ? g : aten::scatter_value_reduce(g, dim, index, value, arg<"reduce"> = reduce);
               },
               no_gradient>;

// Reductions of elements with equal indices. Equal extrema share the gradient evenly. (PyTorch gives self a share even
// if include_self is False, and discards that share.)
template <const auto& Op, class Way>
struct reduce_along_rule {
  kind_of self, source;
  integer dim;
  saved_tensor index, kept_self, kept_source;
  saved_result result;
  std::string how;
  bool includes_self;

  static reduce_along_rule save(T self, integer dim, T index, T source, std::string_view reduce, bool include_self,
                                T result) {
    reduce_along_rule rule{self, source, dim, saved_tensor(index), {}, {}, {}, std::string(reduce), include_self};
    if (reduce != "sum" && reduce != "mean") {
      rule.kept_self = saved_tensor(self);
      rule.kept_source = saved_tensor(source);
      rule.result = saved_result(result);
    }
    return rule;
  }
  static reduce_along_rule save(T self, integer dim, T index, T source, std::string_view reduce, T result) {
    return save(self, dim, index, source, reduce == "add" ? "sum" : "prod", true, result);
  }

  std::array<tensor, 3> backward(T g, std::array<bool, 3> wanted) const {
    const tensor at = index.get();
    const grads2 both = how == "sum"    ? of_sum(g, at)
                        : how == "mean" ? of_mean(g, at)
                        : how == "prod" ? of_product(g, at, {wanted[0], wanted[2]})
                                        : of_extreme(g, at);
    return {wanted[0] ? both[0] : tensor(), tensor(), wanted[2] ? of_source<Way>(source, at, both[1]) : tensor()};
  }

 private:
  tensor erased(T x, T at) const { return includes_self ? x : Way::erase(x, dim, at); }
  // The number of source elements counted at each position, added to `of_self`.
  tensor counted(tensor of_self, T counts, T at) const {
    Way::add_(of_self, dim, at, to(counts, self.type));
    return of_self;
  }
  tensor filled(double x, T like) const { return aten::full_like(like, x, arg<"dtype"> = self.type); }

  grads2 of_sum(T g, T at) const { return {erased(g, at), Way::take(g, dim, at)}; }

  grads2 of_mean(T g, T at) const {
    const tensor taken = Way::take(g, dim, at);
    const tensor counts = counted(filled(includes_self ? 1 : 0, g), filled(1, taken), at);
    return {includes_self ? g / counts : erased(g, at), taken / Way::take(counts, dim, at)};
  }

  grads2 of_extreme(T g, T at) const {
    const tensor r = author::make_alias(result.get());
    const tensor of_source =
        aten::eq_Tensor(Way::view(author::make_alias(kept_source.get()), at), Way::take(r, dim, at));
    const tensor of_self = erased(to(aten::eq_Tensor(author::make_alias(kept_self.get()), r), self.type), at);
    const tensor part = g / counted(aten::clone(of_self), of_source, at);
    return {part * of_self, aten::where_ScalarOther(of_source, Way::take(part, dim, at), 0)};
  }

  // The product of the other elements. A single zero is excluded from the product; with two zeros the gradient is 0.
  grads2 of_product(T g, T at, wants2 wanted) const {
    const tensor from = Way::view(kept_source.get(), at);
    grads2 both;
    if (wanted[0]) both[0] = includes_self ? g * Way::reduce(filled(1, g), dim, at, from, how) : erased(g, at);
    if (!wanted[1]) return both;
    const tensor zero = aten::eq_Scalar(from, 0);
    const tensor zeros = Way::take(counted(filled(0, g), zero, at), dim, at);
    const bool again = author::may_be_derived(from, g);
    if (again && item<bool>(aten::any(aten::gt_Scalar(zeros, 1)))) {
      throw error(
          std::string(Op.name()) +
              ": found two zeros of the source at one index, whose product has no second gradient; wanted at most one",
          std::string(Op.name()));
    }
    const tensor alone = aten::logical_and(zero, aten::eq_Scalar(zeros, 1));
    const tensor start = includes_self ? kept_self.get() : filled(1, g);
    const tensor without = Way::reduce(start, dim, at, aten::masked_fill_Scalar(from, alone, 1), how);
    both[1] = aten::where_self(alone, Way::take(g * without, dim, at),
                               Way::take(g * result.get(), dim, at) / aten::masked_fill_Scalar(from, zero, 1));
    return both;
  }
};

using masked_fill_kernel =
    derivative<aten::masked_fill_Scalar, keep<1>,
               [](T g, T mask, const scalar&) { return aten::masked_fill_Scalar(g, mask, 0); }, no_gradient>;
using masked_fill_tensor_kernel =
    derivative<aten::masked_fill_Tensor, keep<1>, [](T g, T mask) { return aten::masked_fill_Scalar(g, mask, 0); },
               no_gradient, [](T g, T mask) { return aten::masked_fill_Scalar(g, aten::logical_not(mask), 0); }>;

struct masked_select_kernel {
  kind_of self;
  saved_tensor mask;
  static masked_select_kernel save(T self, T mask, T) { return {self, saved_tensor(mask)}; }
  grads2 backward(T g, wants2) const {
    kind_of both = self;
    both.sizes = broadcast(aten::masked_select.name(), self.sizes, mask.get().sizes());
    tensor whole = both.zeros_beside(g);
    return {aten::masked_scatter_(whole, mask.get(), g), tensor()};
  }
};

// The gradient of the source: the masked elements of g in order, then zeros for elements that were not read.
struct masked_scatter_kernel {
  kind_of source;
  saved_tensor mask;
  static constexpr bool keeps_first_argument = false;
  static masked_scatter_kernel save(T, T mask, T source, T) { return {source, saved_tensor(mask)}; }
  std::array<tensor, 3> backward(T g, std::array<bool, 3> wanted) const {
    std::array<tensor, 3> all;
    if (wanted[0]) all[0] = aten::masked_fill_Scalar(g, mask.get(), 0);
    if (wanted[2]) {
      const tensor read = aten::masked_select(g, mask.get());
      const std::int64_t behind[] = {0, numel(source.sizes) - read.numel()};
      all[2] = aten::reshape(behind[1] == 0 ? read : aten::constant_pad_nd(read, behind, 0), source.sizes);
    }
    return all;
  }
};

struct embedding_gradient {
  integer rows;
  saved_tensor indices;
  integer padding;
  bool by_frequency, sparse;
  static embedding_gradient save(T weight, T indices, integer padding, bool by_frequency, bool sparse, T) {
    if (sparse) check_sparse_gradients(aten::embedding.name(), "sparse", embedding_sparse_backward.name());
    // Not every operator whose result may be a table has a gradient that takes a sparse one.
    return {weight.size(0), saved_tensor(indices), padding, by_frequency, sparse && is_leaf(weight)};
  }
  grads2 backward(T g, wants2) const {
    if (sparse) return {embedding_sparse_backward(g, indices.get(), rows, padding, by_frequency), tensor()};
    return {aten::embedding_dense_backward(g, indices.get(), rows, padding, by_frequency), tensor()};
  }
};

using embedding_backward_gradient =
    derivative<aten::embedding_dense_backward, keep<1>,
               [](T g, T indices, integer rows, integer padding, bool by_frequency) {
                 tensor of_rows = aten::embedding(g, indices);
                 if (by_frequency) {
                   const tensor counts = aten::bincount(aten::flatten_using_ints(indices), std::nullopt, rows);
                   of_rows = of_rows / aten::unsqueeze(to(aten::take(counts, indices), g.dtype()), -1);
                 }
                 return padding < 0 ? of_rows
                                    : aten::masked_fill_Scalar(
                                          of_rows, aten::unsqueeze(aten::eq_Scalar(indices, padding), -1), 0);
               },
               no_gradient>;

template <const auto& Op>
using scatter_reduce_gradient = reduce_along_rule<Op, by_element>;
using index_reduce_gradient = reduce_along_rule<aten::index_reduce, by_slice>;
using scatter_gradient = put_along_rule<by_element, false>;
using scatter_add_gradient = put_along_rule<by_element, true>;
using index_add_gradient = put_along_rule<by_slice, true>;
using index_copy_gradient = put_along_rule<by_slice, false>;

constexpr author::kernel_row rows[] = {
    gradient_row<aten::index_Tensor, index_kernel>(),
    gradient_row<aten::index_put, index_put_kernel>(),
    gradient_row<aten::index_put_, index_put_kernel>(),
    gradient_row<aten::gather, gather_gradient>(),
    gradient_row<aten::index_select, index_select_gradient>(),
    gradient_row<aten::take, take_gradient>(),
    gradient_row<aten::scatter_src, scatter_gradient>(),
    gradient_row<aten::scatter_src_, scatter_gradient>(),
    gradient_row<aten::scatter_add, scatter_add_gradient>(),
    gradient_row<aten::scatter_add_, scatter_add_gradient>(),
    gradient_row<aten::index_add, index_add_gradient>(),
    gradient_row<aten::index_add_, index_add_gradient>(),
    gradient_row<aten::index_copy, index_copy_gradient>(),
    gradient_row<aten::index_copy_, index_copy_gradient>(),
    gradient_row<aten::scatter_value, scatter_value_gradient>(),
    gradient_row<aten::scatter_value_, scatter_value_gradient>(),
    gradient_row<aten::scatter_value_reduce, scatter_value_reduction_gradient>(),
    gradient_row<aten::scatter_value_reduce_, scatter_value_reduction_gradient>(),
    gradient_row<aten::scatter_reduce, scatter_reduce_gradient<aten::scatter_reduce>>(),
    gradient_row<aten::scatter_reduce_, scatter_reduce_gradient<aten::scatter_reduce>>(),
    gradient_row<aten::scatter_reduce_two, scatter_reduce_gradient<aten::scatter_reduce_two>>(),
    gradient_row<aten::scatter_reduce_two_, scatter_reduce_gradient<aten::scatter_reduce_two>>(),
    gradient_row<aten::index_reduce, index_reduce_gradient>(),
    gradient_row<aten::index_reduce_, index_reduce_gradient>(),
    gradient_row<aten::masked_fill_Scalar, masked_fill_kernel>(),
    gradient_row<aten::masked_fill_Scalar_, masked_fill_kernel>(),
    gradient_row<aten::masked_fill_Tensor, masked_fill_tensor_kernel>(),
    gradient_row<aten::masked_fill_Tensor_, masked_fill_tensor_kernel>(),
    gradient_row<aten::masked_select, masked_select_kernel>(),
    gradient_row<aten::masked_scatter, masked_scatter_kernel>(),
    gradient_row<aten::masked_scatter_, masked_scatter_kernel>(),
    gradient_row<aten::embedding, embedding_gradient>(),
    gradient_row<aten::embedding_dense_backward, embedding_backward_gradient>(),
};

}  // namespace

std::span<const author::kernel_row> index_gradients() { return rows; }

}  // namespace topbit::detail
