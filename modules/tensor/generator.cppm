// Random number generators. A generator produces no numbers itself: it advances the offset in a stream that a
// counter-based function (Philox) computes from seed and offset, so the same state gives the same numbers on every
// backend.
export module topbit.tensor:generator;

import topbit.std;
import topbit.core;
import :device;

namespace topbit {

namespace detail {
struct default_generators;
}

/// A position in a random stream: the numbers `offset`, `offset + 1`, ... of the stream of `seed`.
export struct philox_state {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
  friend bool operator==(const philox_state&, const philox_state&) = default;
};

/// A handle: copies share one state. Thread-safe.
export class generator {
 public:
  /// Keys are brought to every call that the generator is an argument of, so that a kernel registered for such a key,
  /// such as key::CustomRNGKeyId, replaces the backend's. An ordinary generator has none.
  explicit generator(std::uint64_t seed = 0, key_set keys = {});

  std::uint64_t seed() const noexcept;
  /// Starts the stream of this seed, at offset 0.
  void set_seed(std::uint64_t seed) noexcept;
  /// Atomically advances the offset by `count`; returns the state before, of which the caller uses that many numbers.
  philox_state take(std::uint64_t count) noexcept;

  inline key_set keys() const noexcept { return keys_; }

  friend bool operator==(const generator& a, const generator& b) noexcept { return a.state_ == b.state_; }

 private:
  friend struct detail::default_generators;
  struct state;
  std::shared_ptr<state> state_;
  key_set keys_;
};

/// The keys that a generator brings to a call.
export inline key_set keys_of(const generator& g) noexcept { return g.keys(); }
template <>
inline constexpr bool author::selects_device<generator> = false;

/// The generator of calls on this device without a generator argument: one per device, created at its first use. All
/// start with one seed, the same in every process. Thread-safe.
export generator default_generator(device where = cpu);
/// Seeds every default generator, existing and future ones. Returns the CPU's.
export generator manual_seed(std::uint64_t seed);

}  // namespace topbit
