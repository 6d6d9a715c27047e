// Sorting of COO entries by radix sort, and sums of entries with the same indices.
//
// The indices of an entry are concatenated to a key with as many bits as the sizes need. Entries are divided by the
// key's highest bits into buckets, which mostly fit in the L1 cache when they are sorted by the other bits, least
// significant digit first. All passes are stable, so equal tuples stay in order of appearance.
//
// `packed` entries hold key and position in one word. Otherwise they are pairs of words. Where not even the key fits in
// a word, it holds the leading dimensions, and runs of equal keys are sorted by comparison of the others.
#include "arch.h"
#include "numbers.h"

namespace tb_sparse::TOPBIT_ARCH {
namespace {

constexpr int bucket_bits = 8, digit_bits = 9;
static_assert(TB_SORT_BUCKETS == 1 << bucket_bits);

struct pair {
  uint64_t key, position;
};

int bits_for(int64_t count) { return count <= 1 ? 0 : 64 - __builtin_clzll(static_cast<uint64_t>(count - 1)); }

struct layout {
  int key_bits = 0, position_bits;
  int64_t leading = 0;  // dimensions in the key
  bool packed;

  explicit layout(const tb_coo& coo) : position_bits(bits_for(coo.nnz)) {
    while (leading < coo.dims && key_bits + bits_for(coo.sizes[leading]) <= 64) {
      key_bits += bits_for(coo.sizes[leading++]);
    }
    packed = leading == coo.dims && key_bits + position_bits <= 64;
  }
  int passes() const { return (rest_bits() + digit_bits - 1) / digit_bits; }
  int rest_bits() const { return key_bits > bucket_bits ? key_bits - bucket_bits : 0; }
};

// What the workspace holds: two arrays of entries, which passes alternate between.
struct space {
  struct head {
    int64_t start[TB_SORT_BUCKETS + 1];  // of each bucket's entries
    int64_t first[TB_SORT_BUCKETS + 1];  // of each bucket's distinct tuples; until sort_end() their number, one later
  };
  head* sizes;
  char* entries[2];

  space(const tb_sort& sort, const layout& how)
      : sizes(static_cast<head*>(sort.workspace)), entries{static_cast<char*>(sort.workspace) + sizeof(head), nullptr} {
    entries[1] = entries[0] + static_cast<size_t>(sort.coo.nnz) * (how.packed ? sizeof(uint64_t) : sizeof(pair));
  }
};

// Packed entries.
struct packed_entries {
  using entry = uint64_t;
  int shift;

  explicit packed_entries(const layout& how) : shift(how.position_bits) {}
  entry make(uint64_t key, int64_t position) const { return key << shift | static_cast<uint64_t>(position); }
  uint64_t key(entry e) const { return e >> shift; }
  int64_t position(entry e) const { return static_cast<int64_t>(e & ((uint64_t(1) << shift) - 1)); }
  static bool less(entry a, entry b) { return a < b; }
};

struct pair_entries {
  using entry = pair;

  explicit pair_entries(const layout&) {}
  static entry make(uint64_t key, int64_t position) { return {key, static_cast<uint64_t>(position)}; }
  static uint64_t key(entry e) { return e.key; }
  static int64_t position(entry e) { return static_cast<int64_t>(e.position); }
  static bool less(entry a, entry b) { return a.key < b.key || (a.key == b.key && a.position < b.position); }
};

template <typename F>
auto with_entries(const layout& how, F f) {
  return how.packed ? f(packed_entries(how)) : f(pair_entries(how));
}

struct key_maker {
  const tb_coo& coo;
  int64_t dims;
  int second_bits;

  key_maker(const tb_coo& c, int64_t d) : coo(c), dims(d), second_bits(d > 1 ? bits_for(c.sizes[1]) : 0) {}
  uint64_t operator()(int64_t i) const {
    const auto index = [&](int64_t d) { return static_cast<uint64_t>(coo.indices[d * coo.step + i]); };
    if (dims == 1) return index(0);
    if (dims == 2) return index(0) << second_bits | index(1);
    uint64_t key = 0;
    for (int64_t d = 0; d < dims; ++d) key = key << bits_for(coo.sizes[d]) | index(d);
    return key;
  }
};

// The number of leading dimensions that determine the bucket, and how far right their key is shifted for it.
struct bucket_rule {
  int64_t dims = 0;
  int shift = 0;

