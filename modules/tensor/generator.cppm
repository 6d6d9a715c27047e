// Where random numbers come from. A generator gives no numbers: it hands out stretches of a stream that a counter-based
// function (Philox) computes from seed and position, so the same stretch is the same numbers on every backend.
export module topbit.tensor:generator;

import topbit.std;

namespace topbit {

/// A stretch of a random stream: numbers `first`, `first + 1`, ... of the stream that `seed` stands for.
export struct random_stretch {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  friend bool operator==(const random_stretch&, const random_stretch&) = default;
};

/// A handle: copies share one state. Threads may use it at once; who takes first gets the earlier stretch.
export class generator {
 public:
  explicit generator(std::uint64_t seed = 0);

  std::uint64_t seed() const noexcept;
  /// Begins the stream of this seed.
  void set_seed(std::uint64_t seed) noexcept;
  /// The next `count` numbers; nobody else is given them.
  random_stretch take(std::uint64_t count) noexcept;

  friend bool operator==(const generator& a, const generator& b) noexcept { return a.state_ == b.state_; }

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace topbit
