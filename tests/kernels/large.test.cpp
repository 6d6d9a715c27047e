// Work large enough for threads, for tiles of transposed operands and for stores past the cache: right, the same for
// every number of threads, and nothing written beside the result.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support.h"

using namespace kernel_tests;

namespace {

constexpr std::int64_t bytes_of[TB_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

// Bytes of a tensor of this dtype, deterministic, without NaN; `margin` bytes of pattern on both sides.
struct memory {
  static constexpr std::int64_t margin = 192;
  std::vector<unsigned char> bytes;
  std::int64_t begin, count, element;
  std::int32_t dtype;

  // The first element is `shift` elements off an address that is aligned to 64 bytes.
  memory(std::int64_t n, std::int32_t type, std::int64_t shift = 0)
      : bytes(static_cast<std::size_t>(n * bytes_of[type] + 2 * margin + 64), block::pattern),
        count(n),
        element(bytes_of[type]),
        dtype(type) {
    const auto at = reinterpret_cast<std::uintptr_t>(bytes.data()) + margin;
    begin = margin + std::int64_t((64 - at % 64) % 64) + shift * element;
    if (begin + n * element + margin > std::int64_t(bytes.size())) bytes.resize(bytes.size() + 64, block::pattern);
  }
  // Numbers whose sums round, so that their order is seen.
  void fill_unevenly(std::uint32_t seed) {
    std::uint32_t x = seed;
    for (std::int64_t i = 0; i < count; ++i) {
      x = x * 1664525 + 1013904223;
      const double any = (double(x) - 0x1p31) * 0x1p-28;
      switch (dtype) {
        case TB_F32: put(i, float(any)); break;
        case TB_F64: put(i, any); break;
        case TB_BF16: put(i, std::uint16_t(bits(float(any)) >> 16)); break;
        default: put(i, std::int64_t(x)); break;
      }
    }
  }
  void fill(std::uint32_t seed) {
    std::uint32_t x = seed;
    for (std::int64_t i = 0; i < count; ++i) {
      x = x * 1664525 + 1013904223;
      const auto small = std::int64_t(x >> 24) - 128;
      switch (dtype) {
        case TB_F32: put(i, float(small) / 8); break;
        case TB_F64: put(i, double(small) / 8); break;
        case TB_I64: put(i, small); break;
        case TB_BF16: put(i, std::uint16_t(bits(float(small)) >> 16)); break;
        case TB_F16: put(i, std::uint16_t(small)); break;
        default: put(i, std::uint8_t(small)); break;
      }
    }
  }
  static std::uint32_t bits(float x) {
    std::uint32_t b;
    std::memcpy(&b, &x, sizeof b);
    return b;
  }
  template <typename T>
  void put(std::int64_t i, T x) {
    std::memcpy(at(i), &x, sizeof x);
  }
  template <typename T>
  T get(std::int64_t i) const {
    T x;
    std::memcpy(&x, bytes.data() + begin + i * element, sizeof x);
    return x;
  }
  unsigned char* at(std::int64_t i) { return bytes.data() + begin + i * element; }
  bool untouched_beside() const {
    for (std::int64_t i = 0; i < std::int64_t(bytes.size()); ++i) {
      if ((i < begin || i >= begin + count * element) && bytes[std::size_t(i)] != block::pattern) return false;
    }
    return true;
  }
  tb_operand operand(std::vector<std::int64_t> strides) {
    tb_operand o{};
    o.data = at(0);
    std::copy(strides.begin(), strides.end(), o.strides);
    o.dtype = dtype;
    return o;
  }
};

tb_plan plan_of(std::vector<std::int64_t> sizes, std::vector<tb_operand> operands) {
  tb_plan p{};
  p.ndim = std::int32_t(sizes.size());
  p.operands = std::int32_t(operands.size());
  std::copy(sizes.begin(), sizes.end(), p.sizes);
  std::copy(operands.begin(), operands.end(), p.operand);
  return p;
}

tb_status add(const tb_kernels& k, const tb_plan& plan, std::int32_t compute) {
  tb_elementwise call{};
  call.plan = plan;
  call.op = TB_ADD;
  call.compute = compute;
  call.number[0] = {1, 1};
  return k.elementwise(&call, nullptr);
}

}  // namespace

TEMPLATE_TEST_CASE("large: sums of transposed matrices", "", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  // Neither a whole number of tiles; more elements than a part, and fewer.
  for (const auto& [columns, rows] : {std::pair<std::int64_t, std::int64_t>{517, 431}, {131, 33}, {40, 17}}) {
    for (const std::int32_t type : {TB_F32, TB_F64, TB_I64}) {
      memory out(columns * rows, type, 3), a(columns * rows, type), b(columns * rows, type, 1);
      a.fill(1);
      b.fill(2);
      const tb_plan plan =
          plan_of({columns, rows}, {out.operand({1, columns}), a.operand({rows, 1}), b.operand({1, columns})});
      CHECK(add(*here.kernels, plan, type) == TB_OK);
      bool right = true;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const std::int64_t i = r * columns + c, j = c * rows + r;
          right =
              right && (type == TB_F32   ? out.get<float>(i) == a.get<float>(j) + b.get<float>(i)
                        : type == TB_F64 ? out.get<double>(i) == a.get<double>(j) + b.get<double>(i)
                                         : out.get<std::int64_t>(i) == a.get<std::int64_t>(j) + b.get<std::int64_t>(i));
        }
      }
      INFO("dtype " << type << ", " << columns << " by " << rows);
      CHECK(right);
      CHECK(out.untouched_beside());
    }
  }
}

