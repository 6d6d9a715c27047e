// Registrations held back. While a recording is open, what its thread registers is kept as requests instead of
// committed, and so is what would have been refused: an error thrown from an initialiser of a plugin ends the process.
// Who opened it commits all of it, in one step that callers see whole or not at all. Internal.
export module topbit.core:recording;

import topbit.std;
import :registry;
import :registry_state;

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
    recording* before_;
  };

  // The open one for this registry on this thread; null if there is none.
  static recording* of(const registry& r) noexcept;

  void add(const request& r) { requests_.push_back(r); }
  void add_error(std::string text) { errors_.push_back(std::move(text)); }
  // Drops what was recorded under this id. False if nothing was.
  bool forget(std::uint64_t id) noexcept;

  // Ends the recording and gives what it holds.
  void close() noexcept;
  std::vector<request>& requests() noexcept { return requests_; }
  const std::vector<std::string>& errors() const noexcept { return errors_; }

 private:
  registry* registry_;
  recording* outer_;
  bool open_ = true;
  std::vector<request> requests_;
  std::vector<std::string> errors_;
};

}  // namespace detail

}  // namespace topbit
