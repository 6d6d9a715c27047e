// The code that topbit makes for a signature, whatever the operators and kernels: how values on a stack become
// arguments, and what a dispatch table holds beside kernels. The one door to that code, so that a library can have it
// once for each signature.
export module topbit.core:operators.signature_code;

import topbit.std;
import :boxing.keyed_arguments;
import :boxing.slot;
import :boxing.stack;
import :boxing.unboxed;
import :boxing.value;
import :dispatch.boxing;
import :dispatch.guard;
import :dispatch.handle;
import :dispatch.kernel;
import :dispatch.operator_info;
import :dispatch.tracer;
import :keys.key;
import :keys.key_set;
import :operators.call;
import :registry.registry;
import :schema.extract;
import :schema.signature;
import :schema.signature_types;
import :text.text;
import :version;

namespace topbit {

namespace author {

/// What topbit compiles for a signature: about 3 KB, in each source file that declares an operator of it as a table
/// does, or registers a kernel. A library with many sources has it once, with a declaration that all of them import
///
///   extern template struct topbit::author::signature_code<my::image(const my::image&, double)>;
///
/// and the same without `extern` in one source file. topbit.tensor does so for the signatures of this library.
export template <class Sig>
struct signature_code;

template <class R, class... A>
struct signature_code<R(A...)> {
  using kernel = topbit::detail::kernel;
  using entry_head = topbit::detail::entry_head;

  /// What the registry must know of the signature.
  static const topbit::detail::signature_info& info() noexcept;

  // The boxed entry point of a typed kernel, of an adapter, and of a whole call.
  static void run(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s);
  static void run_adapted(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s);
  static void call(entry_head* head, boxed_stack& s);

  // The first call of a site, and a redispatch that selects nothing, perhaps since the site is not bound. In the order
  // of a thunk, so that arguments keep their registers on the path that is taken.
  static R bind_and_call(A... a, key_set keys, const kernel* binder);
  [[gnu::noinline, gnu::cold]] static R redispatch_to_nothing(A... a, key_set given, const kernel* binder);

  // A new record of this kind, as an entry makes them for itself. Freed by ::operator delete.
  static kernel* make(topbit::detail::kernel_kind kind);

  // The typed entry points of such records.
  static R skip(A... a, key_set keys, const kernel* k);
  static R adapt(A... a, key_set keys, const kernel* k);
  static R select_backend(A... a, key_set keys, const kernel* k)
    requires topbit::detail::signature_selects_backend<R(A...)>;
  static R trace(A... a, key_set keys, const kernel* k);
};

}  // namespace author

namespace detail {

// One operator of a shared object, as its calls reach it. A binder's state is the site.
template <class Sig>
struct call_site {
  typed_kernel<Sig> binder;
  entry_head unbound;
  std::atomic<entry_head*> bound;
  const operator_info* info;

  constexpr explicit call_site(const operator_info& i) noexcept
      : binder{{.state = this, .kind = kernel_kind::binder}, &author::signature_code<Sig>::bind_and_call},
        unbound(&binder),
        bound(&unbound),
        info(&i) {}

  static inline call_site& of(const kernel* binder) noexcept {
    return *const_cast<call_site*>(static_cast<const call_site*>(binder->state));
  }
  entry_head* bind() {
    entry_head* head = &registrar::bind(registry::process(), *info);
    bound.store(head, std::memory_order_release);
    return head;
  }
};

// Calls of operators of a signature.
template <class Sig>
struct caller;

template <class R, class... A>
struct caller<R(A...)> {
  using code = author::signature_code<R(A...)>;
  using site = call_site<R(A...)>;

  [[gnu::always_inline]] static inline R jump(const kernel* k, key_set keys, A... a) {
    return static_cast<const typed_kernel<R(A...)>*>(k)->unboxed(std::forward<A>(a)..., keys, k);
  }

  [[gnu::always_inline]] static inline R call(const entry_head* head, A... a) {
    const key_set keys = keys_of_call(*head, (std::uint64_t{0} | ... | keys_in(a).raw()));
    return jump(head->slot(keys.row()), keys, std::forward<A>(a)...);
  }

