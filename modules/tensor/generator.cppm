// Where random numbers come from. A generator gives no numbers: it hands out stretches of a stream that a counter-based
// function (Philox) computes from seed and position, so the same stretch is the same numbers on every backend.
export module topbit.tensor:generator;

import topbit.std;
import topbit.core;
import :device;

namespace topbit {

/// A stretch of a random stream: numbers `first`, `first + 1`, ... of the stream that `seed` stands for.
export struct philox_state {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  friend bool operator==(const philox_state&, const philox_state&) = default;
};

/// A handle: copies share one state. Threads may use it at once; who takes first gets the earlier stretch.
export class generator {
 public:
  /// One with keys brings them to every call that it is an argument of, so that a kernel registered for such a key, as
  /// key::CustomRNGKeyId, takes the place of the backend's: numbers from elsewhere. An ordinary one has none.
  explicit generator(std::uint64_t seed = 0, key_set keys = {});

  std::uint64_t seed() const noexcept;
  /// Begins the stream of this seed.
  void set_seed(std::uint64_t seed) noexcept;
  /// The next `count` numbers; nobody else is given them.
  philox_state take(std::uint64_t count) noexcept;

  inline key_set keys() const noexcept { return keys_; }

  friend bool operator==(const generator& a, const generator& b) noexcept { return a.state_ == b.state_; }

 private:
  struct state;
  std::shared_ptr<state> state_;
  key_set keys_;
};

/// What a call reads of a generator.
export inline key_set keys_of(const generator& g) noexcept { return g.keys(); }
template <>
inline constexpr bool places_calls<generator> = false;

/// The generator of calls on this device that are given none: one per device, made when it is first asked for. All of
/// them begin with one seed, the same in every process. Any thread may ask.
export generator default_generator(device where = cpu);
/// Every default generator begins the stream of this seed: those there are, and those made later. Returns the CPU's.
export generator manual_seed(std::uint64_t seed);

}  // namespace topbit
