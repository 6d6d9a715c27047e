module topbit.core;

import topbit.std;
import :observe.listener;
import :registry.entry;

namespace topbit {

std::int64_t observe::clock_ns() noexcept {
  detail::start_clock();
  return detail::nanoseconds_at(detail::clock_ticks());
}

std::string_view observe::event::name() const noexcept {
  return is_call() ? std::string_view(detail::entry_of(*seen_->ran->op).name) : seen_->name;
}

inspect::table_row observe::event::kernel() const { return detail::row_of(*seen_->ran, keys()); }

std::int64_t observe::event::start_ns() const noexcept { return detail::nanoseconds_at(seen_->begin); }
std::int64_t observe::event::duration_ns() const noexcept { return detail::nanoseconds_at(seen_->end) - start_ns(); }

inspect::table_row detail::row_of(const selected_kernel& w, key_set keys) {
  return {author::key_of_row(keys.row()), w.why, false, w.registered_for, {w.file, w.line},
          std::string(note_of(w.record))};
}

std::string_view name_of(observe::kind k) noexcept {
  constexpr std::array<std::string_view, 5> names{"call", "redispatch", "range", "backward", "optimizer"};
  return names[static_cast<std::size_t>(k)];
}

}  // namespace topbit
