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

// What a schema promises of an argument or a result, and not every call must keep. Never moved, so that it is counted
// without a lock.
struct promise {
  operator_handle op;
  rule about;
  std::size_t which;
  std::atomic<std::uint64_t> calls{0};
  std::atomic<bool> kept{false};
  promise* next = nullptr;

  bool is_of(const operator_handle& o, rule r, std::size_t w) const { return op == o && about == r && which == w; }
  std::string subject() const {
    return about == rule::writes ? argument_text(*op.parsed_schema(), which) : result_text(which);
  }
};

// The promises of all operators: lists that only grow, and are read while they do.
class promises {
 public:
  promises() = default;
  promises(const promises&) = delete;
  promises& operator=(const promises&) = delete;
  ~promises() {
    for (std::atomic<promise*>& list : lists_) {
      for (promise* p = list.load(); p != nullptr;) delete std::exchange(p, p->next);
    }
  }

  promise& of(const operator_handle& op, rule about, std::size_t which) {
    std::atomic<promise*>& list = lists_[std::hash<const void*>()(op.id()) / alignof(std::max_align_t) % lists_.size()];
    promise* first = list.load(std::memory_order_acquire);
    std::unique_ptr<promise> made;
    for (;;) {
      for (promise* p = first; p != nullptr; p = p->next) {
        if (p->is_of(op, about, which)) return *p;
      }
      if (!made) made.reset(new promise{op, about, which});
      made->next = first;
      if (list.compare_exchange_weak(first, made.get(), std::memory_order_acq_rel)) return *made.release();
    }
  }

  void each(const std::function<void(const promise&)>& visit) const {
    for (const std::atomic<promise*>& list : lists_) {
      for (const promise* p = list.load(std::memory_order_acquire); p != nullptr; p = p->next) visit(*p);
    }
  }

 private:
  std::array<std::atomic<promise*>, 256> lists_{};
};

// Which kernel of a backend, which does the work, such a key set selects, and where it was registered.
std::string kernel_of(const operator_handle& op, key_set keys) {
  const inspect::table_row row = inspect::computed_row(op, (keys & below(key::BackendSelect)).highest());
  return row.place.line == 0 ? "" : to_string(row.key) + " kernel, registered at " + to_string(row.place);
}

}  // namespace

struct checker::state {
  options chosen;
  std::atomic<std::uint64_t> calls{0};
  mutable std::mutex mutex;
  std::vector<finding> findings;
  promises promised;

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
    call.each_promise([&](rule about, std::size_t which, bool kept) {
      promise& p = promised.of(op, about, which);
      if (p.kept.load(std::memory_order_relaxed)) return;  // no hint any more
      p.calls.fetch_add(1, std::memory_order_relaxed);
      if (kept) p.kept.store(true, std::memory_order_relaxed);
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
  state_->promised.each([&](const promise& p) {
    const std::uint64_t times = p.calls.load(std::memory_order_relaxed);
    if (p.kept.load(std::memory_order_relaxed) || times < calls) return;
    const std::string_view what = p.about == rule::writes ? "was not written" : "shared no memory with an argument";
    all.push_back({p.about, std::string(p.op.name()), p.subject(), std::string(what) + ", although the schema says so",
                   "", times});
  });
  std::ranges::sort(all, {}, [](const finding& f) { return std::tie(f.op, f.broken, f.subject); });
  return all;
}

std::uint64_t checker::calls() const noexcept { return state_->calls.load(std::memory_order_relaxed); }

}  // namespace topbit::contracts
