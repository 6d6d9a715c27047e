// The typed operator: a name, a signature, and the call.
//
// A call is: the keys of the arguments, two masks of the thread, two of the operator, one table slot, one jump. The
// operator reaches its entry through a site, one per operator and shared object. A site starts bound to a head of its
// own whose mask is zero, so that the first call lands on slot 0, the binder, which looks the operator up, stores the
// entry and calls again: no call ever asks whether it is bound. A redispatch asks, but only when no key is left of its
// set.
export module topbit.core:operators.op;

import topbit.std;
import :boxing.boxable;
import :boxing.stack;
import :dispatch.boxing;
import :dispatch.function_type;
import :dispatch.handle;
import :dispatch.kernel;
import :dispatch.operator_info;
import :dispatch.rule_kind;
import :keys.key_set;
import :operators.call;
import :operators.call_mistake;
import :operators.signature_code;
import :registry.registry;
import :schema.extract;
import :schema.mismatch;
import :schema.schema;
import :schema.schema_parser;
import :schema.signature;
import :text.text;
import :version;

namespace topbit {

namespace detail {

// A kernel that is an object may have a kernel_note.
template <auto Fn>
constexpr void add_note(kernel& k) noexcept {
  using function = std::remove_cvref_t<decltype(Fn)>;
  if constexpr (requires { static_cast<const kernel_note*>(&function::note); }) {
    k.state = &function::note;
    k.noted = true;
  }
}

// The thunk of a kernel known at compile time: the kernel's body is inlined here. Hidden, as what else is made for one
// operator: each shared object has its own, and their names, with the texts of schemas, would be most of what a host
// exports.
template <auto Fn, class Sig>
struct kernel_thunk;
template <auto Fn, class R, class... A>
struct [[gnu::visibility("hidden")]] kernel_thunk<Fn, R(A...)> {
  static R run(A... a, key_set keys, const kernel*) {
    if constexpr (takes_keys<function_type<decltype(Fn)>>)
      return Fn(keys, std::forward<A>(a)...);
    else
      return Fn(std::forward<A>(a)...);
  }
  static constexpr typed_kernel<R(A...)> record = [] {
    typed_kernel<R(A...)> r{{.boxed = &author::signature_code<R(A...)>::run}, &run};
    add_note<Fn>(r);
    return r;
  }();
};

template <auto Fn>
struct boxed_thunk {
  static void run(const kernel*, const operator_handle& op, key_set keys, boxed_stack& s) {
    if constexpr (takes_keys_boxed<function_type<decltype(Fn)>>)
      Fn(op, keys, s);
    else
      Fn(op, s);
  }
  // The image's note is referred to so that a shared object which registers nothing but this has one.
  static constexpr kernel record = [] {
    kernel r{.boxed = &run, .state = &image_note<0>::value, .kind = kernel_kind::boxed};
    add_note<Fn>(r);
    return r;
  }();
};

template <fixed_string Text, class Sig>
struct [[gnu::visibility("hidden")]] operator_constants {
  static constexpr schema_head head = parsed<Text>::code.head;
  static constexpr piece first = head.ns.size != 0 ? head.ns : head.name;
  static constexpr piece last = head.overload.size != 0 ? head.overload : head.name;
  static constexpr std::string_view name =
      Text.view().substr(first.begin, std::size_t{last.begin} + last.size - first.begin);
  static constexpr operator_info info{name, part(Text.view(), head.ns),
                                      head.has_signature ? Text.view() : std::string_view(),
                                      &author::signature_code<Sig>::info};
};

template <fixed_string Text, class Sig>
struct site_of {
  [[gnu::visibility("hidden")]] static inline constinit call_site<Sig> site{operator_constants<Text, Sig>::info};
};

// What an operator has to be. Messages are instantiated only for errors, since making them costs more than the check.
template <fixed_string Text, class Sig>
struct refused_operator {
  // Where the C++ signature is given, the text has not been checked yet.
  static_assert(valid_text<Text>, explain_text<Text>());
  static_assert(unbroken_name<Text>, explain_name<Text>());
  static_assert(signature_agrees<Text, Sig>, explain_agreement<Text, Sig>());
  static_assert(boxable_signature<Sig>,
                explain_signature(operator_constants<Text, Sig>::name, std::type_identity<Sig>{}));
  static_assert(brings_keys<Text, Sig>,
                explain_keys_of<Text>(operator_constants<Text, Sig>::name, std::type_identity<Sig>{}));
};
struct accepted_operator {};
template <fixed_string Text, class Sig>
using checked_operator = std::conditional_t<valid_text<Text> && unbroken_name<Text> && signature_agrees<Text, Sig> &&
                                                boxable_signature<Sig> && brings_keys<Text, Sig>,
                                            accepted_operator, refused_operator<Text, Sig>>;

}  // namespace detail

/// A typed operator. Declare it `inline constexpr`, from a schema text, or from a name and a C++ signature. Copying it
/// copies nothing: the state is one site per operator and shared object. Calls are thread-safe and lock nothing.
export template <fixed_string Text, class Sig = author::schema_signature<Text>>
struct op;

template <fixed_string Text>
struct op<Text, void> {
  static_assert(detail::has_types<Text>, detail::explain_name_alone<Text>());
};

template <fixed_string Text, class R, class... A>
struct op<Text, R(A...)> {
  static_assert(sizeof(detail::checked_operator<Text, R(A...)>) != 0);
  using signature = R(A...);
  static constexpr std::size_t arity = sizeof...(A);

