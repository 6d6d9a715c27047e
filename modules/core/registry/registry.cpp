module topbit.core;

import topbit.std;
import :plugin.image_marks;
import :registry.fork;
import :registry.recording;
import :trace.trace_session;

namespace topbit {

namespace detail {
// Defined here, since every core links this object file. Notes of one alignment share a segment, and lld puts this one,
// which is written, into that of the constant ones, where its bytes are at another address.
extern "C" {
alignas(8) [[gnu::section(".note.topbit.core"), clang::no_sanitize("address")]] constinit core_note topbit_the_core;
}
}  // namespace detail

using detail::entry;
using detail::entry_of;
using detail::request;
using detail::request_kind;

registration::registration(registration&& other) noexcept
    : registry_(std::exchange(other.registry_, nullptr)), entry_(other.entry_), id_(other.id_) {}

registration& registration::operator=(registration&& other) noexcept {
  if (this != &other) {
    reset();
    registry_ = std::exchange(other.registry_, nullptr);
    entry_ = other.entry_;
    id_ = other.id_;
  }
  return *this;
}

registration::~registration() { reset(); }

void registration::reset() noexcept {
  if (registry* r = std::exchange(registry_, nullptr)) r->withdraw(entry_, id_);
}

void registration::keep() noexcept { registry_ = nullptr; }

registry::registry() : state_(std::make_unique<detail::registry_state>()) {}
registry::~registry() = default;

registry& registry::process() noexcept {
  static registry& r = []() -> registry& {
    registry& made = *new registry;
    detail::topbit_the_core.has_registry = 1;
    detail::report_other_registries();
    detail::survive_forks(*made.state_);
    detail::start_environment_trace(*made.state_);
    detail::overrides_are();  // warns at startup if TOPBIT_STRICT is invalid
    return made;
  }();
  return r;
}

std::optional<operator_handle> registry::try_find(std::string_view name) noexcept {
  for (entry* e = state_->names.find(name); e != nullptr; e = e->next_of_name.load(std::memory_order_acquire)) {
    if (e->defined.load(std::memory_order_acquire)) return detail::handle_access::of(*e);
  }
  return std::nullopt;
}

operator_handle registry::find(std::string_view name) {
  if (const auto found = try_find(name)) return *found;
  const std::string wanted(name);
  const std::lock_guard lock(state_->mutex);
  for (const entry* e = state_->names.find(name); e != nullptr; e = e->next_of_name.load(std::memory_order_acquire)) {
    if (e->registrations.empty()) continue;
    throw unknown_operator(wanted + ": an implementation was found, at " + e->registrations.back().place() +
                               ", but no definition; was the object that defines it linked?",
                           wanted);
  }
  const std::string near = state_->nearest(name);
  throw unknown_operator((wanted.empty() ? "''" : wanted) + ": no operator of this name is registered" +
                             (this == &process() ? detail::where_else_to_look() : std::string()) +
                             (near.empty() ? std::string() : "; the nearest name is " + near),
                         wanted);
}

std::optional<operator_handle> registry::find_implemented(std::string_view name) const {
  const std::lock_guard lock(state_->mutex);
  entry* e = state_->live(name);
  return e == nullptr ? std::nullopt : std::optional(detail::handle_access::of(*e));
}

std::vector<std::string> registry::operators() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> names;
  for (const auto& e : state_->entries) {
    if (!e->definitions.empty()) names.emplace_back(e->name);
  }
  std::ranges::sort(names);
  return names;
}

namespace {

// An entry runs code of the shared object that created it. Called without the lock: see pin_image_of.
void pin_maker(const detail::operator_info& op) { detail::pin_image_of(op.signature); }

}  // namespace

detail::entry_head& registry::bind(const detail::operator_info& op) {
  pin_maker(op);
  const std::lock_guard lock(state_->mutex);
  return state_->intern(op);
}

// Interns strings, creates the entry and commits the request under one lock.
registration registry::submit(request r, std::source_location where, const detail::operator_info* op,
                              std::string_view text) {
  detail::recording* held_back = detail::recording::of(*this);
  std::unique_lock lock(state_->mutex);
  r.where = {state_->strings.intern(where.file_name()).data(), where.line()};
  r.text = state_->strings.intern(text);
  if (op != nullptr) r.op = &state_->intern(*op);
  if (r.kind == request_kind::define) r.schema = &r.op->intern(op->schema);
  r.id = state_->next_id++;
  if (held_back != nullptr) {
    r.image = detail::image_of(where.file_name());
    held_back->add(r);
  } else {
    state_->commit({&r, 1});
    state_->tell(lock);
  }
  return {*this, r.op, r.id};
}

