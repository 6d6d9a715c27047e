// What users register with: libraries, fragments, implementations and fallbacks.
//
// A library object owns its registrations and unregisters them when destroyed. Every template here checks its kernel,
// then calls a function that is no template, so a registration costs little to compile. A chain hands its first object
// through by reference: by value, it would have as many objects to clean up as calls, and cost the square of them.
export module topbit.core:operators.library;

import topbit.std;
import :dispatch.boxing;
import :dispatch.concepts;
import :dispatch.function_type;
import :dispatch.functor;
import :dispatch.kernel;
import :dispatch.operator_info;
import :dispatch.rule_kind;
import :keys.key;
import :operators.kernel_row;
import :operators.op;
import :operators.pointer_kernel;
import :registry.registry;
import :operators.signature_code;
import :schema.tag;
import :text.text;

namespace topbit {

namespace detail {

// What stands for an operator by its name; everything else is taken for an operator, and the error says why it is none.
template <class T>
concept operator_name = std::is_convertible_v<const T&, std::string_view>;

// A kernel that brings the signature of its operator.
struct named_kernel {
  signature_pointer signature;
  const kernel* impl;
};
template <auto Fn, class Sig = without_keys<function_type<decltype(Fn)>>::type>
inline constexpr named_kernel named_thunk{&author::signature_code<Sig>::info, &kernel_thunk<Fn, Sig>::record};

}  // namespace detail

/// One namespace's registrations, made by library(), fragment() or implement(). Move-only.
export class [[nodiscard("its registrations are taken back when it is destroyed")]] library_block {
 public:
  enum class kind : std::uint8_t { library, fragment, implement };
  library_block(registry& r, std::string_view ns, kind k, std::optional<key_target> key, std::source_location where);
  library_block(const library_block&) = delete ("it owns its registrations; move it");
  library_block(library_block&&) noexcept = default;
  library_block& operator=(library_block&&) noexcept = default;

  /// Defines the operator. Throws bad_registration if it is defined differently already or belongs to another
  /// namespace; defining it identically again is allowed.
  template <class Op>
    requires(!detail::operator_name<Op>)
  library_block& def(const Op&, std::source_location where = std::source_location::current()) & {
    if constexpr (detail::typed_operator<Op>)
      define(detail::info_of<Op>::value, where);
    else
      detail::refuse_operator<Op, "def()">();
    return *this;
  }
  template <class Op>
    requires(!detail::operator_name<Op>)
  [[nodiscard("taken back at once")]] library_block&& def(
      const Op& o, std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(def(o, where));
  }

  /// Registers Fn for the key; the newest of several for one key is active. Order against def() does not matter.
  template <auto Fn, class Op>
    requires(!detail::operator_name<Op>)
  library_block& impl(const Op&, key_target key, std::source_location where = std::source_location::current()) & {
    if constexpr (kernel_for<Fn, Op>)
      add(detail::info_of<Op>::value, key, detail::kernel_thunk<Fn, typename Op::signature>::record, where);
    else
      detail::refuse_kernel<Fn, Op>();
    return *this;
  }
  template <auto Fn, class Op>
    requires(!detail::operator_name<Op>)
  [[nodiscard("taken back at once")]] library_block&& impl(
      const Op& o, key_target key,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(impl<Fn>(o, key, where));
  }
  /// The same for the block's key, or as a catch-all if it has none.
  template <auto Fn, class Op>
    requires(!detail::operator_name<Op>)
  library_block& impl(const Op& o, std::source_location where = std::source_location::current()) & {
    return impl<Fn>(o, default_key(), where);
  }
  template <auto Fn, class Op>
    requires(!detail::operator_name<Op>)
  [[nodiscard("taken back at once")]] library_block&& impl(
      const Op& o, std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(impl<Fn>(o, where));
  }

  // What fits none of those above. A lambda with captures is no template argument, so only the name of this one, in
  // the compiler's notes, can say so.
  template <auto FunctionOrLambdaWithoutCaptures>
  void impl(...) = delete ("wanted an operator, then a key: impl<&kernel>(op, key)");
  // A kernel among the arguments: says where it belongs.
  template <class Op, class... Rest>
  library_block&& impl(const Op&, const Rest&...) {
    detail::refuse_kernel_as_argument<Op>();
    return std::move(*this);
  }