  bucket_rule(const tb_coo& coo, const layout& how) {
    int bits = 0;
    while (dims < how.leading && bits < bucket_bits) bits += bits_for(coo.sizes[dims++]);
    shift = bits > bucket_bits ? bits - bucket_bits : 0;
  }
};

template <typename Entries>
void fill_buckets(const Entries& as, const tb_sort& sort, const layout& how) {
  const space memory(sort, how);
  const tb_coo& coo = sort.coo;
  const bucket_rule rule(coo, how);
  const key_maker head(coo, rule.dims), key(coo, how.leading);
  int64_t* const start = memory.sizes->start;
  memset(start, 0, sizeof memory.sizes->start);
  for (int64_t i = 0; i < coo.nnz; ++i) ++start[(head(i) >> rule.shift) + 1];
  int64_t next[TB_SORT_BUCKETS];
  for (int b = 0; b < TB_SORT_BUCKETS; ++b) {
    next[b] = start[b];
    start[b + 1] += start[b];
  }
  auto* const out = reinterpret_cast<typename Entries::entry*>(memory.entries[0]);
  const int shift = how.rest_bits();
  for (int64_t i = 0; i < coo.nnz; ++i) {
    const uint64_t k = key(i);
    out[next[k >> shift]++] = as.make(k, i);
  }
}

template <typename Entries>
void insertion_sort(const Entries& as, typename Entries::entry* e, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const auto moved = e[i];
    int64_t to = i;
    for (; to > 0 && as.less(moved, e[to - 1]); --to) e[to] = e[to - 1];
    e[to] = moved;
  }
}

// Sorts a bucket by the low bits of its keys; the result is in `entries[passes % 2]`.
template <typename Entries>
void sort_bucket(const Entries& as, typename Entries::entry* from, typename Entries::entry* to, int64_t count,
                 const layout& how) {
  constexpr int most_passes = (64 - bucket_bits + digit_bits - 1) / digit_bits;
  constexpr int64_t digits = int64_t(1) << digit_bits, short_bucket = 48;
  const int passes = how.passes();
  if (count <= short_bucket) {
    insertion_sort(as, from, count);
    if (passes % 2 != 0) memcpy(to, from, static_cast<size_t>(count) * sizeof *from);
    return;
  }
  int64_t counts[most_passes][digits];
  memset(counts, 0, sizeof counts[0] * static_cast<size_t>(passes));
  // Digits of equal width, so that no pass is wasted on a few bits.
  const int width = passes == 0 ? 0 : (how.rest_bits() + passes - 1) / passes;
  const uint64_t mask = (uint64_t(1) << width) - 1;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t key = as.key(from[i]);
    for (int p = 0; p < passes; ++p, key >>= width) ++counts[p][key & mask];
  }
  for (int p = 0; p < passes; ++p) {
    int64_t* const next = counts[p];
    int64_t sum = 0;
    for (uint64_t digit = 0; digit <= mask; ++digit) {
      const int64_t n = next[digit];
      next[digit] = sum;
      sum += n;
    }
    const int shift = p * width;
    for (int64_t i = 0; i < count; ++i) to[next[as.key(from[i]) >> shift & mask]++] = from[i];
    auto* const other = from;
    from = to;
    to = other;
  }
}

// The order of entries with equal keys: by the dimensions outside the key, then by appearance.
struct rest_order {
  const tb_coo& coo;
  int64_t leading;

  int compare(int64_t a, int64_t b) const {
    for (int64_t d = leading; d < coo.dims; ++d) {
      const int64_t x = coo.indices[d * coo.step + a], y = coo.indices[d * coo.step + b];
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  }
  bool less(const pair& a, const pair& b) const {
    const int order = compare(static_cast<int64_t>(a.position), static_cast<int64_t>(b.position));
    return order != 0 ? order < 0 : a.position < b.position;
  }
};

void sift_down(pair* e, int64_t root, int64_t count, const rest_order& order) {
  for (int64_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && order.less(e[child], e[child + 1])) ++child;
    if (!order.less(e[root], e[child])) return;
    const pair moved = e[root];
    e[root] = e[child];
    e[child] = moved;
  }
}

