// Registrations held back. While a recording is open, what its thread registers is kept as requests instead of
// committed, and so is what would have been refused: an error thrown from an initialiser of a plugin ends the process.
// Who opened it commits all of it, in one step that callers see whole or not at all. Internal.
module topbit.core:registry.recording;

import topbit.std;
import :registry.entry;
import :registry.listener;
import :registry.registry;
import :registry.registry_state;
import :text.error;

namespace topbit {

namespace detail {

class recording {
 public:
  // Holds back what this thread registers in r, until it is closed.
  explicit recording(registry& r) noexcept;
  recording(const recording&) = delete;
  recording& operator=(const recording&) = delete;
  ~recording();

  // While it lives, nothing is held back on this thread.
  class suspension {
   public:
    suspension() noexcept;
    suspension(const suspension&) = delete;
    suspension& operator=(const suspension&) = delete;
    ~suspension();

   private:
    friend class recording;
    recording* suspended_;
    suspension* outer_;
  };

  // The open one for this registry on this thread; null if there is none.
  static recording* of(const registry& r) noexcept;
  // Takes out what this thread holds back under this id, in whichever recording.
  static std::optional<request> forget(const registry& r, std::uint64_t id) noexcept;

  // The operator of this name that a request of this thread's is about; null if there is none.
  static entry* op_of_name(const registry& r, std::string_view name) noexcept;

  void add(const request& r);
  void add_error(bad_registration e);

  // Ends the recording and gives what it holds.
  void close() noexcept;
  std::vector<request>& requests() noexcept { return requests_; }
  const std::vector<bad_registration>& errors() const noexcept { return errors_; }

 private:
  std::optional<request> drop(const registry& r, std::uint64_t id) noexcept;
  registry* registry_;
  recording* outer_;
  bool open_ = true;
  std::vector<request> requests_;
  std::vector<bad_registration> errors_;
};

// Throws, or keeps the error for whoever holds back what this thread registers.
void refuse(registry& r, bad_registration error);

// Batches of requests. They take the registry's lock.

// All or none, in one step.
void commit(registry& r, const std::vector<request>& batch);
// The same for a batch that may be taken back and committed again: what somebody takes back in between leaves it. It
// must stay for as long as the registry, and belongs to the registry's lock from now on.
void commit_for_good(registry& r, std::vector<request>& batch);
// Takes it back. The listeners it had, one behind the other, and those who wait to hear of this are for settle(), apart
// since listeners may wait for whoever withdraws.
std::shared_ptr<listener> withdraw(registry& r, std::vector<request>& batch) noexcept;
void settle(registry& r, std::shared_ptr<listener> silent) noexcept;

}  // namespace detail

}  // namespace topbit
