// Size classes of blocks. Internal.
module topbit.tensor:allocator.block_class;

import topbit.std;

namespace topbit {

namespace detail {

// A cache line, and the widest vector register. All blocks are aligned to it.
inline constexpr std::size_t block_alignment = 64;

// Classes are 64 bytes apart up to 1 KiB, and above that an eighth of a power of two.
constexpr unsigned block_class(std::size_t bytes) noexcept {
  const std::size_t last = (bytes - 1) / block_alignment;
  const auto width = static_cast<unsigned>(std::bit_width(last));
  const unsigned shift = width > 4 ? width - 4 : 0;
  return shift * 8 + static_cast<unsigned>(last >> shift);
}
constexpr std::size_t block_bytes(unsigned size_class) noexcept {
  const unsigned shift = size_class < 16 ? 0 : size_class / 8 - 1;
  return (std::size_t{size_class - shift * 8 + 1} << shift) * block_alignment;
}

static_assert(block_class(1) == 0 && block_class(64) == 0 && block_class(65) == 1 && block_class(1024) == 15);
static_assert(block_class(1025) == 16 && block_bytes(16) == 1152);
static_assert([] {
  for (unsigned c = 0; c < 440; ++c) {
    if (block_class(block_bytes(c)) != c || block_class(block_bytes(c) + 1) != c + 1) return false;
  }
  return true;
}());

}  // namespace detail

}  // namespace topbit
