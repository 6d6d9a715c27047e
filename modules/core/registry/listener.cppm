// Listeners for definitions, and how they are notified: in order, outside the registry's lock, so that a listener
// may itself register, look up and withdraw.
export module topbit.core:registry.listener;

import topbit.std;
import :dispatch.handle;

namespace topbit {

/// An operator was defined, or its last definition was taken back.
export struct registry_event {
  enum class kind : std::uint8_t { defined, withdrawn };
  kind what;
  operator_handle op;
};

namespace detail {

using heard = std::function<void(const registry_event&)>;

// An active listener. A plugin that is loaded again gets another one of the same function.
class listener {
 public:
  explicit listener(std::shared_ptr<const heard> tell) noexcept : tell_(std::move(tell)) {}
  // The lock is held while the function runs: who silences it waits until it has ended, except from inside it.
  inline void tell(const registry_event& e) noexcept {
    const std::lock_guard lock(mutex_);
    if (!silent_) (*tell_)(e);
  }
  inline void silence() noexcept {
    const std::lock_guard lock(mutex_);
    silent_ = true;
  }
  // In a fork: who was telling it is not there.
  inline void forget_other_threads() noexcept { std::construct_at(&mutex_); }

  std::shared_ptr<listener> next;  // of those that are to be silenced together

 private:
  std::recursive_mutex mutex_;
  std::shared_ptr<const heard> tell_;
  bool silent_ = false;
};

// Every member is called under the registry's lock.
class listeners {
 public:
  void add(std::uint64_t id, std::shared_ptr<listener> l);
  // Makes room for as many events more.
  void reserve(std::size_t events) { queue_.reserve(queue_.size() + events); }
  std::size_t count() const noexcept { return all_.size(); }
  // The listener of this id, to be silenced after the lock is released; null if there is none.
  std::shared_ptr<listener> remove(std::uint64_t id) noexcept;
  // Without memory an event is lost: who withdraws cannot be refused.
  void queue(const registry_event& e) noexcept;
  void queue_for(std::uint64_t id, const registry_event& e) noexcept;
  // Tells what is queued, in order, giving the lock back while a listener runs. A thread that comes while another one
  // delivers leaves its events to it.
  void deliver(std::unique_lock<std::mutex>& lock) noexcept;
  // In a fork: events of a delivery by another thread are dropped.
  void forget_other_threads() noexcept;

 private:
  struct addressed {
    std::shared_ptr<listener> to;
    registry_event what;
  };
  void push(const std::shared_ptr<listener>& to, const registry_event& e) noexcept;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<listener>>> all_;
  std::vector<addressed> queue_;
  bool delivering_ = false;
  const void* deliverer_ = nullptr;  // stands for a thread
};

}  // namespace detail

}  // namespace topbit
