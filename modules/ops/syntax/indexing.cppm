// Indexing:
//
//   x[0], x[mask]                                index() with one item
//   index(x, 0)                                  the first element of the first dimension
//   index(x, slice(1, 5), -1)                    four rows, their last column
//   index(x, ellipsis, slice(none, none, 2))     every second element of the last dimension
//   index(x, newaxis, slice(), 3)                a new dimension of size 1 in front
//   index(x, mask), index(x, rows, slice(1, 5))  elements selected by tensors, a copy
//   assign(index(x, 0, slice(1, 5)), 7)          writes to x
//   assign(x, 7, mask)                           the same with tensor indices
//
// C++20 has no x[a, b], so these are functions. They call operators, so that gradients and every layer work.
export module topbit.ops:syntax.indexing;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :view.view;

namespace topbit {

/// An omitted bound: `slice(none, 5)`.
export inline constexpr std::nullopt_t none = std::nullopt;

/// Elements start, start + step, ... below end of a dimension, all by default. Negative bounds count from the end, and
/// bounds are clamped. The step is 1 or more.
export struct slice_item {
  constexpr slice_item() noexcept = default;
  constexpr slice_item(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                       std::int64_t step = 1) noexcept
      : start(start), end(end), step(step) {}
  std::optional<std::int64_t> start, end;
  std::int64_t step = 1;
};

export struct ellipsis_t {};
/// Stands for all dimensions that the other items leave; at most once in an index.
export inline constexpr ellipsis_t ellipsis;

export struct newaxis_t {};
/// A new dimension of size 1.
export inline constexpr newaxis_t newaxis;

/// One item of an index. An integer selects one index of a dimension, which is removed; a bool is not an item. A tensor
/// of int64 or int32 selects elements of a dimension, a mask of bool (or uint8) those of as many dimensions as it has.
export class index_item {
 public:
  template <class T>
    requires std::integral<T> && (!std::same_as<T, bool>)
  constexpr index_item(T i) : what_(static_cast<std::int64_t>(i)) {}
  constexpr index_item(const slice_item& s) : what_(s) {}
  constexpr index_item(ellipsis_t) : what_(ellipsis) {}
  constexpr index_item(newaxis_t) : what_(newaxis) {}
  index_item(const tensor& indices) : what_(indices) {}

  /// The item if it is a T: std::int64_t, slice_item, ellipsis_t, newaxis_t or tensor; else null.
  template <class T>
  const T* get() const noexcept {
    return std::get_if<T>(&what_);
  }

 private:
  std::variant<std::int64_t, slice_item, ellipsis_t, newaxis_t, tensor> what_;
};

namespace detail {
template <class T>
concept index_like = std::constructible_from<index_item, const T&>;
}

/// "[0, 1:5:2, ..., newaxis]"
export std::string to_string(std::span<const index_item> items);

namespace detail {

struct slice_function {
  constexpr slice_item operator()() const noexcept { return {}; }
  constexpr slice_item operator()(std::optional<std::int64_t> start, std::optional<std::int64_t> end = std::nullopt,
                                  std::int64_t step = 1) const noexcept {
    return {start, end, step};
  }
  template <class... B>
  tensor operator()(const tensor& self, B&&... b) const {
    return overloads<aten::slice_Tensor>{}(self, std::forward<B>(b)...);
  }
};

struct index_function {
  tensor operator()(const tensor& x, std::span<const index_item> items) const;
  tensor operator()(const tensor& x, std::initializer_list<index_item> items) const;
  template <index_like First, index_like... Rest>
  tensor operator()(const tensor& x, const First& first, const Rest&... rest) const {
    return (*this)(x, {index_item(first), index_item(rest)...});
  }
  /// aten::index.Tensor: an absent tensor stands for a whole dimension.
  tensor operator()(const tensor& x, std::span<const std::optional<tensor>> indices) const;
};

}  // namespace detail

/// `slice(start, end, step)` is an item of an index, `slice(start)` one to the end of the dimension; `slice(x, dim,
/// start, end, step)` calls aten::slice.Tensor.
export inline constexpr detail::slice_function slice;

/// The part of x selected by the items, as a view; with tensors among them a copy. Dimensions after the last item are
/// whole.
///
/// Tensors broadcast with each other, a mask counting as its coordinates. Their dimensions replace the first indexed
/// one if they are adjacent, or come first if slices, ellipsis or newaxis are between them. The dimensions of integers
/// are removed before: PyTorch's rule, not NumPy's.
///
/// Errors   shape_error, which shows the index and the sizes, for more items than dimensions, an integer out of range,
///          a step below 1, two ellipses, a mask of another shape; errors of aten::index.Tensor
/// Cost     one view operator per item that is not a whole dimension, one if there is none; with tensors that and
///          aten::index.Tensor
export inline constexpr detail::index_function index;

/// What x[i] calls: a view, or, for a tensor of indices or a mask, a copy, which is constant since a write to it would
/// change no element of x.
export template <detail::index_like Item>
auto select_item(const tensor& x, const Item& i)
    -> std::conditional_t<std::same_as<Item, tensor>, const tensor, tensor> {
  return index(x, i);
}

/// Writes a value to every element of a view; values are converted and broadcast. Leading dimensions of size 1 that the
/// view does not have are dropped. Throws what copy_ and fill_ throw.
export void assign(const tensor& view, const tensor& values);
export void assign(const tensor& view, const scalar& value);

/// Writes to the elements of x selected by the items, as in index(); tensors too. Of elements selected twice the last
/// one wins. Throws what index(), copy_, fill_ and index_put_ throw.
export void assign(const tensor& x, const tensor& values, std::span<const index_item> items);
export void assign(const tensor& x, const scalar& value, std::span<const index_item> items);
export template <class Value, detail::index_like First, detail::index_like... Rest>
  requires std::convertible_to<const Value&, scalar> || std::same_as<Value, tensor>
void assign(const tensor& x, const Value& value, const First& first, const Rest&... rest) {
  const std::array<index_item, 1 + sizeof...(Rest)> items{index_item(first), index_item(rest)...};
  assign(x, value, std::span<const index_item>(items));
}

}  // namespace topbit