  /// The same on purpose over another kernel: throws bad_registration where none is registered for this key. Takes back
  /// only itself.
  template <auto Fn, class Op>
  library_block& replace(const Op&, key_target key, std::source_location where = std::source_location::current()) & {
    if constexpr (kernel_for<Fn, Op>)
      add(detail::info_of<Op>::value, key, detail::kernel_thunk<Fn, typename Op::signature>::record, where, true);
    else
      detail::refuse_kernel<Fn, Op>();
    return *this;
  }
  template <auto Fn, class Op>
  [[nodiscard("taken back at once")]] library_block&& replace(
      const Op& o, key_target key,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(replace<Fn>(o, key, where));
  }

  /// By a name made at run time, "name.overload" or with the block's namespace in front: defines the operator with the
  /// function's own C++ signature, and registers the function for the block's key, or as a catch-all.
  /// Call it by find(name).typed<Sig>().
  template <auto Fn>
  library_block& def(std::string_view name, std::source_location where = std::source_location::current()) & {
    if constexpr (detail::gives_signature<Fn>)
      define(name, detail::named_thunk<Fn>, where);
    else
      detail::refuse_named<Fn>();
    return *this;
  }
  template <auto Fn>
  [[nodiscard("taken back at once")]] library_block&& def(
      std::string_view name, std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(def<Fn>(name, where));
  }
  /// Registers the function for an operator of this name: for the key, or for the block's, or as a catch-all.
  template <auto Fn>
  library_block& impl(std::string_view name, std::optional<key_target> key = std::nullopt,
                      std::source_location where = std::source_location::current()) & {
    if constexpr (detail::gives_signature<Fn>)
      add(name, key.value_or(default_key()), detail::named_thunk<Fn>, where);
    else
      detail::refuse_named<Fn>();
    return *this;
  }
  template <auto Fn>
  [[nodiscard("taken back at once")]] library_block&& impl(
      std::string_view name, std::optional<key_target> key = std::nullopt,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(impl<Fn>(name, key, where));
  }

  /// From a schema made at run time, "ns::f(Tensor x) -> Tensor" or without the namespace. Kernels for it are boxed
  /// ones by its name, or functions of the C++ signature that the schema stands for; so are its calls, by call_boxed()
  /// or by find(name).typed<Sig>(). Throws bad_schema where the text is none or names a type that
  /// author::register_schema_types() was not told of.
  library_block& def(std::string_view schema, std::source_location where = std::source_location::current()) &;
  [[nodiscard("taken back at once")]] library_block&& def(
      std::string_view schema,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(def(schema, where));
  }
  /// The same with a boxed kernel, with a state or without, for the block's key or as a catch-all.
  template <class F>
    requires(!std::same_as<F, std::source_location>)
  library_block& def(std::string_view schema, F f, std::source_location where = std::source_location::current()) & {
    if constexpr (author::boxed_functor<F>)
      define(schema, detail::make_functor(std::move(f)), where);
    else
      detail::refuse_functor<F>();
    return *this;
  }
  template <class F>
    requires(!std::same_as<F, std::source_location>)
  [[nodiscard("taken back at once")]] library_block&& def(
      std::string_view schema, F f,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(def(schema, std::move(f), where));
  }
  /// A boxed kernel, with a state or without, for the operator of this name, which must be defined or have kernels, or
  /// for the one of this schema.
  template <class F>
  library_block& impl_boxed(std::string_view name, key_target key, F f,
                            std::source_location where = std::source_location::current()) & {
    if constexpr (author::boxed_functor<F>)
      add(name, key, detail::make_functor(std::move(f)), where);
    else
      detail::refuse_functor<F>();
    return *this;
  }
  template <class F>
  [[nodiscard("taken back at once")]] library_block&& impl_boxed(
      std::string_view name, key_target key, F f,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(impl_boxed(name, key, std::move(f), where));
  }

