// Structured operators: a shape function and a kernel that writes a given tensor, and all forms of the operator from
// them.
//
// The functional form allocates the result and runs the kernel on it; the in-place and out forms first check the given
// tensor against the shape function; on the meta backend the kernel is the shape function itself.
export module topbit.ops:registration.structured;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :registration.caller;
import :registration.device_check;

namespace topbit {

export namespace author {

/// The metadata of a result.
struct result_meta {
  shape sizes;
  dtype type = dtype::float32;
  device where;
  shape strides;  ///< empty for dense, row-major
  /// What the kernel computes in, if it asks for it and that is another type.
  std::optional<dtype> computed{};
};

/// What the kernel of a structured operator supports directly. Otherwise it gets a temporary, which is then copied.
struct kernel_abilities {
  bool in_place = false;      ///< the result may be the same view as an input; partial overlap always uses a temporary
  bool first_only = false;    ///< ... only the first tensor argument
  bool host_scalars = false;  ///< zero-dimensional host tensors are accepted as numbers with tensors of another device
  bool converts =
      false;  ///< the result may have another dtype than the shape function's, without intermediate rounding
};

}  // namespace author

namespace detail {

using author::result_meta;

tensor make_result(const result_meta& m);
// Throws shape_error or dtype_error, naming `op`, if `out` cannot hold this result, or if its elements share memory.
void check_result(std::string_view op, const result_meta& m, const tensor& out);
// Throws device_error, naming `op`, if `out` is on another device: a host scalar cannot be written by a device.
void check_result_device(std::string_view op, const result_meta& m, const tensor& out);
void check_result(std::string_view op, const tensor& result, const tensor& out);
void copy_result(const tensor& out, const tensor& result);
// Checks and copies a result into `out`, and returns `out`.
tensor& write_result(std::string_view op, const tensor& result, tensor& out);
// Whether rounding to the dtype of `result` before writing `out` changes elements: kernels compute in a wider dtype
// than the narrow ones.
bool rounds_between(dtype result, dtype out) noexcept;
// Throws shape_error if two results would be written to the same memory.
void check_apart(std::string_view op, std::span<tensor* const> out);

// Whether tensors of a call prevent writing `out` directly.
class alias_check {
 public:
  alias_check(const tensor& out, author::kernel_abilities can) noexcept : out_(out), can_(can) {}
  void look(const tensor& in) noexcept;
  template <class T>
  void look(const std::optional<T>& x) noexcept {
    if (x.has_value()) look(*x);
  }
  template <std::ranges::input_range T>
  void look(const T& list) noexcept {
    for (const auto& x : list) look(x);
  }
  template <class T>
  void look(const T&) noexcept {}
  bool found() const noexcept { return found_; }

 private:
  const tensor& out_;
  author::kernel_abilities can_;
  bool first_ = true, found_ = false;
};

inline std::array<result_meta, 1> as_array(const result_meta& m) { return {m}; }
template <std::size_t N>
std::array<result_meta, N> as_array(const std::array<result_meta, N>& m) {
  return m;
}

// Kernel is null for the meta backend, or decides by a call's keys whether anything is computed.
template <auto Kernel>
bool computes(key_set keys) noexcept {
  if constexpr (requires { Kernel.computes(keys); })
    return Kernel.computes(keys);
  else
    return !std::same_as<std::remove_const_t<decltype(Kernel)>, std::nullptr_t>;
}

// Whether a kernel accepts strided tensors only: those of this library do, and their shape functions check meta
// tensors.
template <auto Kernel>
inline constexpr bool takes_strided = requires(key_set keys) { Kernel.computes(keys); };

template <auto Kernel, class... A>
void run_structured(key_set keys, const result_meta& first, const A&... a) {
  if constexpr (std::invocable<decltype(Kernel), const A&...>) {
    Kernel(a...);
  } else if constexpr (!std::same_as<std::remove_const_t<decltype(Kernel)>, std::nullptr_t>) {
    if (!computes<Kernel>(keys)) return;
    if constexpr (requires { requires Kernel.takes_meta; })
      Kernel(keys, first, a...);
    else
      Kernel(keys, a...);
  }
}

// A kernel may have a fast path, fast_path<Makes>(backend_call, tensor& out, arguments...), which computes and returns
// true, or declines. With Makes it makes `out`, otherwise it writes it.
template <auto Kernel, const auto& Op, class... A>
bool wrote_by_fast_path(key_set keys, tensor& out, const A&... a) {
  if constexpr (requires(backend_call c) { Kernel.template fast_path<false>(c, out, a...); })
    return Kernel.template fast_path<false>(call_on(keys, Op.name()), out, a...);
  else
    return false;
}

template <auto Meta, auto Kernel, author::kernel_abilities Can, const auto& Op>
struct [[gnu::visibility("hidden")]] structured_kernel {
  template <class... A>
  static auto metas_of(const A&... a) {
    return as_array(Meta(Op.name(), a...));
  }

