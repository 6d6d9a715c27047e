module;

#include <sched.h>

#include <exception>

module topbit.core;

import topbit.std;
import :observe.listener;

namespace topbit {

// An observer as the threads know it.
class detail::observing final : public call_listener {
 public:
  observing(std::unique_ptr<observer_object> o, const observe::options& how, const std::source_location& where)
      : object_(std::move(o)), where_(where) {
    wants_calls = how.calls;
    wants_arguments = how.calls && how.arguments;
    wants_results = how.calls && how.results;
    wants_ranges = how.ranges;
    one_in = how.one_in;
  }

  std::shared_ptr<part> part_of(unsigned thread) override;

  // Ends it; false the second time.
  bool finish() noexcept {
    const bool first = !finished_.exchange(true);
    ended.store(true);  // sequentially consistent, as what part_of_thread::run() does
    return first;
  }
  // Until no thread is in the object, which then ends.
  void wait() noexcept;

 private:
  class part_of_thread final : public part {
   public:
    explicit part_of_thread(observing& all) noexcept : all_(all) {}
    bool begin(const seen_event& e, std::uint64_t& word) noexcept override {
      if (e.arguments.empty() || all_.wants_arguments) return run_begin(e, word);
      return run_begin(without_values(e), word);
    }
    void end(const seen_event& e, std::uint64_t word) noexcept override {
      if (e.results.empty() || all_.wants_results) return run_end(e, word);
      run_end(without_values(e), word);
    }
    void thread_ends() noexcept override {
      if (all_.is_of_parent()) return;  // a thread that is not there may hold the mutex
      const std::lock_guard lock(all_.mutex_);
      std::erase_if(all_.parts_, [&](const auto& p) { return p.get() == this; });
    }
    bool is_busy() const noexcept { return busy_.load(); }

   private:
    bool run_begin(const seen_event& e, std::uint64_t& word) noexcept {
      return run([&] { word = all_.object_->begin(observe::event(e)); });
    }
    void run_end(const seen_event& e, std::uint64_t word) noexcept {
      run([&] { all_.object_->end(observe::event(e), word); });
    }
    // Another observer wants them.
    static seen_event without_values(seen_event e) noexcept {
      e.arguments = e.results = {};
      return e;
    }
    // Either this thread finds that the observer has ended, or who ended it finds this thread busy.
    template <class F>
    bool run(F f) noexcept {
      busy_.store(true);
      const bool on = !all_.ended.load();
      if (on) {
        try {
          f();
        } catch (const std::exception& x) {
          all_.fail(x.what());
        } catch (...) {
          all_.fail("what is no std::exception");
        }
      }
      busy_.store(false, std::memory_order_release);
      return on;
    }
    observing& all_;
    std::atomic<bool> busy_ = false;
  };

  void fail(std::string_view what) noexcept {
    if (ended.exchange(true)) return;
    author::warn({"the observer made at ", to_string(inspect::source_location{where_.file_name(), where_.line()}),
                  " threw: ", what, "; it is told of nothing more"});
  }

  std::unique_ptr<observer_object> object_;
  const std::source_location where_;
  std::atomic<bool> finished_ = false;
  std::mutex mutex_;
  std::vector<std::shared_ptr<part_of_thread>> parts_;
};

std::shared_ptr<detail::call_listener::part> detail::observing::part_of(unsigned) {
  auto fresh = std::make_shared<part_of_thread>(*this);
  const std::lock_guard lock(mutex_);
  parts_.push_back(fresh);
  return fresh;
}

// Without the lock: what is waited for, or ends, may be waiting for a thread that ends.
void detail::observing::wait() noexcept {
  const auto copy = [&] {
    const std::lock_guard lock(mutex_);
    return parts_;
  };
  for (const auto& p : copy()) {
    while (p->is_busy()) sched_yield();
  }
  std::unique_ptr<observer_object> gone;  // ends after the lock
  {
    const std::lock_guard lock(mutex_);
    gone = std::move(object_);
  }
}

observe::observer::observer(std::unique_ptr<topbit::detail::observer_object> o, const options& how,
                            const std::source_location& where)
    : state_(std::make_shared<topbit::detail::observing>(std::move(o), how, where)) {
  if (how.one_in == 0) throw error("observer: found one_in = 0, wanted at least 1");
  topbit::detail::start_listening(state_, how.threads == threads::all);
}

void observe::observer::stop() noexcept {
  if (state_ == nullptr) return;
  if (state_->finish()) topbit::detail::stop_listening(state_);
  if (!state_->is_of_parent() && !topbit::detail::thread_observers::is_telling()) state_->wait();
}

void observe::profile_range::begin(std::string_view name, observe::kind what, std::uint64_t about) noexcept {
  topbit::detail::thread_observers* const all = topbit::detail::thread_observers::of_this_thread();
  if (all == nullptr || !all->choose_for_range()) return;
  observers_ = all;
  event_.ran = nullptr;
  event_.name = name;
  event_.about = about;
  event_.keys = static_cast<std::uint64_t>(::std::uncaught_exceptions());
  event_.what = static_cast<std::uint8_t>(what);
  event_.threw = false;
  all->begin(event_);
}

void observe::profile_range::end() noexcept {
  event_.threw = static_cast<std::uint64_t>(::std::uncaught_exceptions()) > event_.keys;
  if (topbit::detail::this_thread_observed.observers == observers_) observers_->end(event_);
}

}  // namespace topbit
