module topbit.core;

import topbit.std;
import :registry.registry_state;

namespace topbit::detail {

schema_record::~schema_record() { delete parts_.load(std::memory_order_relaxed); }

std::string_view schema_record::text() const { return made().text; }
const schema* schema_record::parsed() const {
  const parts& p = made();
  return p.parsed ? &*p.parsed : nullptr;
}

// Threads may race to create the parts: the first one wins, the others discard theirs.
const schema_record::parts& schema_record::made() const {
  if (const parts* there = parts_.load(std::memory_order_acquire)) return *there;
  auto mine = std::make_unique<parts>();
  if (given_.empty()) {
    mine->text = infer_schema(op_->name, op_->signature->types);
  } else {
    mine->parsed.emplace(given_);
    mine->text = to_string(mine->parsed->view());
  }
  const parts* first = nullptr;
  if (parts_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel)) return *mine.release();
  return *first;
}

entry::entry(const operator_info& op, const signature_info& of_op, registry_state& registry)
    : entry_head(nullptr, of_op.call_boxed),
      name(registry.strings.copy(op.name)),
      signature(&of_op),
      made_from(as_text_signature(&of_op)),
      home(&registry),
      schema_now(&first_schema_),
      raiser_(make(kernel_kind::raise)),
      skip_(make(kernel_kind::skip)),
      first_schema_(*this, registry.strings.copy(op.schema)) {
  // The typed entry point is that of an adapter, which runs the boxed one of its `state`.
  raiser_->boxed = &raise_no_kernel;
  raiser_->state = raiser_.get();
  skip_->boxed = [](const kernel*, const operator_handle& handle, key_set keys, boxed_stack& s) {
    handle.redispatch_boxed(keys.below_highest(), s);
  };
  if (signature->selects_backend) {
    selector_ = make(kernel_kind::backend_select);
    generated_ = std::make_unique<live_registration>(
        live_registration{0, selector_.get(), "(from the signature)", 0, key::BackendSelect, false});
  }
  for (const auto& fallback : registry.fallback_registrations) prepare(*fallback->impl);
  for (std::atomic<const kernel*>& slot : more_slots) slot.store(raiser_.get(), std::memory_order_relaxed);
  slot0.store(raiser_.get(), std::memory_order_relaxed);
  mask.store(~std::uint64_t{0}, std::memory_order_relaxed);
  if (home->traced) follow_trace();
}

entry::~entry() {
  for (schema_record* s = first_schema_.next; s != nullptr;) delete std::exchange(s, s->next);
}

const schema_record& entry::intern(std::string_view schema_text) {
  schema_record* last = &first_schema_;
  for (schema_record* s = last; s != nullptr; s = s->next) {
    if (s->given() == schema_text) return *s;
    last = s;
  }
  last->next = new schema_record(*this, home->strings.copy(schema_text));
  return *last->next;
}

std::string entry::argument_label(std::size_t index) const {
  std::string text = "argument " + std::to_string(index + 1);
  const schema* s = schema_of().parsed();
  if (s != nullptr && index < s->view().arguments.size()) {
    text += " '" + std::string(s->view().arguments[index].name) + "'";
  }
  return text;
}

std::string entry::origin() const {
  if (!definitions.empty()) return "defined at " + definitions.front().where.text();
  if (registrations.empty()) return {};
  return "implemented for " + to_string(registrations.front().target) + " at " + registrations.front().place();
}

record_ptr entry::make(kernel_kind kind) {
  record_ptr k(signature->make(kind));
  k->owner = this;
  return k;
}

// No typed handle existed before, so no call reads what is written here. If an allocation fails, the next call repeats
// it.
void entry::adopt(const signature_info& typed) {
  const auto give_entry_point = [&](kernel* k) {
    if (k == nullptr) return;
    const record_ptr made(typed.make(k->kind));
    using record = typed_kernel<void()>;  // one layout for all signatures
    std::memcpy(&static_cast<record*>(k)->unboxed, &static_cast<record*>(made.get())->unboxed, sizeof(record::unboxed));
  };
  for (kernel* k : {raiser_.get(), skip_.get(), selector_.get(), tracer()}) give_entry_point(k);
  for (const record_ptr& k : adapters_) give_entry_point(k.get());
  signature.set(typed);
}

void entry::prepare(const kernel& impl) {
  if (impl.kind != kernel_kind::boxed) return;
  const auto at = place_of_adapter(impl);
  if (at != adapters_.end() && (*at)->state == &impl) return;
  if (signature->result_aliases) schema_of().parsed();  // boxed calls need the parsed schema and must not allocate it
  record_ptr k = make(kernel_kind::adapter);
  k->state = &impl;
  adapters_.insert(at, std::move(k));
}

void entry::prepare(const schema_record& s) const {
  if (signature->result_aliases && !adapters_.empty()) s.parsed();
}