TEMPLATE_TEST_CASE("large: transposed operands of other dtypes are converted", "", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t columns = 203, rows = 190;
  memory out(columns * rows, TB_BF16), a(columns * rows, TB_BF16), b(columns * rows, TB_F64);
  a.fill(5);
  b.fill(6);
  CHECK(add(*here.kernels,
            plan_of({columns, rows}, {out.operand({1, columns}), a.operand({rows, 1}), b.operand({rows, 1})}),
            TB_F32) == TB_OK);
  std::int64_t wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto widened = [](std::uint16_t x) {
        const std::uint32_t bits = std::uint32_t(x) << 16;
        float f;
        std::memcpy(&f, &bits, sizeof f);
        return f;
      };
      const float sum = widened(a.get<std::uint16_t>(c * rows + r)) + float(b.get<double>(c * rows + r));
      const float found = widened(out.get<std::uint16_t>(r * columns + c));
      wrong += std::abs(found - sum) > std::abs(sum) / 256 ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(out.untouched_beside());
}

TEMPLATE_TEST_CASE("large: transposing copies, for every element size", "", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t columns = 301, rows = 257;
  for (const std::int32_t type : {TB_U8, TB_BF16, TB_F32, TB_F64}) {
    memory out(columns * rows, type, 1), in(columns * rows, type);
    in.fill(9);
    const tb_plan plan = plan_of({columns, rows}, {out.operand({1, columns}), in.operand({rows, 1})});
    CHECK(here.kernels->copy(&plan, nullptr) == TB_OK);
    bool right = true;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        right = right && std::memcmp(out.at(r * columns + c), in.at(c * rows + r), std::size_t(out.element)) == 0;
      }
    }
    INFO("dtype " << type);
    CHECK(right);
    CHECK(out.untouched_beside());
  }
  memory wide(columns * rows, TB_F64), in(columns * rows, TB_F32);
  in.fill(10);
  const tb_plan plan = plan_of({columns, rows}, {wide.operand({1, columns}), in.operand({rows, 1})});
  CHECK(here.kernels->copy(&plan, nullptr) == TB_OK);
  bool right = true;
  for (std::int64_t i = 0; i < columns * rows; ++i) {
    right = right && wide.get<double>(i) == double(in.get<float>(i % columns * rows + i / columns));
  }
  CHECK(right);
}

