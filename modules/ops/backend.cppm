// From a backend's kernel table to rows: every strided backend gets all its operators from one list.
//
// A backend is a function that returns a table of plain kernels. The functions here turn tensors into shape rule,
// result and plan, and call the table. A table of null is the meta backend: the very same path without the last step,
// so a shape rule is written once.
export module topbit.ops:backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :create;
import :device_check;
import :elementwise;
import :linalg;
import :loss;
import :reduce;
import :rules;

namespace topbit {

namespace detail {

// The codes are those of the seam.
enum class unary_code : int { neg, exp, log, relu };
enum class binary_code : int { add, sub, mul, div, relu_backward };
enum class compare_code : int { eq, ne, lt, le, gt, ge };

tensor unary(backend_call c, unary_code code, const tensor& self);
tensor binary(backend_call c, binary_code code, const tensor& a, const tensor& b, const scalar& alpha);
tensor& binary_out(backend_call c, binary_code code, const tensor& a, const tensor& b, const scalar& alpha,
                   tensor& out);
tensor compare(backend_call c, compare_code code, const tensor& a, const tensor& b);
tensor sum(backend_call c, const tensor& self, std::optional<std::span<const std::int64_t>> dim, bool keepdim,
           std::optional<dtype> type);
tensor argmax(backend_call c, const tensor& self, std::optional<std::int64_t> dim, bool keepdim);
tensor mm(backend_call c, const tensor& a, const tensor& b);
tensor log_softmax(backend_call c, const tensor& self, std::int64_t dim);
tensor log_softmax_backward(backend_call c, const tensor& grad, const tensor& output, std::int64_t dim);
tensor nll_loss(backend_call c, const tensor& self, const tensor& target);
tensor nll_loss_backward(backend_call c, const tensor& grad, const tensor& self, const tensor& target);
tensor empty(std::string_view op, std::span<const std::int64_t> size, std::optional<dtype> type,
             std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned);
tensor& fill(backend_call c, tensor& self, const scalar& value);
tensor arange(backend_call c, const scalar& end, std::optional<dtype> type, std::optional<layout> how,
              std::optional<device> where, std::optional<bool> pinned);
tensor& copy(backend_call c, tensor& self, const tensor& src);

using optional_sizes = std::optional<std::span<const std::int64_t>>;

}  // namespace detail

export namespace author {

/// Where a backend's kernels come from; called on every call, so it must be cheap. Null for a backend that computes no
/// elements.
using kernel_source = const tb_kernels* (*)();

/// The kernels of every operator a table serves.
template <kernel_source Source>
struct strided_backend {
  // Given the arguments, those that are tensors must be on one device.
  template <const auto& Op, class... A>
  static detail::backend_call at(const A&... arguments) {
    check_one_device(Op, arguments...);
    return {Source(), Op.name()};
  }
  template <const auto& Op, detail::unary_code Code>
  static tensor unary(const tensor& self) {
    return detail::unary(at<Op>(), Code, self);
  }
  template <const auto& Op, detail::binary_code Code>
  static tensor binary(const tensor& a, const tensor& b) {
    return detail::binary(at<Op>(a, b), Code, a, b, 1);
  }
  template <const auto& Op, detail::binary_code Code>
  static tensor& binary_in_place(tensor& self, const tensor& other) {
    return detail::binary_out(at<Op>(self, other), Code, self, other, 1, self);
  }
  template <const auto& Op, detail::binary_code Code>
  static tensor& binary_out(const tensor& a, const tensor& b, tensor& out) {
    return detail::binary_out(at<Op>(a, b, out), Code, a, b, 1, out);
  }
  template <const auto& Op, detail::binary_code Code>
  static tensor scaled(const tensor& a, const tensor& b, const scalar& alpha) {
    return detail::binary(at<Op>(a, b), Code, a, b, alpha);
  }
  template <const auto& Op, detail::binary_code Code>
  static tensor& scaled_in_place(tensor& self, const tensor& other, const scalar& alpha) {
    return detail::binary_out(at<Op>(self, other), Code, self, other, alpha, self);
  }
  template <const auto& Op, detail::binary_code Code>
  static tensor& scaled_out(const tensor& a, const tensor& b, const scalar& alpha, tensor& out) {
    return detail::binary_out(at<Op>(a, b, alpha, out), Code, a, b, alpha, out);
  }
  template <const auto& Op, detail::compare_code Code>
  static tensor compare(const tensor& a, const tensor& b) {
    return detail::compare(at<Op>(a, b), Code, a, b);
  }