  template <std::size_t... I, class... A>
  static auto make(key_set keys, std::index_sequence<I...>, const std::array<result_meta, sizeof...(I)>& metas,
                   const A&... a) {
    std::array<tensor, sizeof...(I)> out{make_result(metas[I])...};
    run_structured<Kernel>(keys, metas[0], a..., out[I]...);
    return out;
  }

  template <std::size_t... I, class... A>
  static void write(key_set keys, std::index_sequence<I...> all, const std::array<tensor*, sizeof...(I)>& out,
                    const A&... a) {
    const auto metas = metas_of(a...);
    (check_result(Op.name(), metas[I], *out[I]), ...);
    if constexpr (Can.host_scalars) (check_result_device(Op.name(), metas[I], *out[I]), ...);
    if constexpr (sizeof...(I) > 1) check_apart(Op.name(), out);
    if (computes<Kernel>(keys)) {
      const auto helped = [&](const tensor& to, const result_meta& m) {
        alias_check check(to, Can);
        (check.look(a), ...);
        return check.found() || (to.dtype() != m.type && (!Can.converts || rounds_between(m.type, to.dtype())));
      };
      if ((helped(*out[I], metas[I]) || ...)) {
        const auto fresh = make(keys, all, metas, a...);
        (copy_result(*out[I], fresh[I]), ...);
      } else {
        run_structured<Kernel>(keys, metas[0], a..., static_cast<const tensor&>(*out[I])...);
      }
    }
  }

  // The last N arguments are results, the others those of the functional form.
  template <std::size_t N, class... A>
  static void write_last(key_set keys, A&... a) {
    const auto all = std::tie(a...);
    constexpr std::size_t inputs = sizeof...(A) - N;
    [&]<std::size_t... I, std::size_t... O>(std::index_sequence<I...>, std::index_sequence<O...> outs) {
      write(keys, outs, std::array<tensor*, N>{&std::get<inputs + O>(all)...}, std::get<I>(all)...);
    }(std::make_index_sequence<inputs>{}, std::make_index_sequence<N>{});
  }