  /// A boxed kernel for this operator alone.
  template <auto Fn, class Op>
  library_block& impl_boxed(const Op&, key_target key, std::source_location where = std::source_location::current()) & {
    if constexpr (!detail::typed_operator<Op>)
      detail::refuse_operator<Op, "impl_boxed()">();
    else if constexpr (boxed_kernel<Fn>)
      add(detail::info_of<Op>::value, key, detail::boxed_thunk<Fn>::record, where);
    else
      detail::refuse_boxed<Fn>();
    return *this;
  }
  template <auto Fn, class Op>
  [[nodiscard("taken back at once")]] library_block&& impl_boxed(
      const Op& o, key_target key,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(impl_boxed<Fn>(o, key, where));
  }

  /// The same with a state: f is moved to the registry and called by several threads at once. It is destroyed when it
  /// has been taken back and the last call has left it, by whoever is last.
  template <class F, class Op>
    requires(!detail::operator_name<Op>)
  library_block& impl_boxed(const Op&, key_target key, F f,
                            std::source_location where = std::source_location::current()) & {
    if constexpr (!detail::typed_operator<Op>)
      detail::refuse_operator<Op, "impl_boxed()">();
    else if constexpr (author::boxed_functor<F>)
      add(detail::info_of<Op>::value, key, detail::make_functor(std::move(f)), where);
    else
      detail::refuse_functor<F>();
    return *this;
  }
  template <class F, class Op>
    requires(!detail::operator_name<Op>)
  [[nodiscard("taken back at once")]] library_block&& impl_boxed(
      const Op& o, key_target key, F f,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(impl_boxed(o, key, std::move(f), where));
  }

  /// A kernel that is known only when the program runs, as a pointer out of a table or of a library that it opened; for
  /// an operator, or for the one of this name, as impl() finds it. The call costs a jump more. Throws bad_registration
  /// where the pointer is null.
  template <class F, class Op>
  library_block& impl_pointer(const Op& o, key_target key, F f,
                              std::source_location where = std::source_location::current()) & {
    if constexpr (detail::operator_name<Op>) {
      if constexpr (detail::pointer_for_name<F>)
        add(o, key, detail::address_of<F, typename detail::without_keys<detail::function_type<F>>::type>(f), where);
      else
        detail::refuse_named_pointer<F>();
    } else if constexpr (detail::pointer_for<F, Op>) {
      add(detail::info_of<Op>::value, key, detail::address_of<F, typename Op::signature>(f), where);
    } else {
      detail::refuse_pointer<F, Op>();
    }
    return *this;
  }
  template <class F, class Op>
  [[nodiscard("taken back at once")]] library_block&& impl_pointer(
      const Op& o, key_target key, F f,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(impl_pointer(o, key, f, where));
  }

  /// Tags the operator, for tools: see topbit::tag. It has the tags of all blocks that live, and those that follow from
  /// its schema. Throws bad_registration where a tag contradicts the schema. By its handle or its schema
  /// also before it is defined.
  template <class Op>
  library_block& tag(const Op& o, tag_set tags, std::source_location where = std::source_location::current()) & {
    if constexpr (detail::operator_name<Op>)
      add(std::string_view(o), tags, where);
    else if constexpr (detail::typed_operator<Op>)
      add(detail::info_of<Op>::value, tags, where);
    else
      detail::refuse_operator<Op, "tag()">();
    return *this;
  }
  template <class Op>
  [[nodiscard("taken back at once")]] library_block&& tag(
      const Op& o, tag_set tags,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(tag(o, tags, where));
  }

  /// Makes calls pass through this key for this operator.
  template <class Op>
  library_block& fallthrough(const Op&, key_target key,
                             std::source_location where = std::source_location::current()) & {
    if constexpr (detail::typed_operator<Op>)
      add(detail::info_of<Op>::value, key, detail::fallthrough_record, where);
    else
      detail::refuse_operator<Op, "fallthrough()">();
    return *this;
  }
  template <class Op>
  [[nodiscard("taken back at once")]] library_block&& fallthrough(
      const Op& o, key_target key,
      std::source_location where = std::source_location::current()) && [[clang::lifetimebound]] {
    return std::move(fallthrough(o, key, where));
  }

  /// Unregisters everything in this block.
  void reset() noexcept;
  /// Keeps them registered permanently.
  void keep() noexcept;