void heap_sort(pair* e, int64_t count, const rest_order& order) {
  for (int64_t root = count / 2; root-- > 0;) sift_down(e, root, count, order);
  for (int64_t last = count; last-- > 1;) {
    const pair greatest = e[0];
    e[0] = e[last];
    e[last] = greatest;
    sift_down(e, 0, last, order);
  }
}

// Whether entries e[i - 1] and e[i] have different index tuples.
template <typename Entries>
struct boundary {
  const Entries& as;
  const typename Entries::entry* e;
  const tb_coo& coo;
  const layout& how;

  bool operator()(int64_t i) const {
    if (as.key(e[i - 1]) != as.key(e[i])) return true;
    return how.leading < coo.dims &&
           rest_order{coo, how.leading}.compare(as.position(e[i - 1]), as.position(e[i])) != 0;
  }
};

// Calls f(i, group) for each entry, where `group` counts the boundaries before it.
template <typename Entries, typename F>
void each_entry(const Entries& as, const tb_coo& coo, const layout& how, const typename Entries::entry* e,
                int64_t count, F f) {
  if (count == 0) return;
  const boundary<Entries> starts{as, e, coo, how};
  int64_t group = 0;
  f(0, group);
  if (how.leading < coo.dims) {
    for (int64_t i = 1; i < count; ++i) f(i, group += starts(i));
    return;
  }
  for (int64_t i = 1; i < count; ++i) f(i, group += as.key(e[i - 1]) != as.key(e[i]));
}

// The sorted entries of a bucket.
template <typename Entries>
typename Entries::entry* sorted(const space& memory, const layout& how, int64_t bucket) {
  return reinterpret_cast<typename Entries::entry*>(memory.entries[how.passes() % 2]) + memory.sizes->start[bucket];
}

// Sorted entries of one bucket and where its groups are in the result.
template <typename Entries>
struct bucket {
  const Entries& as;
  const tb_coo& coo;
  const layout& how;
  const typename Entries::entry* e;
  int64_t count, first, groups;

  bucket(const Entries& entries, const tb_coo& c, const layout& l, const space& memory, int64_t b)
      : as(entries),
        coo(c),
        how(l),
        e(sorted<Entries>(memory, l, b)),
        count(memory.sizes->start[b + 1] - memory.sizes->start[b]),
        first(memory.sizes->first[b]),
        groups(memory.sizes->first[b + 1] - first) {}

  // Each entry of a group writes the same index: that costs less than asking which is the first.
  void write_indices(int64_t* indices, int64_t step) const {
    int shift = 0;
    for (int64_t d = how.leading; d-- > 0;) {
      const int bits = bits_for(coo.sizes[d]);
      const uint64_t mask = (uint64_t(1) << bits) - 1;
      int64_t* const out = indices + d * step + first;
      if (groups == count) {
        for (int64_t i = 0; i < count; ++i) out[i] = static_cast<int64_t>(as.key(e[i]) >> shift & mask);
      } else {
        each_entry(as, coo, how, e, count,
                   [&](int64_t i, int64_t group) { out[group] = static_cast<int64_t>(as.key(e[i]) >> shift & mask); });
      }
      shift = shift + bits < 64 ? shift + bits : 63;
    }
    for (int64_t d = how.leading; d < coo.dims; ++d) {
      each_entry(as, coo, how, e, count, [&](int64_t i, int64_t group) {
        indices[d * step + first + group] = coo.indices[d * coo.step + as.position(e[i])];
      });
    }
  }

  // Without duplicates, values move.
  template <typename R>
  void move(const R* values, R* out, int64_t inner) const {
    if (inner == 1) {
      for (int64_t i = 0; i < count; ++i) out[i] = values[as.position(e[i])];
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      memcpy(out + i * inner, values + as.position(e[i]) * inner, static_cast<size_t>(inner) * sizeof(R));
    }
  }

