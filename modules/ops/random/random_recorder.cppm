// RNG state for graph replay: a recorded call draws new numbers in every replay.
export module topbit.ops:random.random_recorder;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export namespace author {

/// The Philox state of a recorded call, read at every replay.
struct recorded_numbers {
  /// On the call's device: seed and offset, of 64 bits each.
  const void* state = nullptr;
  /// The first number of the call, relative to that offset.
  std::uint64_t offset = 0;
};

/// For a backend that records calls. While one exists, random operators of its thread call it before they advance their
/// generator; the innermost one first.
class random_recorder {
 public:
  random_recorder() noexcept;
  random_recorder(const random_recorder&) = delete;
  random_recorder& operator=(const random_recorder&) = delete;
  virtual ~random_recorder();

  /// Called for a call on this device that draws `count` numbers. Empty if the call runs immediately and advances its
  /// generator.
  virtual std::optional<recorded_numbers> draw(device where, const generator& source, std::uint64_t count) = 0;

  /// Calls the recorders of this thread, innermost first.
  static std::optional<recorded_numbers> ask(device where, const generator& source, std::uint64_t count);
  /// Whether this thread's calls are recorded, to be replayed.
  static bool is_recording() noexcept;

 private:
  random_recorder* outer_;
};

}  // namespace author

}  // namespace topbit