  static tensor sum(const tensor& self, std::optional<dtype> type) {
    return detail::sum(at<ops::sum>(), self, std::nullopt, false, type);
  }
  static tensor sum_dim(const tensor& self, detail::optional_sizes dim, bool keepdim, std::optional<dtype> type) {
    return detail::sum(at<ops::sum_dim>(), self, dim, keepdim, type);
  }
  static tensor argmax(const tensor& self, std::optional<std::int64_t> dim, bool keepdim) {
    return detail::argmax(at<ops::argmax>(), self, dim, keepdim);
  }
  static tensor mm(const tensor& a, const tensor& b) { return detail::mm(at<ops::mm>(a, b), a, b); }
  static tensor log_softmax(const tensor& self, std::int64_t dim, bool) {
    return detail::log_softmax(at<ops::log_softmax_forward>(), self, dim);
  }
  static tensor log_softmax_backward(const tensor& grad, const tensor& output, std::int64_t dim, dtype) {
    return detail::log_softmax_backward(at<ops::log_softmax_backward>(grad, output), grad, output, dim);
  }
  static tensor nll_loss(const tensor& self, const tensor& target) {
    return detail::nll_loss(at<ops::nll_loss_mean>(self, target), self, target);
  }
  static tensor nll_loss_backward(const tensor& grad, const tensor& self, const tensor& target) {
    return detail::nll_loss_backward(at<ops::nll_loss_mean_backward>(grad, self, target), grad, self, target);
  }
  static tensor empty(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
                      std::optional<device> where, std::optional<bool> pinned, std::optional<memory_format>) {
    return detail::empty(ops::empty.name(), size, type, how, where, pinned);
  }
  static tensor& fill(tensor& self, const scalar& value) { return detail::fill(at<ops::fill_>(), self, value); }
  static tensor& zero(tensor& self) { return detail::fill(at<ops::zero_>(), self, 0); }
  static tensor arange(const scalar& end, std::optional<dtype> type, std::optional<layout> how,
                       std::optional<device> where, std::optional<bool> pinned) {
    return detail::arange(at<ops::arange>(), end, type, how, where, pinned);
  }
  // Moves between devices.
  static tensor& copy(tensor& self, const tensor& src, bool) { return detail::copy(at<ops::copy_>(), self, src); }
};

/// All rows of one backend. Hand them to register_rows from an interface partition of your module. `where` is the place
/// that explain() and errors show for them: the caller's.
template <kernel_source Source>
constexpr auto strided_rows(dispatch_key k, std::source_location where = std::source_location::current()) {
  using b = strided_backend<Source>;
  using enum detail::unary_code;
  using bin = detail::binary_code;
  using cmp = detail::compare_code;
  return std::array{row<&b::template scaled<ops::add, bin::add>>(ops::add, k, where),
                    row<&b::template scaled_in_place<ops::add_, bin::add>>(ops::add_, k, where),
                    row<&b::template scaled_out<ops::add_out, bin::add>>(ops::add_out, k, where),
                    row<&b::template scaled<ops::sub, bin::sub>>(ops::sub, k, where),
                    row<&b::template scaled_in_place<ops::sub_, bin::sub>>(ops::sub_, k, where),
                    row<&b::template scaled_out<ops::sub_out, bin::sub>>(ops::sub_out, k, where),
                    row<&b::template binary<ops::mul, bin::mul>>(ops::mul, k, where),
                    row<&b::template binary_in_place<ops::mul_, bin::mul>>(ops::mul_, k, where),
                    row<&b::template binary_out<ops::mul_out, bin::mul>>(ops::mul_out, k, where),
                    row<&b::template binary<ops::div, bin::div>>(ops::div, k, where),
                    row<&b::template binary_in_place<ops::div_, bin::div>>(ops::div_, k, where),
                    row<&b::template binary_out<ops::div_out, bin::div>>(ops::div_out, k, where),
                    row<&b::template unary<ops::neg, neg>>(ops::neg, k, where),
                    row<&b::template unary<ops::exp, exp>>(ops::exp, k, where),
                    row<&b::template unary<ops::log, log>>(ops::log, k, where),
                    row<&b::template unary<ops::relu, relu>>(ops::relu, k, where),
                    row<&b::template binary<ops::relu_backward, bin::relu_backward>>(ops::relu_backward, k, where),
                    row<&b::template compare<ops::eq, cmp::eq>>(ops::eq, k, where),
                    row<&b::template compare<ops::ne, cmp::ne>>(ops::ne, k, where),
                    row<&b::template compare<ops::lt, cmp::lt>>(ops::lt, k, where),
                    row<&b::template compare<ops::le, cmp::le>>(ops::le, k, where),
                    row<&b::template compare<ops::gt, cmp::gt>>(ops::gt, k, where),
                    row<&b::template compare<ops::ge, cmp::ge>>(ops::ge, k, where),
                    row<&b::sum>(ops::sum, k, where),
                    row<&b::sum_dim>(ops::sum_dim, k, where),
                    row<&b::argmax>(ops::argmax, k, where),
                    row<&b::mm>(ops::mm, k, where),
                    row<&b::log_softmax>(ops::log_softmax_forward, k, where),
                    row<&b::log_softmax_backward>(ops::log_softmax_backward, k, where),
                    row<&b::nll_loss>(ops::nll_loss_mean, k, where),
                    row<&b::nll_loss_backward>(ops::nll_loss_mean_backward, k, where),
                    row<&b::empty>(ops::empty, k, where),
                    row<&b::fill>(ops::fill_, k, where),
                    row<&b::zero>(ops::zero_, k, where),
                    row<&b::arange>(ops::arange, k, where),
                    row<&b::copy>(ops::copy_, k, where)};
}

}  // namespace author

}  // namespace topbit