TEMPLATE_TEST_CASE("large: results larger than the cache, at any alignment", "", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t n = 3'100'003;  // three operands of floats are more than the cache is taken to hold
  memory a(n, TB_F32), b(n, TB_F32, 5);
  a.fill(1);
  b.fill(2);
  for (const std::int64_t shift : {0, 1, 15}) {
    memory out(n, TB_F32, shift);
    CHECK(add(*here.kernels, plan_of({n}, {out.operand({1}), a.operand({1}), b.operand({1})}), TB_F32) == TB_OK);
    bool right = true;
    for (std::int64_t i = 0; i < n; ++i) right = right && out.get<float>(i) == a.get<float>(i) + b.get<float>(i);
    CHECK(right);
    CHECK(out.untouched_beside());
  }
  memory whole(n, TB_I64, 2), others(n, TB_I64), sums(n, TB_I64, 5);
  whole.fill(3);
  others.fill(4);
  CHECK(add(*here.kernels, plan_of({n}, {sums.operand({1}), whole.operand({1}), others.operand({1})}), TB_I64) ==
        TB_OK);
  bool same = true;
  for (std::int64_t i = 0; i < n; ++i) {
    same = same && sums.get<std::int64_t>(i) == whole.get<std::int64_t>(i) + others.get<std::int64_t>(i);
  }
  CHECK(same);
  CHECK(sums.untouched_beside());
  memory truth(n, TB_BOOL, 7);
  tb_elementwise less{};
  less.plan = plan_of({n}, {truth.operand({1}), a.operand({1}), b.operand({1})});
  less.op = TB_LT;
  less.compute = TB_F32;
  CHECK(here.kernels->elementwise(&less, nullptr) == TB_OK);
  bool right = true;
  for (std::int64_t i = 0; i < n; ++i) right = right && truth.get<byte>(i) == (a.get<float>(i) < b.get<float>(i));
  CHECK(right);
  CHECK(truth.untouched_beside());
  constexpr std::int64_t long_copy = 4'500'001;
  memory from(long_copy, TB_F32, 2), to(long_copy, TB_F32, 3);
  from.fill(3);
  const tb_plan copied = plan_of({long_copy}, {to.operand({1}), from.operand({1})});
  CHECK(here.kernels->copy(&copied, nullptr) == TB_OK);
  CHECK(std::memcmp(to.at(0), from.at(0), std::size_t(long_copy * 4)) == 0);
  CHECK(to.untouched_beside());
}

TEMPLATE_TEST_CASE("large: copies of rows past the cache, adjacent or apart, at any alignment", "", sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t length = 1031, rows = 2100, planes = 2;
  for (const std::int32_t type : {TB_F32, TB_F64}) {
    memory in(length * rows, type, 3);
    in.fill(4);
    for (const std::int64_t apart : {0, 1, 15, 64}) {
      const std::int64_t step = length + apart, plane = rows * step;
      memory out(planes * plane - apart, type, apart + 1);
      const tb_plan repeated =
          plan_of({length, rows, planes}, {out.operand({1, step, plane}), in.operand({1, length, 0})});
      INFO("dtype " << type << ", " << apart << " elements apart");
      CHECK(here.kernels->copy(&repeated, nullptr) == TB_OK);
      bool right = true;
      for (std::int64_t r = 0; r < planes * rows; ++r) {
        const auto bytes = std::size_t(length * out.element);
        right = right && std::memcmp(out.at(r * step), in.at(r % rows * length), bytes) == 0;
        for (std::int64_t i = 0; i < apart * out.element && r + 1 < planes * rows; ++i) {
          right = right && out.at(r * step + length)[i] == block::pattern;
        }
      }
      CHECK(right);
      CHECK(out.untouched_beside());
    }
  }
}

