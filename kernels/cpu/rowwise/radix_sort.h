// Stable radix sort of items by a range of their bits, from the lowest digit to the highest.
#pragma once

#include "rowwise/sort_keys.h"
#include "threads/row_parts.h"

namespace tb_cpu::TOPBIT_ARCH {
namespace {

constexpr int most_digit_bits = 11;
constexpr int64_t most_digits = int64_t(1) << most_digit_bits;
constexpr int64_t least_sort_part = 8 * most_digits;  // items of a part, which keeps counts of its digits

// The width of digits with the least work: each digit moves every item, and clears and adds up its counts.
inline int digit_bits(int64_t count, int bits) {
  int best = 1;
  double least = 0;
  for (int width = 4; width <= most_digit_bits; ++width) {
    const int passes = (bits + width - 1) / width, even = (bits + passes - 1) / passes;
    const double work = passes * (1.5 * double(count) + double(int64_t(1) << even));
    if (width == 4 || work < least) least = work, best = even;
  }
  return best;
}

template <typename Item>
int64_t digit_of(Item item, int shift, int64_t digits) {
  return int64_t(uint32_t(item >> shift) & uint32_t(digits - 1));
}

// One digit: moves items from `from` to `to`, in parts that are counted and moved independently. `counts` has
// most_digits elements for each part.
template <typename Item>
void radix_pass(const Item* from, Item* to, int64_t count, int shift, int64_t digits, int64_t parts, int64_t* counts) {
  each_row_part(count, parts, [&](int64_t part, int64_t first, int64_t last) {
    int64_t* const mine = counts + part * most_digits;
    for (int64_t d = 0; d < digits; ++d) mine[d] = 0;
    for (int64_t i = first; i < last; ++i) ++mine[digit_of(from[i], shift, digits)];
  });
  int64_t next = 0;
  for (int64_t d = 0; d < digits; ++d) {
    for (int64_t part = 0; part < parts; ++part) {
      const int64_t here = counts[part * most_digits + d];
      counts[part * most_digits + d] = next;
      next += here;
    }
  }
  each_row_part(count, parts, [&](int64_t part, int64_t first, int64_t last) {
    int64_t* const mine = counts + part * most_digits;
    for (int64_t i = first; i < last; ++i) to[mine[digit_of(from[i], shift, digits)]++] = from[i];
  });
}

template <typename Item>
void insertion_sort(Item* items, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const Item x = items[i];
    int64_t at = i;
    for (; at > 0 && x < items[at - 1]; --at) items[at] = items[at - 1];
    items[at] = x;
  }
}

// Sorts by the bits low to low + bits - 1. Returns the buffer with the result. `counts`: see radix_pass.
template <typename Item>
Item* radix_sort(Item* items, Item* other, int64_t count, int low, int bits, int64_t parts, int64_t* counts) {
  if (bits == 0) return items;
  const int width = digit_bits(count / parts, bits);
  for (int done = 0; done < bits; done += width) {
    const int here = bits - done < width ? bits - done : width;
    radix_pass(items, other, count, low + done, int64_t(1) << here, parts, counts);
    Item* const swapped = items;
    items = other;
    other = swapped;
  }
  return items;
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
