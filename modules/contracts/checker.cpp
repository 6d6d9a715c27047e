module topbit.contracts;

import topbit.std;
import topbit.core;
import topbit.modes;
import :finding;
import :checker;
import :checked_call;
import :seen_call;

namespace topbit::contracts {

namespace {

// How often a promise was kept that not every call must keep.
struct promise {
  rule about;
  std::string op, subject;
  std::uint64_t calls = 0, kept = 0;
};

// Which kernel such a key set selects, and where it was registered.
std::string kernel_of(const operator_handle& op, key_set keys) {
  // That of a backend, which does the work; not the modes of all threads.
  thread_key_state no_modes;
  no_modes.exclude = no_modes.exclude | key::ModesBelow | key::ModesAbove;
  const force_guard by_arguments_alone(no_modes);
  std::vector<key_set> brought(op.argument_count());
  if (!brought.empty()) brought[0] = keys & below(key::BackendSelect);
  const inspect::explanation e = inspect::explain_keys(op, brought);
  for (const inspect::candidate& c : e.candidates) {
    if (c.taken && !c.file.empty())
      return to_string(c.key) + " kernel, registered at " + c.file + ":" + std::to_string(c.line);
  }
  return {};
}

}  // namespace

struct checker::state {
  options chosen;
  std::atomic<std::uint64_t> calls{0};
  mutable std::mutex mutex;
  std::vector<finding> findings;
  std::vector<promise> promises;

  // Adds them, and returns the first new one.
  std::optional<finding> add(const modes::call& c, std::span<const problem> found) {
    std::optional<finding> first;
    for (const problem& p : found) {
      const std::lock_guard lock(mutex);
      const auto known = std::ranges::find_if(findings, [&](const finding& f) {
        return f.broken == p.broken && f.op == c.op().name() && f.subject == p.subject;
      });
      if (known != findings.end()) {
        ++known->times;
        continue;
      }
      findings.push_back({p.broken, std::string(c.op().name()), p.subject, p.text, kernel_of(c.op(), c.keys()), 1});
      if (chosen.prints) author::warn({to_string(findings.back())});
      if (!first) first = findings.back();
    }
    return first;
  }

  void count_promises(const operator_handle& op, const checked_call& call) {
    call.each_promise([&](rule about, std::string subject, bool kept) {
      const std::lock_guard lock(mutex);
      auto known = std::ranges::find_if(
          promises, [&](const promise& p) { return p.about == about && p.op == op.name() && p.subject == subject; });
      if (known == promises.end()) {
        promises.push_back({about, std::string(op.name()), std::move(subject)});
        known = promises.end() - 1;
      }
      ++known->calls;
      known->kept += kept ? 1 : 0;
    });
  }
};

checker::checker(options o) : state_(std::make_unique<state>()) { state_->chosen = o; }
checker::~checker() = default;

void checker::operator()(modes::call& c) {
  if (is_repeating() || c.op().parsed_schema() == nullptr) return c.proceed();
  checked_call checked(c, state_->chosen);
  try {
    checked.run();
  } catch (...) {
    state_->add(c, checked.found());
    throw;
  }
  state_->calls.fetch_add(1, std::memory_order_relaxed);
  state_->count_promises(c.op(), checked);
  const std::optional<finding> first = state_->add(c, checked.found());
  if (first && state_->chosen.raises) throw contract_error(*first);
}

std::vector<finding> checker::findings() const {
  const std::lock_guard lock(state_->mutex);
  return state_->findings;
}

std::vector<finding> checker::hints(std::uint64_t calls) const {
  std::vector<finding> all;
  const std::lock_guard lock(state_->mutex);
  for (const promise& p : state_->promises) {
    if (p.kept != 0 || p.calls < calls) continue;
    const std::string_view what = p.about == rule::writes ? "was not written" : "shared no memory with an argument";
    all.push_back({p.about, p.op, p.subject, std::string(what) + ", although the schema says so", "", p.calls});
  }
  return all;
}

std::uint64_t checker::calls() const noexcept { return state_->calls.load(std::memory_order_relaxed); }

}  // namespace topbit::contracts