std::vector<record_ptr>::const_iterator entry::place_of_adapter(const kernel& impl) const noexcept {
  const void* wanted = &impl;
  return std::ranges::lower_bound(adapters_, wanted, std::less<>(), [](const record_ptr& k) { return k->state; });
}

const kernel* entry::record_of(unsigned slot, const slot_choice<live_registration>& choice) const noexcept {
  if (slot != 0 && passes_through(choice)) return skip_.get();
  if (choice.from == nullptr || choice.from->impl->kind == kernel_kind::fallthrough) return raiser_.get();
  return front_of(*choice.from->impl);
}

const kernel* entry::front_of(const kernel& impl) const noexcept {
  if (impl.kind != kernel_kind::boxed) return &impl;
  const auto at = place_of_adapter(impl);
  return at != adapters_.end() && (*at)->state == &impl ? at->get() : raiser_.get();  // prepare() ran before
}

// Unchanged slots are not written, so that the cache line stays shared between processors.
void entry::store(unsigned slot, const slot_choice<live_registration>& choice) noexcept {
  const kernel* k = record_of(slot, choice);
  if (home->traced) k = traced(slot, choice, k);
  if (stored(slot) != k) (&slot0)[slot].store(k, std::memory_order_release);
}

void entry::refresh(const slot_set& slots) noexcept {
  if (!reachable_) return;
  const live_kernels live(*this);
  slots.for_each([&](unsigned slot) { store(slot, choose_for_slot(live, slot, [](auto&&...) {})); });
  refresh_words(slots);
}

void entry::refresh_words(const slot_set& slots) noexcept {
  functionality done = functionality::undefined;
  slots.for_each([&](unsigned slot) {
    const functionality layer = author::key_of_row(slot).layer;
    if (layer == done) return;  // slots of one functionality are consecutive
    done = layer;
    const unsigned first = slot_index(building_block{layer});
    bool seen = false;
    for (unsigned b = author::per_backend(layer) ? 1 : 0;
         !seen && b <= (author::per_backend(layer) ? author::backend_count : 0); ++b) {
      seen = stored(first + b) != skip_.get();
    }
    const std::uint64_t bit = key_set(building_block{layer}).raw();
    seen_ = seen ? seen_ | bit : seen_ & ~bit;
  });
  const kernel* select = behind(slot_index(key::BackendSelect));
  const bool selects = select != skip_.get() && select != raiser_.get();
  const key_set layers = home->always_included | (selects ? key_set(key::BackendSelect) : key_set());
  mask.store(~functionality_bits | seen_, std::memory_order_release);
  always.store(layers.raw(), std::memory_order_release);
}

tag_set entry::all_tags() const {
  const schema* const s = schema_of().parsed();
  return tags_now.load(std::memory_order_acquire) | (s == nullptr ? tag_set() : author::derived_tags(s->view()));
}

bool entry::follow_definitions() noexcept {
  const bool now = !definitions.empty();
  if (now) schema_now.store(definitions.front().schema, std::memory_order_release);
  if (now == reachable_) return false;
  was_defined = true;
  // When defining, slots are filled before the flag is set; when undefining, the flag is cleared before the slots.
  if (now) {
    slot_set slots = home->slots_of_every_operator();
    for (const live_registration& r : registrations) slots |= slots_changed_by(r.target);
    reachable_ = true;
    refresh(slots);
    defined.store(true, std::memory_order_release);
  } else {
    defined.store(false, std::memory_order_release);
    reachable_ = false;
    for (unsigned slot = 0; slot < author::row_count; ++slot) store(slot, {});
    seen_ = functionality_bits;
    mask.store(~std::uint64_t{0}, std::memory_order_release);
    always.store(0, std::memory_order_release);
  }
  return true;
}

live_kernels::live_kernels(const entry& e) noexcept : entry_(&e), fallbacks_(&e.home->fallbacks) {
  if (e.generated() != nullptr) direct_slots_.add(slot_index(key::BackendSelect));
  for (const live_registration& r : e.registrations) {
    if (r.target.is_alias())
      alias_[r.target.alias] = &r;
    else
      direct_slots_.add(slot_index(r.target.row));
  }
}

const live_registration* live_kernels::newest(unsigned slot) const noexcept {
  const key_target wanted = author::key_of_row(slot);
  for (std::size_t i = entry_->registrations.size(); i-- != 0;) {
    if (entry_->registrations[i].target == wanted) return &entry_->registrations[i];
  }
  return entry_->generated();
}

bool passes_through(const slot_choice<live_registration>& choice) noexcept {
  if (choice.why == inspect::row_reason::transparent) return true;
  return choice.from != nullptr && choice.from->impl->kind == kernel_kind::fallthrough;
}

}  // namespace topbit::detail
