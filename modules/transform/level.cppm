// Levels: each running vmap has one, with a number that is never used again.
//
// A batched tensor remembers the number, so one that outlives its vmap is noticed wherever it is used. The levels of a
// thread are a list from the innermost outwards, of objects in the frames of the calls of vmap.
export module topbit.transform:level;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// The dimension of an argument or a result along which examples lie; negative counts from the end. `unmapped`: it is
/// the same for all examples.
export using batch_dim = std::optional<std::int64_t>;
export inline constexpr std::nullopt_t unmapped = std::nullopt;

/// Whether the examples of a vmap draw the same random numbers. Not said: an operator that draws some throws.
export enum class randomness : std::uint8_t { error, same, different };

namespace detail {

// The positions of the random numbers that a vmap in chunks draws; defined with the rules of random operators.
struct drawn_positions;
// All chunks draw at the positions of the first one.
class chunk_draws {
 public:
  chunk_draws();
  chunk_draws(const chunk_draws&) = delete;
  chunk_draws& operator=(const chunk_draws&) = delete;
  ~chunk_draws();
  drawn_positions* begin_chunk() noexcept;

 private:
  std::unique_ptr<drawn_positions> all_;
};

// Which examples of a vmap a level has: all, or those of a chunk.
struct chunk_place {
  std::int64_t first_example = 0;
  drawn_positions* positions = nullptr;  // null: there are no chunks
};

struct batch_level {
  std::uint64_t number = 0;
  std::int64_t size = 0;  // examples
  randomness random = randomness::error;
  const batch_level* outer = nullptr;
  chunk_place place{};
  std::size_t stream_depth = 0;  // author::random_stream::depth() where the level began
};

// The innermost level of this thread; null outside of vmap.
extern constinit thread_local const batch_level* this_thread_level [[gnu::tls_model("initial-exec")]];

// The level with this number; null if it is not running on this thread.
inline const batch_level* level_numbered(std::uint64_t number) noexcept {
  const batch_level* l = this_thread_level;
  while (l != nullptr && l->number > number) l = l->outer;
  return l != nullptr && l->number == number ? l : nullptr;
}
// Memory made within the level has this birth number, or a greater one.
inline std::uint32_t birth_of(const batch_level& l) noexcept { return static_cast<std::uint32_t>(l.number); }
// 1 for an outermost level.
std::int64_t depth_of(const batch_level& l) noexcept;
// "example of 32, level 1"
std::string describe(const batch_level& l);

// A number for a level: greater than all before, and never used again.
std::uint64_t new_level_number() noexcept;

// Begins and ends a level.
class level_scope {
 public:
  level_scope(std::int64_t size, randomness random, chunk_place place = {}) noexcept;
  level_scope(const level_scope&) = delete;
  level_scope& operator=(const level_scope&) = delete;
  ~level_scope() {
    this_thread_level = level_.outer;
    author::set_birth_number(birth_before_);
  }
  const batch_level& level() const noexcept { return level_; }

 private:
  batch_level level_;
  std::uint32_t birth_before_;
  include_guard mode_;
};

// Runs what a level's rules call: as if the level, and those inside it, had not begun.
class below_level {
 public:
  explicit below_level(const batch_level& l) noexcept : before_(this_thread_level), mode_(without(l)) {
    this_thread_level = l.outer;
  }
  below_level(const below_level&) = delete;
  below_level& operator=(const below_level&) = delete;
  ~below_level() { this_thread_level = before_; }

 private:
  static thread_key_state without(const batch_level& l) noexcept {
    thread_key_state keys = current_thread_keys();
    if (l.outer == nullptr) keys.include = keys.include - key_set(key::FuncTorchVmapMode);
    return keys;
  }
  const batch_level* before_;
  force_guard mode_;
};

}  // namespace detail

}  // namespace topbit
