// The random numbers of a vmap's examples, for a loop.
export module topbit.transform:example_numbers;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit {

/// Gives the turns of a loop the random numbers that the examples of a vmap with randomness::different draw:
///
///   tb::example_numbers numbers;
///   for (std::int64_t b = 0; b < count; ++b) {
///     const auto scope = numbers.example(b);
///     rows.push_back(f(x[b]));  // row b of vmap(f, {.random = tb::randomness::different})(x)
///   }
///
/// The first turn advances the generators, and every other one draws at its positions, call by call: also after the
/// generators were seeded again or advanced by others. So the loop advances them as one example does, and a second loop
/// needs another object to draw other numbers. A call that has no like in the turn before, with another generator or
/// another number of elements, advances its generator. Of one thread.
export class example_numbers {
 public:
  example_numbers() = default;
  example_numbers(const example_numbers&) = delete;
  example_numbers& operator=(const example_numbers&) = delete;

  /// While the result lives, random operators of this thread draw the numbers of example b, within the examples of the
  /// scopes and the vmaps around it.
  [[nodiscard("the scope ends with the full expression that makes it")]] author::random_stream example(std::int64_t b) {
    positions_.restart();
    return author::random_stream(positions_, b, author::random_stream::depth());
  }

 private:
  author::random_positions positions_;
};

}  // namespace topbit