  template <typename T>
  void sum(const raw_of<T>* values, raw_of<T>* out, int64_t inner) const {
    using number = number<T>;
    if (groups == count) return move(values, out, inner);
    for (int64_t c = 0; c < inner; ++c) {
      sum_of<T> total = 0;
      int64_t before = -1;
      each_entry(as, coo, how, e, count, [&](int64_t i, int64_t group) {
        const sum_of<T> x = load<T>(values + as.position(e[i]) * inner + c);
        total = group == before ? number::template plus<sum_of<T>>(total, x) : x;
        before = group;
        out[group * inner + c] = narrowed<T>(total);
      });
    }
  }
};

}  // namespace

size_t sort_workspace(const tb_coo* coo) {
  const layout how(*coo);
  const size_t entry = how.packed ? sizeof(uint64_t) : sizeof(pair);
  return sizeof(space::head) + 2 * entry * static_cast<size_t>(coo->nnz);
}

void sort_begin(tb_sort* sort) {
  const layout how(sort->coo);
  with_entries(how, [&](auto as) { fill_buckets(as, *sort, how); });
}

void sort_buckets(tb_sort* sort, int64_t begin, int64_t end) {
  const layout how(sort->coo);
  const space memory(*sort, how);
  with_entries(how, [&]<typename Entries>(Entries as) {
    using entry = typename Entries::entry;
    for (int64_t b = begin; b < end; ++b) {
      const int64_t start = memory.sizes->start[b], count = memory.sizes->start[b + 1] - start;
      sort_bucket(as, reinterpret_cast<entry*>(memory.entries[0]) + start,
                  reinterpret_cast<entry*>(memory.entries[1]) + start, count, how);
      entry* const e = sorted<Entries>(memory, how, b);
      if constexpr (sizeof(entry) == sizeof(pair)) {
        const rest_order rest{sort->coo, how.leading};
        for (int64_t i = 0, last; how.leading < sort->coo.dims && i < count; i = last) {
          for (last = i + 1; last < count && e[last].key == e[i].key;) ++last;
          heap_sort(e + i, last - i, rest);
        }
      }
      int64_t groups = 0;
      each_entry(as, sort->coo, how, e, count, [&](int64_t, int64_t group) { groups = group + 1; });
      memory.sizes->first[b + 1] = groups;
    }
  });
}

int64_t sort_end(tb_sort* sort) {
  const space memory(*sort, layout(sort->coo));
  int64_t* const first = memory.sizes->first;
  first[0] = 0;
  for (int b = 0; b < TB_SORT_BUCKETS; ++b) first[b + 1] += first[b];
  return first[TB_SORT_BUCKETS];
}

void coalesce(const tb_coalesce* call, int64_t begin, int64_t end) {
  const tb_coo& coo = call->sort->coo;
  const layout how(coo);
  const space memory(*call->sort, how);
  with_entries(how, [&]<typename Entries>(Entries as) {
    for (int64_t b = begin; b < end; ++b) {
      const bucket<Entries> entries(as, coo, how, memory, b);
      if (call->indices != nullptr) entries.write_indices(call->indices, call->step);
      if (call->sums == nullptr) continue;
      with_dtype(call->dtype, [&]<typename T>(T) {
        const auto* const values = static_cast<const raw_of<T>*>(call->values);
        auto* const sums = static_cast<raw_of<T>*>(call->sums) + entries.first * call->inner;
        entries.template sum<T>(values, sums, call->inner);
      });
    }
  });
}

void sort_groups(const tb_sort* sort, int64_t* groups, int64_t begin, int64_t end) {
  const layout how(sort->coo);
  const space memory(*sort, how);
  with_entries(how, [&]<typename Entries>(Entries as) {
    for (int64_t b = begin; b < end; ++b) {
      const auto* const e = sorted<Entries>(memory, how, b);
      const int64_t first = memory.sizes->first[b], count = memory.sizes->start[b + 1] - memory.sizes->start[b];
      each_entry(as, sort->coo, how, e, count,
                 [&](int64_t i, int64_t group) { groups[as.position(e[i])] = first + group; });
    }
  });
}

}  // namespace tb_sparse::TOPBIT_ARCH
