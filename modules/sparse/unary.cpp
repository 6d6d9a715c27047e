// Elementwise functions that map zero to zero: they compute the values alone.
module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :forms;
import :kernels;
import :registrations;

namespace topbit::sparse {

namespace {

// f(a) + f(b) is not f(a + b), so entries at one place are added first; of linear functions it is.
enum class linearity : bool { none, linear };

template <const auto& Op, linearity Kind, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct on_values;
template <const auto& Op, linearity Kind, class... A>
struct on_values<Op, Kind, tensor(const tensor&, A...)> {
  static tensor run(const tensor& self, A... a) {
    // Sums of integers and bool are not those of what they are converted to.
    const bool adds_after = Kind == linearity::linear && is_floating(self.dtype());
    const tensor s = adds_after ? self : coalesced(self);
    return with_values(s, Op(values_of(s), a...));
  }
};

using author::row;

template <linearity Kind, const auto&... Op>
void register_functions() {
  static constexpr author::kernel_row rows[] = {row<&on_values<Op, Kind>::run>(Op, key::AnySparse)...,
                                                row<&on_values<Op, Kind>::run>(Op, key::AnySparseCsr)...};
  author::register_rows(rows);
}

template <const auto& InPlace, const auto& Op>
void register_in_place() {
  static constexpr auto rows = writing_rows<Op, InPlace>();
  author::register_rows(rows);
}

// x^p is 0 at 0 for p > 0 alone.
tensor pow(const tensor& self, const tensor& exponent) {
  const std::string_view op = aten::pow_Tensor_Tensor.name();
  if (!is_sparse(self)) {
    refuse<layout_error>(op,
                         "found a sparse exponent, at whose zeros a power is 1, wanted a strided one; to_dense(x) "
                         "makes one");
  }
  if (exponent.layout() != layout::strided || exponent.dim() != 0) {
    refuse<layout_error>(op, "found a sparse tensor with exponents of sizes " + to_string(exponent.sizes()) +
                                 ", wanted one number; to_dense(x) takes any");
  }
  if (has_elements(exponent) && !(item<double>(exponent) > 0)) {
    refuse<layout_error>(op, "found exponent " + to_string(exponent, {.describe = false, .one_line = true}) +
                                 " of a sparse tensor, wanted one above 0: zeros would not stay zero; to_dense(x) "
                                 "takes any");
  }
  const tensor s = coalesced(self);
  return with_values(s, aten::pow_Tensor_Tensor(values_of(s), exponent));
}

constexpr auto powers =
    joined_rows(rows_of<&pow, aten::pow_Tensor_Tensor>(), writing_rows<aten::pow_Tensor_Tensor, aten::pow_Tensor_>(),
                writing_rows<aten::pow_Tensor_Tensor, aten::pow_Tensor_Tensor_out>());

}  // namespace

void register_unary() {
  register_functions<linearity::none, aten::abs, aten::asin, aten::asinh, aten::atan, aten::atanh, aten::ceil,
                     aten::erf, aten::erfinv, aten::expm1, aten::floor, aten::frac, aten::log1p, aten::nan_to_num,
                     aten::relu, aten::round, aten::sign, aten::sgn, aten::sin, aten::sinh, aten::sqrt, aten::square,
                     aten::tan, aten::tanh, aten::trunc, aten::isnan, aten::isinf, aten::isposinf, aten::isneginf,
                     aten::signbit>();
  register_functions<linearity::linear, aten::neg, aten::deg2rad, aten::rad2deg>();
  register_in_place<aten::abs_, aten::abs>();
  register_in_place<aten::asin_, aten::asin>();
  register_in_place<aten::asinh_, aten::asinh>();
  register_in_place<aten::atan_, aten::atan>();
  register_in_place<aten::atanh_, aten::atanh>();
  register_in_place<aten::ceil_, aten::ceil>();
  register_in_place<aten::deg2rad_, aten::deg2rad>();
  register_in_place<aten::erf_, aten::erf>();
  register_in_place<aten::erfinv_, aten::erfinv>();
  register_in_place<aten::expm1_, aten::expm1>();
  register_in_place<aten::floor_, aten::floor>();
  register_in_place<aten::frac_, aten::frac>();
  register_in_place<aten::log1p_, aten::log1p>();
  register_in_place<aten::nan_to_num_, aten::nan_to_num>();
  register_in_place<aten::neg_, aten::neg>();
  register_in_place<aten::rad2deg_, aten::rad2deg>();
  register_in_place<aten::relu_, aten::relu>();
  register_in_place<aten::round_, aten::round>();
  register_in_place<aten::sgn_, aten::sgn>();
  register_in_place<aten::sign_, aten::sign>();
  register_in_place<aten::sin_, aten::sin>();
  register_in_place<aten::sinh_, aten::sinh>();
  register_in_place<aten::sqrt_, aten::sqrt>();
  register_in_place<aten::square_, aten::square>();
  register_in_place<aten::tan_, aten::tan>();
  register_in_place<aten::tanh_, aten::tanh>();
  register_in_place<aten::trunc_, aten::trunc>();
  author::register_rows(powers);
}

}  // namespace topbit::sparse
