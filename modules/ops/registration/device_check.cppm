// Checks that the tensors of a call are on one device, and strided. External kernels can use the first check too.
//
// The dispatcher does not check this: of two backends it selects the higher one, and only an operator knows whether it
// supports several devices, as copy_ does.
export module topbit.ops:registration.device_check;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export namespace author {

/// A user's type whose values are on a device, which check_one_device() checks like a tensor: `device device_of(const
/// T&)`, or `std::optional<device>` if a value may have no device, found by argument-dependent lookup. Lists and
/// optionals of such a type are checked too.
template <class T>
concept on_a_device = requires(const T& x) {
  { device_of(x) } -> std::convertible_to<std::optional<device>>;
};

}  // namespace author

namespace detail {

// Compares each tensor of a call with the first one. Undefined and absent tensors have no device; neither does a
// zero-dimensional host tensor, for operators that accept it with tensors of a device.
class device_check {
 public:
  device_check(std::string_view op, std::span<const author::schema_item> arguments, bool host_scalars = false,
               bool strided = false) noexcept
      : op_(op), arguments_(arguments), host_scalars_(host_scalars), strided_(strided) {}

  inline void look(const tensor& t, std::size_t index) {
    if (!t.defined()) return;
    if (strided_) look_at_layout(t, index);
    if (host_scalars_ && t.dim() == 0 && t.device().type == backend::CPU) return;
    compare(t.device(), index);
  }
  template <author::on_a_device T>
  void look(const T& x, std::size_t index) {
    if (const std::optional<device> where = device_of(x)) compare(*where, index);
  }
  inline void look_at_layout(const tensor& t, std::size_t index) const {
    if (t.layout() != layout::strided) raise(t.layout(), index);
  }
  template <class T>
  void look(const std::optional<T>& x, std::size_t index) {
    if (x.has_value()) look(*x, index);
  }
  template <std::ranges::input_range T>
    requires(!author::on_a_device<T>)
  void look(const T& list, std::size_t index) {
    for (const auto& x : list) look(x, index);
  }
  template <class T>
  void look(const T&, std::size_t) noexcept {}

 private:
  inline void compare(device where, std::size_t index) {
    if (!seen_) {
      seen_ = true;
      where_ = where;
      index_ = index;
    } else if (where != where_) {
      raise(where, index);
    }
  }
  [[noreturn]] void raise(device other, std::size_t index) const;
  [[noreturn]] void raise(layout found, std::size_t index) const;
  std::string label(std::size_t index) const;

  std::string_view op_;
  std::span<const author::schema_item> arguments_;  // empty if only a C++ signature was given
  device where_;
  std::size_t index_ = 0;
  bool seen_ = false;
  bool host_scalars_, strided_;
};

// Throws device_error, and with Strided layout_error: required by kernels that use strides and addresses of elements.
template <bool HostScalars, bool Strided = false, class Op, class... A>
[[gnu::visibility("hidden")]] void check_devices(const Op&, const A&... arguments) {
  device_check check(Op::name(), Op::schema().arguments, HostScalars, Strided);
  std::size_t index = 0;
  (check.look(arguments, index++), ...);
}
// For operators that accept tensors of several devices.
template <class Op, class... A>
  requires(std::same_as<A, tensor> && ...)
void check_layouts(const Op&, const A&... arguments) {
  const device_check check(Op::name(), Op::schema().arguments);
  std::size_t index = 0;
  (check.look_at_layout(arguments, index++), ...);
}

}  // namespace detail

export namespace author {

/// True for an operator whose tensors may be on several devices: it copies elements, or reads only the sizes of one.
/// check_one_device() skips its calls, at no cost. False unless declared next to the operator:
///
///   template <>
///   inline constexpr bool topbit::author::spans_devices<decltype(my::send)> = true;
template <class Op>
inline constexpr bool spans_devices = false;

/// Throws device_error, which names both devices and both arguments, unless all tensors of a call, and other
/// on_a_device arguments, are on one device. Takes a kernel's arguments in the order of its schema; those after the
/// last tensor may be omitted. Call it first in a kernel of your own: a call with tensors of two backends reaches the
/// kernel of the higher one. The operators of this library do. Does nothing for those that span devices. Cost: a
/// comparison per tensor.
template <class Op, class... A>
void check_one_device(const Op& op, const A&... arguments) {
  if constexpr (!spans_devices<const Op>) detail::check_devices<false>(op, arguments...);
}

}  // namespace author

}  // namespace topbit
