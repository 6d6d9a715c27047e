module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :inspect.wording;

namespace topbit {

using detail::known_kernel;

namespace {

// The current registrations with the suppositions applied.
class supposed_world {
 public:
  explicit supposed_world(detail::snapshot now) : now_(std::move(now)) {}

  void apply(inspect::supposition s) {
    using enum inspect::supposition::kind;
    check(s);
    s.key = detail::as_registered(s.key);
    switch (s.what) {
      case kernel: return add(s.key, inspect::kernel_form::typed);
      case fallthrough: return add(s.key, inspect::kernel_form::fallthrough);
      case no_kernel: return remove(s);
      case fallback: return add_fallback(s);
      case no_fallback: return remove_fallback(s);
    }
  }

  std::array<inspect::table_row, author::row_count> rows() const {
    const detail::known_live live(now_.op.kernels, now_.fallbacks);
    std::array<inspect::table_row, author::row_count> all;
    for (unsigned slot = 0; slot < author::row_count; ++slot)
      all[slot] = detail::row_at(live, author::key_of_row(slot));
    return all;
  }

 private:
  [[noreturn]] void refuse(const inspect::supposition& s, const std::string& why) const {
    const std::string name = now_.op.name.empty() ? "what_if" : now_.op.name;
    throw bad_registration(name + ": supposing " + to_string(s) + ": " + why, now_.op.name);
  }
  void check(const inspect::supposition& s) const {
    if (!s.key.is_alias() && detail::lacks_backend(s.key.row)) {
      refuse(s, "a building block has no slot; name a backend, for example " +
                    to_string(dispatch_key{s.key.row.layer, backend::CPU}));
    }
    const bool fallback =
        s.what == inspect::supposition::kind::fallback || s.what == inspect::supposition::kind::no_fallback;
    if (fallback && s.key == key_target(key::Undefined)) refuse(s, "a fallback needs a key");
  }

  void add(key_target key, inspect::kernel_form form) { now_.op.kernels.push_back({key, form, supposed, nullptr}); }

  void remove(const inspect::supposition& s) {
    std::vector<known_kernel>& all = now_.op.kernels;
    for (std::size_t i = all.size(); i > 0; --i) {
      if (all[i - 1].key != s.key || all[i - 1].form == inspect::kernel_form::generated) continue;
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i - 1));
      return;
    }
    refuse(s, "nothing is registered for it");
  }

  void add_fallback(const inspect::supposition& s) {
    const detail::slot_set slots = detail::slots_of_fallback(s.key);
    slots.for_each([&](unsigned slot) {
      if (now_.fallbacks.of_slot[slot] == 0) return;
      const auto& there = now_.fallbacks.kernels[static_cast<std::size_t>(now_.fallbacks.of_slot[slot] - 1)];
      refuse(s, to_string(author::key_of_row(slot)) + " has one" + detail::registered_text(there.place));
    });
    now_.fallbacks.kernels.push_back({s.key, inspect::kernel_form::boxed, supposed, nullptr});
    const auto number = static_cast<std::int32_t>(now_.fallbacks.kernels.size());
    slots.for_each([&](unsigned slot) { now_.fallbacks.of_slot[slot] = number; });
  }
  void remove_fallback(const inspect::supposition& s) {
    bool found = false;
    detail::slots_of_fallback(s.key).for_each(
        [&](unsigned slot) { found |= std::exchange(now_.fallbacks.of_slot[slot], 0) != 0; });
    if (!found) refuse(s, "nothing is registered for it");
  }

  static inline const inspect::source_location supposed{"(supposed)", 0};
  detail::snapshot now_;
};

inspect::what_if_result compare(detail::snapshot now, std::span<const inspect::supposition> suppositions) {
  inspect::what_if_result out;
  out.op = now.op.name;
  out.suppositions.assign(suppositions.begin(), suppositions.end());
  supposed_world world(std::move(now));
  const auto before = world.rows();
  for (const inspect::supposition& s : suppositions) world.apply(s);
  const auto after = world.rows();
  for (unsigned slot = 0; slot < author::row_count; ++slot) {
    if (detail::is_usable(after[slot])) out.table.push_back(after[slot]);
    if (before[slot] != after[slot]) out.changed.push_back({before[slot], after[slot]});
  }
  return out;
}

}  // namespace

std::string_view name_of(inspect::supposition::kind k) noexcept {
  using enum inspect::supposition::kind;
  switch (k) {
    case kernel: return "kernel";
    case fallthrough: return "fallthrough";
    case fallback: return "fallback";
    case no_kernel: return "no kernel";
    case no_fallback: return "no fallback";
  }
  return "unknown";
}

std::string to_string(const inspect::supposition& s) {
  return std::string(name_of(s.what)) + " for " + to_string(detail::as_registered(s.key));
}

inspect::what_if_result what_if(const operator_handle& op, std::span<const inspect::supposition> suppositions) {
  return compare(detail::take_snapshot(op), suppositions);
}

inspect::what_if_result what_if(std::span<const inspect::supposition> suppositions) {
  return compare({}, suppositions);
}

std::string to_string(const inspect::what_if_result& r) {
  std::string text = (r.op.empty() ? "an operator without registrations" : r.op) + "\n";
  for (const inspect::supposition& s : r.suppositions) text += "  suppose   " + to_string(s) + "\n";
  std::vector<detail::keyed_line> lines;
  if (r.op.empty()) {
    for (const inspect::table_row& row : r.table) lines.push_back({row.key, detail::content_of(row)});
    return text + detail::grouped(lines, "  gives     ");
  }
  for (const inspect::changed_row& c : r.changed) {
    lines.push_back({c.to.key, detail::content_of(c.to) + "; now " + detail::content_of(c.from)});
  }
  return text + (lines.empty() ? "  changes   nothing\n" : detail::grouped(lines, "  changes   "));
}

}  // namespace topbit