  template <class Sig>
  struct form;
  // Functional.
  template <class... A>
  struct form<tensor(A...)> {
    static tensor run(key_set keys, A... a) {
      if constexpr (requires(backend_call c, tensor& out) { Kernel.template fast_path<true>(c, out, a...); }) {
        if (tensor out; Kernel.template fast_path<true>(call_on(keys, Op.name()), out, a...)) return out;
      }
      check_devices<Can.host_scalars, takes_strided<Kernel>>(Op, a...);
      return std::move(make(keys, std::make_index_sequence<1>{}, metas_of(a...), a...)[0]);
    }
  };
  template <class... T, class... A>
  struct form<std::tuple<T...>(A...)> {
    static std::tuple<T...> run(key_set keys, A... a) {
      check_devices<Can.host_scalars, takes_strided<Kernel>>(Op, a...);
      return std::tuple_cat(make(keys, std::index_sequence_for<T...>{}, metas_of(a...), a...));
    }
  };
  // In-place: the first argument is written; out: the last one.
  template <class First, class... A>
  struct form<tensor&(First, A...)> {
    static tensor& run(key_set keys, First first, A... a) {
      if constexpr (std::same_as<First, tensor&>) {
        if (wrote_by_fast_path<Kernel, Op>(keys, first, first, a...)) return first;
        check_devices<Can.host_scalars, takes_strided<Kernel>>(Op, first, a...);
        write(keys, std::make_index_sequence<1>{}, {&first}, first, a...);
        return first;
      } else {
        const auto all = std::tie(first, a...);
        tensor& out = std::get<sizeof...(A)>(all);
        const bool written = [&]<std::size_t... I>(std::index_sequence<I...>) {
          return wrote_by_fast_path<Kernel, Op>(keys, out, std::get<I>(all)...);
        }(std::make_index_sequence<sizeof...(A)>{});
        if (written) return out;
        check_devices<Can.host_scalars, takes_strided<Kernel>>(Op, first, a...);
        write_last<1>(keys, first, a...);
        return out;
      }
    }
  };
  template <class... T, class... A>
  struct form<std::tuple<T&...>(A...)> {
    static std::tuple<T&...> run(key_set keys, A... a) {
      check_devices<Can.host_scalars, takes_strided<Kernel>>(Op, a...);
      write_last<sizeof...(T)>(keys, a...);
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tie(std::get<sizeof...(A) - sizeof...(T) + I>(std::tie(a...))...);
      }(std::index_sequence_for<T...>{});
    }
  };
};

template <auto Meta, auto Kernel, author::kernel_abilities Can, const auto& Op>
inline constexpr auto structured_run =
    &names_caller<&structured_kernel<Meta, Kernel, Can,
                                     Op>::template form<typename std::remove_cvref_t<decltype(Op)>::signature>::run,
                  Op>::run;

}  // namespace detail

export namespace author {

/// The forms of one structured operator: functional, in-place and out, any of them, in any order.
///
///   result_meta Meta(std::string_view op, arguments of the functional form...);    // or a std::array of them
///   void kernel(arguments of the functional form..., const tensor& out...);
///
/// Meta throws on invalid arguments; `op` is the form that was called. The kernel gets `out` with the sizes of Meta and
/// without partial overlap; it may take the call's key_set first. Tensors on different devices have been refused.
/// Checked like any kernel.
///
///   using twice = structured<&twice_meta, {.in_place = true}, my::twice, my::twice_, my::twice_out>;
///   author::register_rows(twice::rows<&twice_cpu>(key::CPU));
///   author::register_rows(twice::meta_rows());
template <auto Meta, kernel_abilities Can, const auto&... Ops>
struct structured {
  template <auto Kernel>
  static constexpr std::array<kernel_row, sizeof...(Ops)> rows(
      dispatch_key k, std::source_location where = std::source_location::current()) {
    return {row<detail::structured_run<Meta, Kernel, Can, Ops>>(Ops, k, where)...};
  }
  /// Kernel<Op>::run is the kernel of the form Op, for error messages with its name.
  template <template <const auto&> class Kernel>
  static constexpr std::array<kernel_row, sizeof...(Ops)> rows_of(
      dispatch_key k, std::source_location where = std::source_location::current()) {
    return {row<detail::structured_run<Meta, &Kernel<Ops>::run, Can, Ops>>(Ops, k, where)...};
  }
  static constexpr std::array<kernel_row, sizeof...(Ops)> meta_rows(
      std::source_location where = std::source_location::current()) {
    return {row<detail::structured_run<Meta, nullptr, Can, Ops>>(Ops, key::Meta, where)...};
  }
};

}  // namespace author

}  // namespace topbit