// False if the key is a building block, which has no slot; the error is reported.
bool registry::accepts(std::string_view what, key_target target, std::source_location where) {
  if (target.is_alias() || !detail::lacks_backend(target.row)) return true;
  detail::refuse(*this, bad_registration(std::string(what) + ": '" + std::string(name_of(target.row.layer)) + "' at " +
                                         detail::text_of(where) +
                                         " is a building block and has no slot; name a backend, for example " +
                                         to_string(dispatch_key{target.row.layer, backend::CPU})));
  return false;
}

registration registry::define(const detail::operator_info& op, std::source_location where) {
  pin_maker(op);
  return submit({.kind = request_kind::define}, where, &op);
}

registration registry::tag(const detail::operator_info& op, tag_set tags, std::source_location where) {
  pin_maker(op);
  return submit({.kind = request_kind::tag, .tags = tags}, where, &op);
}

registration registry::implement(const detail::operator_info& op, key_target target, const detail::kernel& impl,
                                 std::source_location where, bool replaces) {
  if (!accepts(op.name, target, where)) return {};
  if (target == key_target(key::Undefined)) target = key::CompositeImplicitAutograd;  // no key: catch-all
  pin_maker(op);
  detail::pin_image_of(&impl);
  return submit({.kind = request_kind::implement, .replaces = replaces, .target = target, .impl = &impl}, where, &op);
}

registration registry::fallback(key_target target, const detail::kernel& impl, std::source_location where) {
  if (!accepts("fallback", target, where)) return {};
  if (target == key_target(key::Undefined)) {
    detail::refuse(*this, bad_registration("fallback at " + detail::text_of(where) + ": needs a key, found Undefined"));
    return {};
  }
  detail::pin_image_of(&impl);
  return submit({.kind = request_kind::fallback, .target = target, .impl = &impl}, where);
}

// Moves a function object into the registry, also while its registration is held back. A refused registration
// throws and destroys it.
void registry::own(detail::functor_ptr k) noexcept {
  const std::lock_guard lock(state_->mutex);
  k->next = state_->functors.release();
  state_->functors = std::move(k);
}

namespace {

// Pins the shared object of the function object's type, which may differ from that of its boxed function.
void pin_images_of(const detail::functor_kernel& k) {
  detail::pin_image_of(reinterpret_cast<const void*>(k.boxed));
  detail::pin_image_of(k.state);
}

}  // namespace

registration registry::implement(const detail::operator_info& op, key_target target, detail::functor_ptr impl,
                                 std::source_location where) {
  pin_images_of(*impl);
  registration made = implement(op, target, *impl, where);
  own(std::move(impl));
  return made;
}

registration registry::fallback(key_target target, detail::functor_ptr impl, std::source_location where) {
  pin_images_of(*impl);
  registration made = fallback(target, *impl, where);
  own(std::move(impl));
  return made;
}

registration registry::claim(std::string_view ns, std::source_location where) {
  return submit({.kind = request_kind::claim}, where, nullptr, ns);
}

registration registry::include_always(key_set keys, std::source_location where) {
  return submit({.kind = request_kind::always, .keys = keys}, where);
}

registration registry::listen(std::function<void(const registry_event&)> tell, std::source_location where) {
  detail::pin_image_of(where.file_name());  // an address in the caller's shared object
  return submit({.kind = request_kind::listen, .hears = std::make_shared<const detail::heard>(std::move(tell))}, where);
}

// Names are process-wide, as printing keys uses them.
registration name_backend(backend b, std::string_view name, std::source_location where) {
  return registry::process().submit({.kind = request_kind::backend_name, .named = b}, where, nullptr, name);
}

void registry::withdraw(detail::entry_head* head, std::uint64_t id) noexcept {
  if (const auto held_back = detail::recording::forget(*this, id)) return detail::end_object_of(held_back->impl);
  detail::registry_state::ended ended;
  {
    std::unique_lock lock(state_->mutex);
    ended = state_->withdraw(head == nullptr ? nullptr : &entry_of(*head), id);
    state_->heard_by.deliver(lock);
  }
  ended.settle();
}

}  // namespace topbit
