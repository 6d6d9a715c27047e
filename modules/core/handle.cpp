module topbit.core;

import topbit.std;

namespace topbit {

using detail::entry_of;

std::string_view operator_handle::name() const noexcept { return entry_of(*entry_).name; }
std::string_view operator_handle::schema() const { return entry_of(*entry_).schema_of().text(); }
std::string_view operator_handle::signature() const noexcept { return entry_of(*entry_).signature->name; }
std::size_t operator_handle::argument_count() const noexcept { return entry_of(*entry_).signature->arguments; }
std::size_t operator_handle::result_count() const noexcept { return entry_of(*entry_).signature->results; }
bool operator_handle::is_defined() const { return entry_of(*entry_).defined.load(std::memory_order_acquire); }

std::vector<kernel_record> operator_handle::kernels() const {
  const detail::entry& e = entry_of(*entry_);
  const std::lock_guard lock(e.home->mutex);
  std::vector<kernel_record> records;
  for (const detail::live_registration& r : e.registrations) {
    records.push_back({r.target, r.impl->kind == detail::kernel_kind::boxed,
                       r.impl->kind == detail::kernel_kind::fallthrough, r.file, r.line});
  }
  return records;
}

bool detail::has_signature(const operator_handle& h, std::string_view identity) noexcept {
  return entry_of(h.entry()).signature->identity == identity;
}

void operator_handle::call_boxed(stack& s) const {
  const std::size_t arguments = std::min(argument_count(), s.size());  // too few are found out below
  const detail::thread_keys& thread = detail::this_thread_keys;
  std::uint64_t brought = thread.include | entry_->always.load(std::memory_order_relaxed);
  for (const value& v : s.top(arguments)) brought |= v.keys().raw();
  redispatch_boxed(key_set::from_raw(brought & thread.keep), s);
}

namespace {

void run_boxed(const operator_handle& op, const detail::kernel* k, key_set keys, stack& s) {
  const std::size_t arguments = op.argument_count(), results = op.result_count();
  if (s.size() < arguments) detail::raise_too_few(op, arguments, s.size());
  const std::size_t below = s.size() - arguments;
  // A kernel with a typed front checks what it unboxes; for one without, nobody else would.
  const bool unchecked = k->kind == detail::kernel_kind::adapter;
  const detail::signature_info& signature = *entry_of(op.entry()).signature;
  if (unchecked) signature.check_arguments(op, s.top(arguments));
  k->boxed(k, op, keys, s);
  if (s.size() != below + results) {
    detail::raise_result_count(op, results, static_cast<std::ptrdiff_t>(s.size() - below));
  }
  if (unchecked) signature.check_results(op, s.top(results));
}

}  // namespace

void operator_handle::redispatch_boxed(key_set given, stack& s) const {
  const key_set keys = key_set::from_raw(given.raw() & entry_->mask.load(std::memory_order_relaxed));
  run_boxed(*this, entry_->row(keys.row()), keys, s);
}

void operator_handle::call_boxed_at(dispatch_key k, stack& s) const {
  run_boxed(*this, detail::kernel_at(*entry_, k), k, s);
}

}  // namespace topbit