  /// "ns::name.overload"
  static constexpr std::string_view name() noexcept { return constants::name; }
  static constexpr std::string_view argument_name(std::size_t i) noexcept { return text::argument_name(i); }
  /// As it was written; empty where there is none.
  static constexpr std::string_view default_text(std::size_t i) noexcept { return text::default_text(i); }
  /// N of `T[N]`, or -1.
  static constexpr int list_size(std::size_t i) noexcept { return text::list_size(i); }
  static constexpr bool is_keyword_only(std::size_t i) noexcept { return text::is_keyword_only(i); }
  /// Parsed at compile time; without arguments and results where only a C++ signature was given.
  static constexpr const author::schema_view& schema() noexcept { return detail::parts<Text>::view; }

  /// Calls the kernel that the arguments' keys and this thread's state select. Throws no_kernel where there is none.
  [[gnu::always_inline]] R operator()(A... a) const { return call(std::forward<A>(a)...); }
  /// The same, for who has the type and no object.
  [[gnu::always_inline]] static R call(A... a) { return machine::call(bound(), std::forward<A>(a)...); }
  /// The same with keyword arguments, and with what is not given taken from the schema's defaults. An argument that is
  /// written to may be a temporary, such as a view; the result is then a copy of the handle instead of a reference.
  template <class... B>
    requires detail::calls_by_schema<op, B...>
  [[gnu::always_inline]] detail::result_of_call<op, B...> operator()(B&&... b) const {
    return detail::convert_and_call<op, op>(std::type_identity<R(A...)>{}, std::forward<B>(b)...);
  }
  /// Not a valid call: the static_assert says why; see callable_with.
  template <class... B>
    requires(!callable_with<op, B...>)
  R operator()(B&&...) const {
    static_assert(callable_with<op, B...>, detail::explain_call<op, B...>());
  }

  /// Calls the kernel `keys` selects, without looking at arguments or thread state: how a layer forwards a call.
  [[gnu::always_inline]] R redispatch(key_set keys, A... a) const {
    return machine::redispatch(site(), keys, std::forward<A>(a)...);
  }

  /// Calls the kernel registered for this very key, or else the key's fallback: see operator_handle::call_boxed_at().
  R call_at(dispatch_key k, A... a) const {
    return machine::jump(detail::kernel_at(detail::handle_access::entry(handle()), k), k, std::forward<A>(a)...);
  }

  /// The operator's handle in the process registry; binds if need be.
  operator_handle handle() const {
    detail::entry_head* head = bound();
    return detail::handle_access::of(head == &site().unbound ? *site().bind() : *head);
  }

 private:
  using text = detail::parsed<Text>;
  using constants = detail::operator_constants<Text, R(A...)>;
  using machine = detail::caller<R(A...)>;
  static auto& site() noexcept { return detail::site_of<Text, R(A...)>::site; }
  [[gnu::always_inline]] static detail::entry_head* bound() noexcept {
    return site().bound.load(std::memory_order_acquire);
  }
};

namespace detail {

template <fixed_string Text, class R, class... A>
struct info_of<op<Text, R(A...)>> {
  static constexpr const operator_info& value = operator_constants<Text, R(A...)>::info;
};

}  // namespace detail

namespace detail {

template <class T>
inline constexpr bool is_op = false;
template <fixed_string Text, class Sig>
inline constexpr bool is_op<op<Text, Sig>> = true;

}  // namespace detail

namespace static_dispatch {

/// An operator: the type of what `op<"...">` declares.
export template <class T>
concept operator_type = detail::is_op<std::remove_cvref_t<T>>;

}  // namespace static_dispatch

/// An operator found by name, called with a known signature. Made by operator_handle::typed().
template <class R, class... A>
class typed_handle<R(A...)> {
 public:
  explicit typed_handle(operator_handle h) noexcept : head_(&detail::handle_access::entry(h)) {}
  R operator()(A... a) const { return detail::caller<R(A...)>::call(head_, std::forward<A>(a)...); }
  R redispatch(key_set keys, A... a) const {
    return detail::caller<R(A...)>::select(head_, keys, std::forward<A>(a)...);
  }
  R call_at(dispatch_key k, A... a) const {
    return detail::caller<R(A...)>::jump(detail::kernel_at(*head_, k), k, std::forward<A>(a)...);
  }
  /// The handle without the signature.
  operator_handle handle() const noexcept { return detail::handle_access::of(*head_); }

 private:
  detail::entry_head* head_;
};

template <class Sig>
typed_handle<Sig> operator_handle::typed() const {
  if (!detail::has_signature(*this, author::signature_code<Sig>::info())) {
    detail::raise_wrong_signature(*this, author::signature_code<Sig>::info().name());
  }
  return typed_handle<Sig>(*this);
}

}  // namespace topbit
