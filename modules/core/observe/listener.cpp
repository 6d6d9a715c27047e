module;

#include <math.h>

module topbit.core;

import topbit.std;
import :observe.listener;
import :registry.fork;

namespace topbit::detail {

namespace {

// Who listens to all threads. Never freed: threads may make calls after static destruction.
struct process_wide {
  std::mutex mutex;
  std::vector<std::shared_ptr<call_listener>> listeners;
};
process_wide& of_process() {
  static process_wide& all = *new process_wide;
  return all;
}

constinit std::atomic<unsigned> threads_observed = 0;
constinit std::atomic<std::uint64_t> draws_begun = 0;
constinit std::atomic<unsigned> forks = 0;  // that this process came of
constinit thread_local bool observers_are_gone = false;

std::uint64_t first_tick() noexcept {
  static const std::uint64_t first = clock_ticks();
  return first;
}

}  // namespace

std::int64_t nanoseconds_at(std::uint64_t ticks) noexcept {
  return static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(ticks - first_tick())) *
                                   nanoseconds_per_tick());
}

call_listener::call_listener() noexcept : process_(forks.load(std::memory_order_relaxed)) {}

bool call_listener::is_of_parent() const noexcept { return process_ != forks.load(std::memory_order_relaxed); }

void call_listener::follow_fork() noexcept {
  if (!goes_on_in_child) ended.store(true);
}

// ----------------------------------------------------------------------------------------------------------- threads

thread_observers::~thread_observers() {
  this_thread_observed.observers = nullptr;
  observers_are_gone = true;
  for (const auto& l : all_) l->part->thread_ends();
}

thread_observers& thread_observers::own() {
  thread_local thread_observers mine;
  return mine;
}

thread_observers* thread_observers::of_this_thread() noexcept {
  thread_observed& t = this_thread_observed;
  if (t.observers != nullptr && t.observers->telling_) return nullptr;
  const std::uint64_t changes = observer_changes.load(std::memory_order_acquire);
  if (t.seen != changes) {
    t.seen = changes;
    if (!observers_are_gone) own().follow_changes();
  }
  return t.observers;
}

bool thread_observers::is_telling() noexcept {
  const thread_observers* const mine = this_thread_observed.observers;
  return mine != nullptr && mine->telling_;
}

void thread_observers::follow_changes() noexcept {
  std::erase_if(all_, [](const auto& l) { return l->to->is_over(); });
  {
    process_wide& process = of_process();
    const std::lock_guard lock(process.mutex);
    for (const auto& wanted : process.listeners) {
      const auto is_this = [&](const auto& l) { return l->to == wanted; };
      if (std::ranges::find_if(all_, is_this) != all_.end() || wanted->is_over()) continue;
      try {
        attach(wanted);
      } catch (const std::bad_alloc&) {  // it does not hear of this thread
      }
    }
  }
  publish();
}

void thread_observers::attach(const std::shared_ptr<call_listener>& l) {
  if (number_ == 0) number_ = threads_observed.fetch_add(1, std::memory_order_relaxed) + 1;
  auto fresh = std::make_unique<listening>();
  fresh->to = l;
  fresh->open.grow();  // if that fails, the first event tries again
  // Each observer draws its own calls on each thread.
  fresh->random = (draws_begun.fetch_add(1, std::memory_order_relaxed) + 1) * 0x9E3779B97F4A7C15U;
  all_.reserve(all_.size() + 1);
  fresh->part = l->part_of(number_);
  all_.push_back(std::move(fresh));
}

void thread_observers::attach_this_thread(const std::shared_ptr<call_listener>& l) {
  if (observers_are_gone) return;
  of_this_thread();
  own().attach(l);
  own().publish();
}

void thread_observers::publish() noexcept {
  takes_all_calls_ = true;
  want_arguments_ = want_results_ = false;
  for (const auto& l : all_) {
    takes_all_calls_ &= l->to->wants_calls && l->to->one_in <= 1;
    want_arguments_ |= l->to->wants_arguments;
    want_results_ |= l->to->wants_results;
  }
  this_thread_observed.observers = all_.empty() ? nullptr : this;
}

void thread_observers::follow_fork() noexcept {
  if (this_thread_observed.observers == nullptr) return;
  for (const auto& l : this_thread_observed.observers->all_) l->to->follow_fork();
}

bool thread_observers::open_events::grow() noexcept {
  const std::uint32_t capacity = std::max<std::uint32_t>(64, 2 * capacity_);
  std::unique_ptr<open_event[]> larger(new (std::nothrow) open_event[capacity]);
  if (larger == nullptr) return false;
  std::copy(all_.get(), all_.get() + size_, larger.get());
  all_ = std::move(larger);
  capacity_ = capacity;
  return true;
}

