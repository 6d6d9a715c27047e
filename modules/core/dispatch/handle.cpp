module topbit.core;

import topbit.std;
import :registry.registry_state;

namespace topbit {

using detail::entry_of;

std::string_view operator_handle::name() const noexcept { return entry_of(*entry_).name; }
std::string_view operator_handle::schema() const { return entry_of(*entry_).schema_of().text(); }
const author::schema_view* operator_handle::parsed_schema() const {
  const topbit::schema* s = entry_of(*entry_).schema_of().parsed();
  return s == nullptr ? nullptr : &s->view();
}
tag_set operator_handle::tags() const { return entry_of(*entry_).all_tags(); }
std::string_view operator_handle::signature() const noexcept { return entry_of(*entry_).signature->name(); }
std::size_t operator_handle::argument_count() const noexcept { return entry_of(*entry_).signature->arguments; }
std::string operator_handle::argument_label(std::size_t index) const { return entry_of(*entry_).argument_label(index); }
std::size_t operator_handle::result_count() const noexcept { return entry_of(*entry_).signature->results; }
bool operator_handle::is_defined() const { return entry_of(*entry_).defined.load(std::memory_order_acquire); }

std::vector<inspect::kernel_record> operator_handle::kernels() const {
  const detail::entry& e = entry_of(*entry_);
  const std::lock_guard lock(e.home->mutex);
  std::vector<inspect::kernel_record> records;
  for (const detail::live_registration& r : e.registrations) {
    records.push_back({r.target, r.impl->kind == detail::kernel_kind::boxed,
                       r.impl->kind == detail::kernel_kind::fallthrough, r.file, r.line});
  }
  return records;
}

bool detail::has_signature(const operator_handle& h, const signature_info& wanted) {
  entry& e = entry_of(handle_access::entry(h));
  if (*e.signature != wanted) return false;
  if (e.lacks_typed_entry()) {
    pin_image_of(&wanted);
    const std::lock_guard lock(e.home->mutex);
    if (e.lacks_typed_entry()) e.adopt(wanted);
  }
  return true;
}

void operator_handle::call_boxed_at(dispatch_key k, boxed_stack& s) const {
  const detail::kernel* found = detail::kernel_at(*entry_, k);
  found->boxed(found, *this, k, s);
}

}  // namespace topbit