TEMPLATE_TEST_CASE("large: reversed rows past the cache, at any alignment", "", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t length = 1031, bytes = 20 << 20;
  for (const std::int32_t type : {TB_BOOL, TB_BF16, TB_F32, TB_F64}) {
    const std::int64_t rows = bytes / bytes_of[type] / length;
    memory in(length * rows, type, 3);
    in.fill(4);
    tb_operand from = in.operand({-1, length});
    from.data = in.at(length - 1);
    for (const std::int64_t shift : {0, 1, 5}) {
      memory out(length * rows, type, shift);
      const tb_plan reversed = plan_of({length, rows}, {out.operand({1, length}), from});
      INFO("dtype " << type << ", shifted by " << shift);
      CHECK(here.kernels->copy(&reversed, nullptr) == TB_OK);
      bool right = true;
      for (std::int64_t i = 0; i < length * rows; ++i) {
        const std::int64_t row = i / length, column = i % length;
        right =
            right && std::memcmp(out.at(i), in.at(row * length + length - 1 - column), std::size_t(in.element)) == 0;
      }
      CHECK(right);
      CHECK(out.untouched_beside());
    }
  }
}

TEMPLATE_TEST_CASE("large: reductions give the same bits on any number of threads", "", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t rows = 700, columns = 431;
  struct layout {
    std::vector<std::int64_t> sizes, in, out;
    std::int32_t reduced;
  };
  const layout layouts[] = {
      {{rows * columns}, {1}, {0}, 1},                            // all of it, dense
      {{columns, rows}, {1, columns}, {0, 0}, 2},                 // all of it, by rows
      {{columns, rows}, {rows, 1}, {0, 0}, 2},                    // and not dense
      {{columns, rows}, {1, columns}, {0, 1}, 1},                 // along rows
      {{rows, columns}, {columns, 1}, {0, 1}, 1},                 // across them
      {{columns, 1, rows}, {1, columns, columns}, {0, 0, 1}, 2},  // a dimension of one
      {{rows / 2, columns}, {2 * columns, 1}, {0, 1}, 1},         // across some of them
      {{rows, columns / 2}, {columns, 2}, {0, 1}, 1},             // across columns that are not neighbours
  };
  for (const std::int32_t type : {TB_F32, TB_F64, TB_I64}) {
    memory in(rows * columns, type);
    in.fill_unevenly(77);
    if (type == TB_F32) in.put(123456, std::nanf(""));
    for (const layout& l : layouts) {
      for (const std::int32_t op : {TB_SUM, TB_PROD, TB_MAX, TB_MIN_INDEX, TB_ARGMAX, TB_VAR, TB_NORM, TB_NANSUM}) {
        if (type == TB_I64 && (op == TB_VAR || op == TB_NORM)) continue;
        const std::int64_t kept = l.out.back() == 0 ? 1 : l.sizes.back();
        const bool place = op == TB_ARGMAX;
        std::vector<unsigned char> first;
        for (const std::int32_t threads : {1, 2, 3, 5}) {
          const with_threads now(threads);
          memory out(kept, place ? std::int32_t(TB_I64) : type), index(kept, TB_I64);
          tb_reduction call{};
          call.op = op;
          call.compute = type;
          call.number[0] = {2, 2};
          std::vector<tb_operand> operands{out.operand(l.out)};
          if (op == TB_MIN_INDEX) operands.push_back(index.operand(l.out));
          operands.push_back(in.operand(l.in));
          call.plan = plan_of(l.sizes, operands);
          call.plan.reduced = l.reduced;
          REQUIRE(here.kernels->reduce(&call, nullptr) == TB_OK);
          std::vector<unsigned char> found(out.at(0), out.at(0) + kept * out.element);
          if (op == TB_MIN_INDEX) found.insert(found.end(), index.at(0), index.at(0) + kept * 8);
          if (threads == 1) first = found;
          INFO("op " << op << ", dtype " << type << ", threads " << threads);
          CHECK(found == first);
          CHECK(out.untouched_beside());
        }
        if (op == TB_ARGMAX && type == TB_F32 && kept == 1) {
          std::int64_t at;
          std::memcpy(&at, first.data(), sizeof at);
          const std::int64_t r = 123456 / columns, c = 123456 % columns;
          const bool dense = l.in.front() == 1;
          // The NaN is the greatest; in the layout that is not dense it stands elsewhere.
          CHECK(at == (dense ? 123456 : 123456 % rows * columns + 123456 / rows));
          CHECK(r * columns + c == 123456);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("large: half precision column sums are the same on any number of threads", "", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t rows = 999, columns = 1003;
  memory in(rows * columns, TB_BF16);
  in.fill_unevenly(5);
  std::vector<unsigned char> first;
  for (const std::int32_t threads : {1, 2, 3, 8}) {
    const with_threads now(threads);
    memory out(columns, TB_F32);
    tb_reduction call{};
    call.op = TB_SUM;
    call.compute = TB_F32;
    call.plan = plan_of({rows, columns}, {out.operand({0, 1}), in.operand({columns, 1})});
    call.plan.reduced = 1;
    REQUIRE(here.kernels->reduce(&call, nullptr) == TB_OK);
    const std::vector<unsigned char> found(out.at(0), out.at(0) + columns * 4);
    if (threads == 1) first = found;
    CHECK(found == first);
  }
}

TEMPLATE_TEST_CASE("large: sums are as exact as short ones", "", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t n = 1'000'003;
  memory in(n, TB_F32), out(1, TB_F32);
  for (std::int64_t i = 0; i < n; ++i) in.put(i, 1.0f + float(i % 97) * 0x1p-12f);
  long double wanted = 0;
  for (std::int64_t i = 0; i < n; ++i) wanted += in.get<float>(i);
  for (const std::int32_t threads : {1, 3}) {
    const with_threads now(threads);
    tb_reduction call{};
    call.op = TB_SUM;
    call.compute = TB_F32;
    call.plan = plan_of({n}, {out.operand({0}), in.operand({1})});
    call.plan.reduced = 1;
    REQUIRE(here.kernels->reduce(&call, nullptr) == TB_OK);
    // What the lanes of one block lose, and the rounding of the result.
    CHECK(std::abs((long double)(out.get<float>(0)) - wanted) <= wanted * 0x1p-22L);
  }
}

TEMPLATE_TEST_CASE("large: elementwise work and copies in tasks cover everything", "", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>();
  constexpr std::int64_t n = 200'003, rows = 3;
  memory a(n * rows, TB_F32), b(n * rows, TB_F32);
  a.fill(11);
  b.fill(12);
  for (const std::int32_t threads : {1, 2, 3, 5}) {
    const with_threads now(threads);
    memory out(n * rows, TB_F32, threads);
    CHECK(add(*here.kernels, plan_of({n, rows}, {out.operand({1, n}), a.operand({1, n}), b.operand({rows, 1})}),
              TB_F32) == TB_OK);
    bool right = true;
    for (std::int64_t i = 0; i < n * rows; ++i) {
      right = right && out.get<float>(i) == a.get<float>(i) + b.get<float>(i % n * rows + i / n);
    }
    CHECK(right);
    memory bfloat16s(n * rows, TB_BF16);
    const tb_plan copied = plan_of({n * rows}, {bfloat16s.operand({1}), a.operand({1})});
    CHECK(here.kernels->copy(&copied, nullptr) == TB_OK);
    right = true;
    for (std::int64_t i = 0; i < n * rows; ++i) {
      right = right && bfloat16s.get<std::uint16_t>(i) == memory::bits(a.get<float>(i)) >> 16;
    }
    CHECK(right);
    CHECK(bfloat16s.untouched_beside());
  }
}