// The number of calls until the next that is drawn has a geometric distribution, so that one draw serves them all.
bool thread_observers::listening::draws() noexcept {
  if (!to->wants_calls) return false;
  if (to->one_in <= 1 || open_calls != 0) return true;
  const auto draw = [&] {
    random ^= random << 13;  // xorshift64
    random ^= random >> 7;
    random ^= random << 17;
    const double u = (static_cast<double>(random >> 11) + 0.5) * 0x1p-53;
    return 1 + static_cast<std::uint64_t>(log(u) / log1p(-1.0 / to->one_in));
  };
  if (until_next == 0) until_next = draw();
  if (--until_next != 0) return false;
  until_next = draw();
  return true;
}

template <class Takes>
bool thread_observers::choose(Takes takes) noexcept {
  bool any = false;
  for (const auto& l : all_) any |= l->takes = takes(*l);
  return any;
}
bool thread_observers::choose_among_calls() noexcept {
  return choose([](listening& l) { return l.draws(); });
}
bool thread_observers::choose_for_range() noexcept {
  return choose([](const listening& l) { return l.to->wants_ranges; });
}

void thread_observers::begin(seen_event& e) noexcept {
  e.number = ++count_;
  e.thread = number_;
  telling_ = true;
  const bool is_call = e.ran != nullptr, all_take = is_call && takes_all_calls_;
  for (std::size_t i = 0, count = all_.size(); i < count; ++i) {
    listening& l = *all_[i];
    if (!all_take && !l.takes) continue;
    e.depth = l.open.size();
    if (l.to->is_over() || !l.open.push(e.number, is_call)) continue;
    std::uint64_t word = 0;
    if (!l.part->begin(e, word)) {
      l.open.pop_to(e.depth);
      continue;
    }
    l.open[e.depth].word = word;
    l.open_calls += is_call;
  }
  telling_ = false;
  e.begin = clock_ticks();
}

void thread_observers::end(seen_event& e) noexcept {
  e.end = clock_ticks();
  telling_ = true;
  for (std::size_t i = all_.size(); i-- > 0;) {
    listening& l = *all_[i];
    std::size_t at = l.open.size();
    while (at != 0 && l.open[at - 1].number > e.number) --at;
    if (at == 0 || l.open[at - 1].number != e.number) continue;
    const std::uint64_t word = l.open[at - 1].word;
    for (std::size_t gone = at - 1; gone < l.open.size(); ++gone) l.open_calls -= l.open[gone].call;
    l.open.pop_to(at - 1);
    e.depth = l.open.size();
    if (!l.to->is_over()) l.part->end(e, word);
  }
  telling_ = false;
}

// -------------------------------------------------------------------------------------------- starting and stopping

namespace {

constinit std::mutex rows_mutex;  // locked before the registry's mutex
constinit std::size_t listeners_on = 0;

void rows_follow(registry_state& state, bool on) noexcept {
  const std::lock_guard lock(state.mutex);
  state.follow_trace(on);
}

void add_to_process(const std::shared_ptr<call_listener>& l) {
  process_wide& process = of_process();
  const std::lock_guard lock(process.mutex);
  process.listeners.push_back(l);
  observer_changes.fetch_add(1, std::memory_order_release);
}

void start_rows(const call_listener& l, registry_state& state) noexcept {
  if (!l.wants_calls) return;
  const std::lock_guard lock(rows_mutex);
  if (listeners_on++ == 0) rows_follow(state, true);
}

void start_clock_first() noexcept {
  start_clock();
  first_tick();
}

}  // namespace

void hold_observers() noexcept {
  rows_mutex.lock();
  of_process().mutex.lock();
  for (const auto& l : of_process().listeners) l->hold();
}
void release_observers(bool in_child) noexcept {
  for (const auto& l : of_process().listeners) l->release();
  of_process().mutex.unlock();
  rows_mutex.unlock();
  if (!in_child) return;
  forks.fetch_add(1, std::memory_order_relaxed);
  for (const auto& l : of_process().listeners) l->follow_fork();
  thread_observers::follow_fork();
  observer_changes.fetch_add(1, std::memory_order_release);
}

void start_listening(const std::shared_ptr<call_listener>& l, bool all_threads) {
  registry_state& state = state_of(registry::process());
  if (all_threads) return start_listening(l, state);
  start_clock_first();
  thread_observers::attach_this_thread(l);
  start_rows(*l, state);
}

void start_listening(const std::shared_ptr<call_listener>& l, registry_state& state) {
  start_clock_first();
  add_to_process(l);
  start_rows(*l, state);
}

void stop_listening(const std::shared_ptr<call_listener>& l) noexcept {
  {
    process_wide& process = of_process();
    const std::lock_guard lock(process.mutex);
    std::erase(process.listeners, l);
    observer_changes.fetch_add(1, std::memory_order_release);
  }
  thread_observers::of_this_thread();
  if (!l->wants_calls) return;
  const std::lock_guard lock(rows_mutex);
  if (--listeners_on == 0) rows_follow(state_of(registry::process()), false);
}

}  // namespace topbit::detail
