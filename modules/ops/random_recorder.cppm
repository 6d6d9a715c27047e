// Random numbers of calls that are recorded, to be done again: each time they are to draw others.
export module topbit.ops:random_recorder;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export namespace author {

/// Where a recorded call finds which numbers it draws, whenever it is done.
struct recorded_numbers {
  /// In the memory of the call's device: a seed and a place in its stream, of 64 bits each.
  const void* stretch = nullptr;
  /// The first number of the call, counted from that place.
  std::uint64_t first = 0;
};

/// For a backend that records calls. While one lives, the calls of its thread that draw random numbers ask it before
/// they take them of their generator; the one made last is asked first.
class random_recorder {
 public:
  random_recorder() noexcept;
  random_recorder(const random_recorder&) = delete;
  random_recorder& operator=(const random_recorder&) = delete;
  virtual ~random_recorder();

  /// For a call on this device that draws `count` numbers. Nothing if it is done now, with numbers of its generator.
  virtual std::optional<recorded_numbers> draw(device where, const generator& source, std::uint64_t count) = 0;

  /// What the recorders of this thread say, those within which this one was made too.
  static std::optional<recorded_numbers> ask(device where, const generator& source, std::uint64_t count);

 private:
  random_recorder* outer_;
};

}  // namespace author

}  // namespace topbit
