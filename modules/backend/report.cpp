module;

#include <stdlib.h>

module topbit.backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :report;

namespace topbit {

namespace {

struct pattern_policy {
  backend which;
  std::string pattern;
  backends::fallback_policy policy;
};

struct account {
  account() { author::hold_at_fork(mutex, author::fork_order::calling); }

  std::mutex mutex;
  std::vector<backend> backends;
  std::vector<pattern_policy> patterns;  // the latest last
  std::vector<backends::fallback_row> rows;
  // By backend, and by the addresses of operator's name, entry and reason, which are the same for the same call.
  std::map<std::tuple<backend, const char*, const char*, const char*>, std::size_t> row_of;
  std::vector<std::pair<backend, std::string>> warned;
};
account& all() {
  static account& a = *new account;  // never destroyed: calls may come after static destruction
  return a;
}

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

std::optional<backends::fallback_policy> policy_of_environment() {
  static const std::optional<backends::fallback_policy> asked = [] {
    const char* const given = secure_getenv("TOPBIT_FALLBACK");
    std::optional<backends::fallback_policy> found;
    if (given == nullptr) return found;
    using enum backends::fallback_policy;
    for (const backends::fallback_policy p : {allow, warn, refuse}) {
      if (name_of(p) == given) found = p;
    }
    if (!found.has_value()) author::warn({"TOPBIT_FALLBACK: found '", given, "', wanted allow, warn or refuse"});
    return found;
  }();
  return asked;
}

std::string lacking(const detail::host_work& w) {
  const std::string name(name_of(w.which));
  if (w.entry.empty()) return "found no kernel for " + name;
  const std::string entry = "entry " + std::string(w.entry) + " of the kernels of " + name;
  if (w.reason == "no entry") return "found no " + entry;
  return "found no " + std::string(w.reason == "no code" ? "such operation" : "such dtype") + " in " + entry;
}

}  // namespace

std::string_view backends::name_of(fallback_policy p) noexcept {
  constexpr std::array<std::string_view, 3> names{"allow", "warn", "refuse"};
  return names[static_cast<std::size_t>(p)];
}

void detail::admit(backend b) {
  const std::lock_guard lock(all().mutex);
  all().backends.push_back(b);
}

void detail::ask_policy(const host_work& w, backends::fallback_policy usual) {
  using enum backends::fallback_policy;
  account& a = all();
  const std::lock_guard lock(a.mutex);
  for (const pattern_policy& r : a.patterns) {
    if (r.which == w.which && matches(r.pattern, w.op)) usual = r.policy;
  }
  usual = policy_of_environment().value_or(usual);
  if (usual == allow) return;
  if (usual == warn) {
    std::pair<backend, std::string> this_one(w.which, w.op);
    if (std::ranges::find(a.warned, this_one) != a.warned.end()) return;
    a.warned.push_back(std::move(this_one));
    return author::warn({w.op, ": ", lacking(w), ", so it runs on the host"});
  }
  throw no_kernel(std::string(w.op) + ": " + lacking(w) +
                      ", and running on the host is refused; add the kernel, or allow it with set_fallback_policy() or "
                      "TOPBIT_FALLBACK=allow",
                  std::string(w.op), key_of(w.which));
}

void detail::account_for(const host_work& w, std::uint64_t bytes_out, std::uint64_t bytes_in,
                         std::int64_t nanoseconds) {
  account& a = all();
  const std::lock_guard lock(a.mutex);
  const auto [at, is_new] =
      a.row_of.try_emplace({w.which, w.op.data(), w.entry.data(), w.reason.data()}, a.rows.size());
  if (is_new || a.rows[at->second].op != w.op) {  // a name may be where that of an unloaded plugin was
    at->second = a.rows.size();
    a.rows.push_back({w.which, std::string(w.op), std::string(w.entry), std::string(w.reason)});
  }
  backends::fallback_row* const row = &a.rows[at->second];
  ++row->calls;
  row->bytes_out += bytes_out;
  row->bytes_in += bytes_in;
  row->nanoseconds += nanoseconds;
}

void backends::set_fallback_policy(backend b, fallback_policy p, std::string_view pattern) {
  account& a = all();
  const std::lock_guard lock(a.mutex);
  if (std::ranges::find(a.backends, b) == a.backends.end()) {
    throw bad_argument("set_fallback_policy: found " + std::string(topbit::name_of(b)) +
                       ", wanted a backend that register_backend() made");
  }
  std::erase_if(a.patterns, [&](const pattern_policy& r) { return r.which == b && r.pattern == pattern; });
  a.patterns.push_back({b, std::string(pattern), p});
}

std::vector<backends::fallback_row> backends::fallback_report() {
  account& a = all();
  const std::lock_guard lock(a.mutex);
  std::vector<fallback_row> rows = a.rows;
  std::ranges::stable_sort(rows, [](const auto& x, const auto& y) { return x.nanoseconds > y.nanoseconds; });
  return rows;
}

void backends::reset_fallback_report() {
  account& a = all();
  const std::lock_guard lock(a.mutex);
  a.rows.clear();
  a.row_of.clear();
}

std::string backends::to_string(std::span<const fallback_row> rows) {
  std::vector<std::vector<std::string>> lines{
      {"backend", "operator", "entry", "reason", "calls", "bytes out", "bytes in", "us"}};
  for (const fallback_row& r : rows) {
    lines.push_back({std::string(topbit::name_of(r.which)), r.op, r.entry.empty() ? "-" : r.entry, r.reason,
                     std::to_string(r.calls), std::to_string(r.bytes_out), std::to_string(r.bytes_in),
                     std::to_string(r.nanoseconds / 1000)});
  }
  return author::table_text(lines, 4);
}

}  // namespace topbit
