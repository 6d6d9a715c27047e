// Random numbers of one example among several: scopes in which calls draw from a subsequence of their generators'
// streams, at positions that examples share.
export module topbit.ops:random.random_stream;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

export namespace author {
class random_stream;
}  // namespace author

namespace detail {

// The innermost scope of this thread; null outside of one.
extern constinit thread_local const author::random_stream* this_thread_stream [[gnu::tls_model("initial-exec")]];

}  // namespace detail

export namespace author {

/// Words 2 and 3 of the Philox counter, low word first, for an example within those that gave `outer`, 0 if there are
/// none: word 2 is example + 1, word 3 is the one word that `outer` has, or a hash of both.
constexpr std::uint64_t subsequence_of_example(std::uint64_t outer, std::int64_t example) noexcept {
  std::uint64_t high = outer;
  if (outer >> 32 != 0) {
    // The mixing of splitmix64 (Steele, Lea, Flood, 2014).
    high += 0x9e3779b97f4a7c15;
    high = (high ^ high >> 30) * 0xbf58476d1ce4e5b9;
    high = (high ^ high >> 27) * 0x94d049bb133111eb;
    high = (high ^ high >> 31) >> 32;
  }
  return high << 32 | ((static_cast<std::uint64_t>(example) + 1) & 0xffffffff);
}

/// The first number of a call: in the stream of a seed, or relative to a Philox state that is read at every replay of a
/// recorded call.
struct random_position {
  const void* state = nullptr;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
};

/// The positions of several calls, in order. The first example to draw advances the generators; those after it find its
/// positions here.
class random_positions {
 public:
  /// How many calls were drawn for since the list began, or was rewound to its beginning.
  std::size_t drawn() const noexcept { return next_; }
  /// Goes back to where `drawn()` was `count`, for the next example of a call.
  void rewind(std::size_t count) noexcept { next_ = count; }
  /// Goes back to the beginning, for examples whose calls are made later. What a graph recorded stays with the calls
  /// that it was recorded for: these draw new numbers.
  void restart() noexcept;

 private:
  friend class random_stream;
  struct draw {
    generator source;
    std::uint64_t count;
    random_position at;
  };
  // The position of the next call. Null if none is known, or it is that of another call: one with another generator or
  // another number of elements.
  const random_position* known(const generator& source, std::uint64_t count) const noexcept;
  void add(const generator& source, std::uint64_t count, const random_position& at);

  std::vector<draw> draws_;
  std::size_t next_ = 0;
};

/// While it lives, random operators of its thread draw the numbers of an example, at positions of a list. Scopes nest:
/// the numbers of an example differ among the examples of the scopes around it.
class [[nodiscard("the scope ends with the full expression that makes it")]] random_stream {
 public:
  /// Without an example the numbers are those that the scopes around it give. `outside`, at most depth(), is how many
  /// of the examples drawn for now are further out than this one: a vmap runs the innermost of its levels first.
  random_stream(random_positions& shared, std::optional<std::int64_t> example, std::size_t outside);
  random_stream(const random_stream&) = delete;
  random_stream& operator=(const random_stream&) = delete;
  ~random_stream();

  /// How many examples, one within the other, the scopes of this thread draw for.
  static std::size_t depth() noexcept;

  std::uint64_t subsequence() const noexcept { return subsequence_; }
  /// The position of a call that draws `count` numbers. A scope that knows none asks the next one around it; the
  /// outermost advances the generator, or asks the recorder.
  random_position next(device target, generator& source, std::uint64_t count) const;

 private:
  std::vector<std::int64_t> examples_;  // outermost first
  std::uint64_t subsequence_ = 0;
  random_positions& shared_;
  const random_stream* around_;
};

}  // namespace author

namespace detail {

// The position of a call outside of any scope.
author::random_position new_position(device target, generator& source, std::uint64_t count);

}  // namespace detail

}  // namespace topbit
