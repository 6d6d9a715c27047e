module topbit.core;

import topbit.std;

namespace topbit::detail {

schema_record::schema_record(const operator_info& op) : text(op.schema) {
  if (!op.has_schema) return;  // C++ types, some of which would parse as something else
  parsed.emplace(text);
  text = to_string(parsed->view());
}

entry::entry(const operator_info& op, registry_state& registry)
    : entry_head(nullptr),
      name(op.name),
      signature_name(op.signature->name),
      signature_identity(op.signature->identity),
      signature(op.signature),
      home(&registry) {
  schema_now.store(&intern(op), std::memory_order_relaxed);
  raiser_ = make(kernel_kind::raise);
  if (signature->selects_backend) {
    selector_ = std::make_unique<live_registration>(
        live_registration{0, key::BackendSelect, make(kernel_kind::backend_select), "(from the signature)", 0});
  }
  mask.store(~std::uint64_t{0}, std::memory_order_relaxed);
  for (unsigned row = 0; row < row_count; ++row) store_row(row, raiser_);
}

entry::~entry() {
  for (kernel* k : records_) ::operator delete(k);
}

const schema_record& entry::intern(const operator_info& op) {
  auto fresh = std::make_unique<schema_record>(op);
  for (const auto& s : schemas_) {
    if (s->text == fresh->text) return *s;
  }
  return *schemas_.emplace_back(std::move(fresh));
}

std::string entry::argument_label(std::size_t index) const {
  std::string text = "argument " + std::to_string(index + 1);
  const schema_record& s = schema_of();
  if (s.parsed && index < s.parsed->view().arguments.size()) {
    text += " '" + std::string(s.parsed->view().arguments[index].name) + "'";
  }
  return text;
}

kernel* entry::make(kernel_kind kind) {
  kernel* k = signature->make(kind);
  k->owner = this;
  records_.push_back(k);
  return k;
}

const kernel* entry::skip_of(functionality f) {
  for (const kernel* k : records_) {
    if (k->kind == kernel_kind::skip && k->skipped == f) return k;
  }
  kernel* k = make(kernel_kind::skip);
  k->skipped = f;
  k->boxed = [](const kernel* self, const operator_handle& op, key_set keys, stack& s) {
    op.redispatch_boxed(keys - key_set(building_block{self->skipped}), s);
  };
  return k;
}

const kernel* entry::adapter_of(const kernel* boxed) {
  for (const kernel* k : records_) {
    if (k->kind == kernel_kind::adapter && k->state == boxed) return k;
  }
  kernel* k = make(kernel_kind::adapter);
  k->state = boxed;
  k->boxed = [](const kernel* self, const operator_handle& op, key_set keys, stack& s) {
    const auto* target = static_cast<const kernel*>(self->state);
    target->boxed(target, op, keys, s);
  };
  return k;
}

live_kernels::live_kernels(const entry& e, const fallback_table& fallbacks) noexcept : fallbacks_(fallbacks) {
  if (const live_registration* r = e.generated()) direct_[row_of(key::BackendSelect)] = r;
  for (const live_registration& r : e.registrations) {
    if (r.target.is_alias())
      alias_[r.target.alias] = &r;
    else
      direct_[row_of(r.target.row)] = &r;
  }
}

bool passes_through(const row_choice<live_registration>& choice) noexcept {
  if (choice.why == row_reason::transparent) return true;
  return choice.from != nullptr && choice.from->impl->kind == kernel_kind::fallthrough;
}

void publish(entry& e, const live_kernels::fallback_table& fallbacks) {
  const live_kernels live(e, fallbacks);
  const bool defined = !e.definitions.empty();
  std::uint64_t seen = 0;  // functionalities that some backend does not pass through
  bool selects = false;
  for (unsigned row = 0; row < row_count; ++row) {
    const dispatch_key k = key_of_row(row);
    const kernel* record = e.raiser();
    if (defined) {
      const auto choice = row_value(live, row, [](auto&&...) {});
      if (row != 0 && passes_through(choice)) {
        record = e.skip_of(k.layer);
      } else if (choice.from != nullptr && choice.from->impl->kind != kernel_kind::fallthrough) {
        const kernel* impl = choice.from->impl;
        record = impl->kind == kernel_kind::boxed ? e.adapter_of(impl) : impl;
        selects |= k == key::BackendSelect;
      }
    }
    const bool no_backend = per_backend(k.layer) && k.device == backend::none;
    if (row != 0 && !no_backend && record->kind != kernel_kind::skip) seen |= key_set(building_block{k.layer}).raw();
    e.store_row(row, record);
  }
  const std::uint64_t layers = defined ? seen : functionality_bits;
  e.mask.store(~functionality_bits | layers, std::memory_order_release);
  e.always.store(selects ? key_set(key::BackendSelect).raw() : 0, std::memory_order_release);
  e.defined.store(defined, std::memory_order_release);
}

}  // namespace topbit::detail