 private:
  void define(const detail::operator_info& op, std::source_location where);
  void add(const detail::operator_info& op, tag_set tags, std::source_location where);
  void add(std::string_view name, tag_set tags, std::source_location where);
  void define(std::string_view name, const detail::named_kernel& k, std::source_location where);
  void add(const detail::operator_info& op, key_target key, const detail::kernel& k, std::source_location where,
           bool replaces = false);
  void add(const detail::operator_info& op, key_target key, detail::functor_ptr k, std::source_location where);
  void add(std::string_view name, key_target key, const detail::named_kernel& k, std::source_location where);
  void define(std::string_view schema, detail::functor_ptr k, std::source_location where);
  void add(std::string_view name, key_target key, detail::functor_ptr k, std::source_location where);
  // A name or a schema that was given as a text. Without a signature if it was refused.
  struct text_operator {
    std::string name, schema;
    detail::signature_pointer signature;
    detail::operator_info info(std::string_view ns) const noexcept { return {name, ns, schema, signature}; }
  };
  text_operator from_schema(std::string_view text, std::source_location where) const;
  text_operator from_name_or_schema(std::string_view text, std::source_location where,
                                    std::string_view why = "a boxed kernel has") const;
  void add(const detail::operator_info& op, key_target key, const detail::function_address& f,
           std::source_location where);
  void add(std::string_view name, key_target key, const detail::function_address& f, std::source_location where);
  bool owns(std::string_view name, std::string_view ns, std::source_location where) const;
  bool takes(std::string_view op, key_target key, std::source_location where) const;
  std::string qualified(std::string_view name, std::source_location where) const;
  key_target default_key() const noexcept { return key_.value_or(key::CompositeImplicitAutograd); }

  registry* registry_;
  std::string ns_;
  kind kind_;
  std::optional<key_target> key_;
  std::vector<registration> registrations_;
};

/// Owns a namespace and defines its operators, in the process registry or in one of your own. Throws bad_registration
/// if the namespace is owned already.
export library_block library(std::string_view ns, registry& r = registry::process(),
                             std::source_location where = std::source_location::current());
/// Adds operators to a namespace.
export library_block fragment(std::string_view ns, registry& r = registry::process(),
                              std::source_location where = std::source_location::current());
/// Adds kernels to operators of a namespace, for this key and no other; without a key, for the one that impl() says, or
/// as catch-all.
export library_block implement(std::string_view ns, std::optional<key_target> key = std::nullopt,
                               registry& r = registry::process(),
                               std::source_location where = std::source_location::current());

/// The namespace comes first.
export library_block implement(key_target key, std::string_view ns, registry& r = registry::process()) =
    delete ("the namespace comes first: implement(\"ns\", key)");

/// One boxed kernel for every operator there is and will be, where nothing more specific is registered.
export template <auto Fn>
registration fallback(key_target key, registry& r = registry::process(),
                      std::source_location where = std::source_location::current()) {
  if constexpr (boxed_kernel<Fn>)
    return detail::registrar::fallback(r, key, detail::boxed_thunk<Fn>::record, where);
  else
    detail::refuse_boxed<Fn>();
}

/// The same with a state: f is moved to the registry, and threads call it at once. It is destroyed when the
/// registration has ended and the last call has left it, by whoever is last. Each registration of an object costs some
/// hundred bytes for each operator, for as long as the registry lives: register it once, and switch it on and off by
/// its key. A call of an object with a destructor costs two more atomic additions.
export template <class F>
registration fallback(key_target key, F f, registry& r = registry::process(),
                      std::source_location where = std::source_location::current()) {
  if constexpr (author::boxed_functor<F>)
    return detail::registrar::fallback(r, key, detail::make_functor(std::move(f)), where);
  else
    detail::refuse_functor<F>();
}

// Names what a lambda with captures is not, as impl() does.
export template <auto FunctionOrLambdaWithoutCaptures>
registration fallback(...) = delete ("wanted a key: fallback<&kernel>(key)");

/// Makes calls of every operator pass through this key where nothing more specific is registered.
export registration fallthrough(key_target key, registry& r = registry::process(),
                                std::source_location where = std::source_location::current());

}  // namespace topbit