  // Takes the set as it is, except that keys without a kernel are skipped as in a call.
  [[gnu::always_inline]] static inline R select(const entry_head* head, key_set given, A... a) {
    const key_set keys = key_set::from_raw(given.raw() & head->mask.load(std::memory_order_relaxed));
    return jump(head->slot(keys.row()), keys, std::forward<A>(a)...);
  }

  // An unbound head masks everything away, and so may a bound one: only then is it worth asking which it was.
  [[gnu::always_inline]] static inline R redispatch(site& s, key_set given, A... a) {
    const entry_head* head = s.bound.load(std::memory_order_acquire);
    const key_set keys = key_set::from_raw(given.raw() & head->mask.load(std::memory_order_relaxed));
    if (keys.empty()) [[unlikely]]
      return code::redispatch_to_nothing(std::forward<A>(a)..., given, &s.binder);
    return jump(head->slot(keys.row_of_nonempty()), keys, std::forward<A>(a)...);
  }
};

// What observers that want values are shown; not worth speed.
template <class... A>
[[clang::optnone]] void show_arguments(observed_call& seen, std::remove_reference_t<A>&... a) noexcept {
  const std::array<value, sizeof...(A)> all{borrowed<A>(a)...};
  seen.begin({all.data(), all.size()});
}
template <class R>
[[clang::optnone]] void show_result(observed_call& seen, const R& r) noexcept try {
  if constexpr (is_tuple<R>) {
    std::apply(
        [&](const auto&... each) {
          const std::array<value, sizeof...(each)> all{borrowed_result(each)...};
          seen.returned({all.data(), all.size()});
        },
        r);
  } else {
    const value one = borrowed_result(r);
    seen.returned({&one, 1});
  }
} catch (const std::bad_alloc&) {  // a list could not be copied
  seen.returned();
}

template <class T>
key_set backend_keys_in(const T& x) {
  if constexpr (author::selects_backend<T>)
    return backend_keys_of(x);
  else
    return {};
}

}  // namespace detail

namespace author {

template <class R, class... A>
const topbit::detail::signature_info& signature_code<R(A...)>::info() noexcept {
  static constexpr topbit::detail::signature_info all{topbit::detail::raw_type_name<R(A...)>(),
                                                      topbit::detail::has_local_name<R(A...)>,
                                                      sizeof...(A),
                                                      topbit::detail::result_count<R>,
                                                      topbit::detail::signature_selects_backend<R(A...)>,
                                                      topbit::detail::result_aliases<R>,
                                                      &signature_code::call,
                                                      &signature_code::make,
                                                      &topbit::detail::image_note<0>::value,
                                                      topbit::detail::argument_slots<R(A...)>,
                                                      topbit::detail::types_of<R(A...)>::value};
  return all;
}

// Arguments are mostly what a typed call has borrowed. The fast path spills no registers.
template <class R, class... A>
void signature_code<R(A...)>::run(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s) {
  if (!topbit::detail::are_lent<A...>(s)) [[unlikely]]
    return topbit::detail::unboxed_call<R(A...)>::run_any(k, op, keys, s);
  topbit::detail::unboxed_call<R(A...)>::template run_with<true>(k, keys, s,
                                                                 topbit::detail::stack_slots::top<sizeof...(A)>(s));
}

// The only check of what a boxed kernel takes and leaves.
template <class R, class... A>
void signature_code<R(A...)>::run_adapted(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s) {
  const auto* target = static_cast<const kernel*>(k->state);
  if (!topbit::detail::are_lent<A...>(s))
    topbit::detail::check_arguments(op, s, {topbit::detail::slots<A...>.data(), sizeof...(A)});
  const std::size_t below = s.size() - sizeof...(A);
  target->boxed(target, op, keys, s);
  topbit::detail::check_results<R>({op, target}, s, below);
}

template <class R, class... A>
void signature_code<R(A...)>::call(entry_head* head, boxed_stack& s) {
  if (!topbit::detail::are_lent<A...>(s)) [[unlikely]]
    return topbit::detail::call_with_values(head, s);
  value* const arguments = topbit::detail::stack_slots::top<sizeof...(A)>(s);
  const key_set keys = topbit::detail::unboxed_call<R(A...)>::keys_of_call(head, arguments);
  const kernel* k = head->slot(keys.row());
  if (k->kind != topbit::detail::kernel_kind::typed) [[unlikely]]
    return topbit::detail::run_boxed_kernel(k, head, keys, s);
  topbit::detail::unboxed_call<R(A...)>::template run_with<true>(k, keys, s, arguments);
}

template <class R, class... A>
R signature_code<R(A...)>::bind_and_call(A... a, key_set, const kernel* binder) {
  return topbit::detail::caller<R(A...)>::call(topbit::detail::call_site<R(A...)>::of(binder).bind(),
                                               std::forward<A>(a)...);
}

template <class R, class... A>
R signature_code<R(A...)>::redispatch_to_nothing(A... a, key_set given, const kernel* binder) {
  auto& site = topbit::detail::call_site<R(A...)>::of(binder);
  entry_head* head = site.bound.load(std::memory_order_acquire);
  return topbit::detail::caller<R(A...)>::select(head == &site.unbound ? site.bind() : head, given,
                                                 std::forward<A>(a)...);
}

template <class R, class... A>
[[clang::optnone]] topbit::detail::kernel* signature_code<R(A...)>::make(topbit::detail::kernel_kind kind) {
  using topbit::detail::kernel_kind;
  auto* r = new topbit::detail::typed_kernel<R(A...)>{{.boxed = &run, .kind = kind}, &adapt};
  if (kind == kernel_kind::adapter) r->boxed = &run_adapted;
  if (kind == kernel_kind::skip) r->unboxed = &skip;
  if constexpr (topbit::detail::signature_selects_backend<R(A...)>) {
    if (kind == kernel_kind::backend_select) r->unboxed = &select_backend;
  }
  if (kind == kernel_kind::tracer) r->unboxed = &trace;
  return r;
}

template <class R, class... A>
R signature_code<R(A...)>::skip(A... a, key_set keys, const kernel* k) {
  return topbit::detail::caller<R(A...)>::select(k->owner, keys.below_highest(), std::forward<A>(a)...);
}

template <class R, class... A>
R signature_code<R(A...)>::adapt(A... a, key_set keys, const kernel* k) {
  const auto* target = static_cast<const kernel*>(k->state);
  return topbit::detail::boxed_call<R(A...)>::run(target, topbit::detail::handle_access::of(*k->owner), keys,
                                                  std::forward<A>(a)...);
}

template <class R, class... A>
R signature_code<R(A...)>::select_backend(A... a, key_set keys, const kernel* k)
  requires topbit::detail::signature_selects_backend<R(A...)>
{
  key_set chosen = keys - key_set(key::BackendSelect);
  ((chosen = chosen | topbit::detail::backend_keys_in(a)), ...);
  return topbit::detail::caller<R(A...)>::select(k->owner, chosen, std::forward<A>(a)...);
}

template <class R, class... A>
R signature_code<R(A...)>::trace(A... a, key_set keys, const kernel* k) {
  using call = topbit::detail::caller<R(A...)>;
  const topbit::detail::selected_kernel& w = topbit::detail::selected_kernel_at(k, keys);
  if (!topbit::detail::this_thread_is_observed()) return call::jump(w.record, keys, std::forward<A>(a)...);
  topbit::detail::observed_call seen(w, keys,
                                     key_set::from_raw((std::uint64_t{0} | ... | topbit::detail::keys_in(a).raw())));
  if (seen.wants_arguments()) topbit::detail::show_arguments<A...>(seen, a...);
  if constexpr (std::is_void_v<R>) {
    call::jump(w.record, keys, std::forward<A>(a)...);
    seen.returned();
  } else {
    R result = call::jump(w.record, keys, std::forward<A>(a)...);
    if (seen.wants_results())
      topbit::detail::show_result(seen, result);
    else
      seen.returned();
    return result;
  }
}

}  // namespace author

}  // namespace topbit
