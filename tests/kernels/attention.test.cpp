// Rules of attention in one pass, against all scores at once in long double.
#include <cfloat>

#include "oracle/attention.h"
#include "products.h"
#include "row_calls.h"
#include "support/scale.h"

using namespace kernel_tests;

namespace {

struct sizes {
  std::int64_t batch = 1, heads = 1, groups = 1;  // groups: heads that share keys and values
  std::int64_t queries, keys, width, value_width;
};
enum class masking { none, causal, added, kept, blind };

// [batch][heads][length][columns], with an element between rows, with rows that begin at multiples of 8, or with an
// element between batches; [batch][length][heads][columns], or [batch][heads][columns][length].
enum class lying { rows, apart, padded, shifted, transposed, columns };

std::int64_t pitch_of(lying how, std::int64_t columns) {
  return how == lying::apart ? columns + 1 : how == lying::padded ? (columns + 7) / 8 * 8 : columns;
}
std::int64_t batch_of(lying how, std::int64_t heads, std::int64_t length, std::int64_t columns) {
  return heads * length * pitch_of(how, columns) + (how == lying::shifted ? 1 : 0);
}

tb_matrices matrices(const void* data, const sizes& s, std::int64_t heads, std::int64_t length, std::int64_t columns,
                     lying how) {
  const std::int64_t pitch = pitch_of(how, columns);
  tb_matrices m{};
  m.data = const_cast<void*>(data);
  m.col = how == lying::columns ? length : 1;
  m.row = how == lying::columns ? 1 : how == lying::transposed ? heads * pitch : pitch;
  m.batch[0] = s.heads / heads > 1 ? 0 : how == lying::transposed ? pitch : length * pitch;
  m.batch[1] = batch_of(how, heads, length, columns);
  return m;
}
std::int64_t place(const tb_matrices& m, std::int64_t b, std::int64_t h, std::int64_t row, std::int64_t col) {
  return b * m.batch[1] + h * m.batch[0] + row * m.row + col * m.col;
}

template <typename E>
void fill_evenly(const array<E>& values, std::uint64_t seed, double most) {
  random_numbers random(seed);
  for (E& x : values) x = element<E>::from(random.between(-most, most));
}

template <typename E>
struct attention_case {
  using sum = typename element<E>::compute;
  stage memory;
  sizes s;
  array<E> query, key, value, out, added;  // added: [heads][queries][keys]
  array<byte> kept;
  tb_attention call{};

  // The first element of an operand may be one that starts no 16 bytes.
  attention_case(backend here, const sizes& of, masking how, lying as, std::int64_t skipped = 0)
      : memory(here),
        s(of),
        query(memory.make<E>(skipped + of.batch * batch_of(as, of.heads, of.queries, of.width))),
        key(memory.make<E>(skipped + of.batch * batch_of(as, of.heads / of.groups, of.keys, of.width))),
        value(memory.make<E>(skipped + of.batch * batch_of(as, of.heads / of.groups, of.keys, of.value_width))),
        out(memory.make<E>(of.batch * batch_of(as, of.heads, of.queries, of.value_width))),
        added(memory.make<E>(of.heads * of.queries * of.keys)),
        kept(memory.make<byte>(of.keys)) {
    fill_evenly(query, 1, 2);
    fill_evenly(key, 2, 2);
    fill_evenly(value, 3, 2);
    fill_evenly(added, 4, 3);
    const auto hides = [&](std::int64_t i) { return i / of.keys % 7 == 4 || i % of.keys % 5 == 2; };
    for (std::int64_t i = 0; i < added.size(); ++i) {
      if (hides(i)) added[i] = element<E>::from(-std::numeric_limits<double>::infinity());
    }
    for (std::int64_t k = 0; k < s.keys; ++k) kept[k] = how == masking::blind ? 0 : byte(k % 3 != 1);
    const std::int64_t shared = s.heads / s.groups;
    call.out = matrices(out.seen_by_kernel(), s, s.heads, s.queries, s.value_width, as);
    query = query.from(skipped), key = key.from(skipped), value = value.from(skipped);
    call.query = matrices(query.seen_by_kernel(), s, s.heads, s.queries, s.width, as);
    call.key = matrices(key.seen_by_kernel(), s, shared, s.keys, s.width, as);
    call.value = matrices(value.seen_by_kernel(), s, shared, s.keys, s.value_width, as);
    if (how == masking::added) call.mask = {added.seen_by_kernel(), {s.queries * s.keys}, s.keys, 1};
    if (how == masking::kept || how == masking::blind) call.mask = {kept.seen_by_kernel(), {}, 0, 1};
    call.mask_dtype = how == masking::added ? element<E>::dtype : std::int32_t(TB_BOOL);
    call.ndim = 2;
    call.sizes[0] = s.heads;
    call.sizes[1] = s.batch;
    call.queries = s.queries, call.keys = s.keys, call.width = s.width, call.value_width = s.value_width;
    call.scale = 0.3;
    call.dtype = element<E>::dtype;
    call.causal = how == masking::causal ? 1 : 0;
  }

  static sum number(const array<E>& of, const tb_matrices& m, std::int64_t b, std::int64_t h, std::int64_t row,
                    std::int64_t col) {
    return element<E>::value(of[place(m, b, h, row, col)]);
  }

  void check_query(differences<sum>& found, std::int64_t b, std::int64_t h, std::int64_t q) const {
    const bool masked = call.mask.data != nullptr;
    const oracle::attention wanted(s.keys, [&](std::int64_t k) {
      if ((call.causal != 0 && k > q) || (masked && call.mask_dtype == TB_BOOL && kept[k] == 0)) {
        return -std::numeric_limits<long double>::infinity();
      }
      const auto product = oracle::sum_of(s.width, [&](std::int64_t i) {
        return (long double)number(query, call.query, b, h, q, i) * number(key, call.key, b, h, k, i);
      });
      const bool adds = masked && call.mask_dtype != TB_BOOL;
      return product.value * call.scale + (adds ? element<E>::value(added[(h * s.queries + q) * s.keys + k]) : sum(0));
    });
    for (std::int64_t c = 0; c < s.value_width; ++c) {
      // Halves round each weight, and the result; values are at most 2.
      const long double slack = 256 * std::numeric_limits<sum>::epsilon() + 4 * element<E>::rounding;
      found.add(place(call.out, b, h, q, c), number(out, call.out, b, h, q, c),
                {wanted.mean_of([&](std::int64_t k) { return number(value, call.value, b, h, k, c); }),
                 wanted.blind() ? 0 : slack});
    }
  }
  // What lies between rows of the result is not its.
  void check_gaps(const std::vector<E>& before) const {
    std::vector<bool> of_result(before.size());
    for (std::int64_t b = 0; b < s.batch; ++b) {
      for (std::int64_t h = 0; h < s.heads; ++h) {
        for (std::int64_t q = 0; q < s.queries; ++q) {
          for (std::int64_t c = 0; c < s.value_width; ++c) of_result[std::size_t(place(call.out, b, h, q, c))] = true;
        }
      }
    }
    bool untouched = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!of_result[i]) untouched = untouched && std::memcmp(&out[std::int64_t(i)], &before[i], sizeof(E)) == 0;
    }
    CHECK(untouched);
  }
  std::string run() {
    const std::vector<E> before(out.begin(), out.end());
    CHECK(memory.run([&](const tb_kernels& k) { return k.attention(&call, nullptr); }) == TB_OK);
    check_gaps(before);
    differences<sum> found;
    for (std::int64_t b = 0; b < s.batch; ++b) {
      for (std::int64_t h = 0; h < s.heads; ++h) {
        for (std::int64_t q = 0; q < s.queries; ++q) check_query(found, b, h, q);
      }
    }
    return found.text();
  }
};

constexpr masking all_masks[] = {masking::none, masking::causal, masking::added, masking::kept, masking::blind};
constexpr lying all_layouts[] = {lying::rows,    lying::apart,      lying::padded,
                                 lying::shifted, lying::transposed, lying::columns};

}  // namespace

TEMPLATE_TEST_CASE("attention: a mean of values weighted by the softmax of scores", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  std::string failures;
  sampled_cases sample;
  for (const masking how : all_masks) {
    for (const std::int64_t queries : {1, 5, 50, 97}) {
      for (const std::int64_t keys : {0, 1, 7, 128, 129, 300}) {
        if (!sample.is_drawn()) continue;
        const sizes s{.queries = queries, .keys = keys, .width = 17, .value_width = 9};
        failures += attention_case<float>(here, s, how, lying::rows).run() +
                    attention_case<double>(here, s, how, lying::rows).run();
      }
    }
  }
  for (const std::int64_t width : {0, 1, 16, 64, 65}) {
    const sizes s{.queries = 13, .keys = 20, .width = width, .value_width = width + 1};
    failures += attention_case<float>(here, s, masking::none, lying::rows).run();
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("attention: batches, heads in any order, and heads that share keys", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  std::string failures;
  sampled_cases sample;
  for (const lying as : all_layouts) {
    for (const std::int64_t groups : {1, 4}) {
      for (const masking how : all_masks) {
        if (!sample.is_drawn()) continue;
        const sizes s{
            .batch = 3, .heads = 4, .groups = groups, .queries = 20, .keys = 33, .width = 8, .value_width = 8};
        failures += attention_case<float>(here, s, how, as).run();
      }
    }
  }
  CHECK(failures == "");
}

// The kernels have tiles of 64 and 128 queries, 64 keys, and widths up to 32, 64, 128 and beyond.
template <typename E>
static std::string failures_of_halves(backend here) {
  std::string failures;
  sampled_cases sample;
  for (const masking how : all_masks) {
    for (const std::int64_t queries : {1, 130}) {
      for (const std::int64_t keys : {0, 1, 64, 200}) {
        if (!sample.is_drawn()) continue;
        const sizes s{.queries = queries, .keys = keys, .width = 64, .value_width = 64};
        failures += attention_case<E>(here, s, how, lying::rows).run();
      }
    }
    for (const lying as : all_layouts) {
      for (const std::int64_t width : {16, 33, 128}) {
        if (!sample.is_drawn()) continue;
        sizes s{.batch = 2, .heads = 2, .queries = 70, .keys = 72, .width = width, .value_width = width};
        if (as == lying::transposed) s.groups = 2;
        failures += attention_case<E>(here, s, how, as).run();
      }
    }
  }
  for (const std::int64_t width : {0, 1, 8, 24, 40, 120, 160}) {
    for (const std::int64_t value_width : {1, 8, 33, 128, 136}) {
      if (!sample.is_drawn()) continue;
      const sizes s{.queries = 40, .keys = 70, .width = width, .value_width = value_width};
      failures += attention_case<E>(here, s, masking::causal, lying::rows).run();
    }
  }
  for (const double scale : {-0.5, 0.0}) {
    attention_case<E> one(here, {.queries = 40, .keys = 70, .width = 16, .value_width = 16}, masking::none,
                          lying::rows);
    one.call.scale = scale;
    failures += one.run();
  }
  for (const std::int64_t skipped : {1, 2, 8}) {
    const sizes s{.queries = 20, .keys = 70, .width = 64, .value_width = 32};
    failures += attention_case<E>(here, s, masking::none, lying::rows, skipped).run();
  }
  return failures;
}

TEMPLATE_TEST_CASE("attention: half precision is summed in float32, if the table supports it", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  if (here.kernels->attention_fp16 != 0) {
    CHECK(failures_of_halves<tb_kernel::half>(here) == "");
    CHECK(failures_of_halves<tb_kernel::bfloat16>(here) == "");
    return;
  }
  for (const std::int32_t dtype : {TB_F16, TB_BF16}) {
    tb_attention call{};
    call.dtype = dtype;
    CHECK(here.kernels->attention(&call, nullptr) == TB_UNSUPPORTED_DTYPE);
  }
}

// Of queries and keys that are so far apart that one weight is 1 and the others are 0; scores grow with `size`.
template <typename E>
static void check_great_scores(backend here, double size) {
  const sizes s{.queries = 20, .keys = 70, .width = 16, .value_width = 8};
  attention_case<E> one(here, s, masking::none, lying::rows);
  for (std::int64_t q = 0; q < s.queries; ++q) {
    for (std::int64_t i = 0; i < s.width; ++i) one.query[q * s.width + i] = element<E>::from(size);
  }
  // Odd numbers of digits, so that products are not exact in float32.
  for (std::int64_t k = 0; k < s.keys; ++k) {
    for (std::int64_t i = 0; i < s.width; ++i)
      one.key[k * s.width + i] = element<E>::from(k == 66 ? size * 1.1 : -size * (0.3 + 0.01 * double(k)));
  }
  CHECK(one.memory.run([&](const tb_kernels& k) { return k.attention(&one.call, nullptr); }) == TB_OK);
  for (std::int64_t q = 0; q < s.queries; ++q) {
    for (std::int64_t c = 0; c < s.value_width; ++c) {
      CHECK(element<E>::value(one.out[q * s.value_width + c]) == element<E>::value(one.value[66 * s.value_width + c]));
    }
  }
}

// The mask adds the lowest number to every score of a query: all weights are alike then.
template <typename E>
static void check_lowest_mask(backend here, double lowest) {
  const sizes s{.queries = 3, .keys = 70, .width = 16, .value_width = 8};
  attention_case<E> one(here, s, masking::added, lying::rows);
  for (std::int64_t k = 0; k < s.keys; ++k) {
    one.added[k] = element<E>::from(lowest);
    one.added[s.keys + k] = element<E>::from(k < 5 ? 0 : lowest);
  }
  for (std::int64_t i = 0; i < s.width; ++i) one.query[i] = element<E>::from(0);
  CHECK(one.memory.run([&](const tb_kernels& k) { return k.attention(&one.call, nullptr); }) == TB_OK);
  double mean = 0;
  for (std::int64_t k = 0; k < s.keys; ++k) mean += double(element<E>::value(one.value[k * s.value_width])) / 70;
  const double slack = 4 * double(element<E>::rounding) + 1e-5;
  CHECK(std::abs(double(element<E>::value(one.out[0])) - mean) <= slack);
  differences<typename attention_case<E>::sum> found;
  one.check_query(found, 0, 0, 1);
  CHECK(found.text() == "");
}

template <typename E>
static void check_nan(backend here) {
  const sizes s{.queries = 60, .keys = 60, .width = 8, .value_width = 3};
  attention_case<E> one(here, s, masking::causal, lying::rows);
  one.key[40 * 8] = element<E>::from(NAN);
  CHECK(one.memory.run([&](const tb_kernels& k) { return k.attention(&one.call, nullptr); }) == TB_OK);
  for (std::int64_t q = 0; q < 60; ++q) CHECK(std::isnan(element<E>::value(one.out[q * 3])) == (q >= 40));
}

TEMPLATE_TEST_CASE("attention: a NaN reaches every query that sees its key, and no other", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  check_nan<float>(here);
  check_nan<double>(here);
  if (here.kernels->attention_fp16 == 0) return;
  check_nan<tb_kernel::half>(here);
  check_nan<tb_kernel::bfloat16>(here);
}

TEMPLATE_TEST_CASE("attention: the maximum of large scores has all the weight", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  for (const double size : {1e2, 1e5, 1e9, 1e15}) check_great_scores<float>(here, size);
  if (here.kernels->attention_fp16 == 0) return;
  for (const double size : {1e2, 1e3, 5e4}) check_great_scores<tb_kernel::half>(here, size);
  for (const double size : {1e2, 1e5, 1e9, 1e15}) check_great_scores<tb_kernel::bfloat16>(here, size);
}

TEMPLATE_TEST_CASE("attention: the lowest number in an additive mask excludes a key unless all are excluded",
                   "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  check_lowest_mask<float>(here, -FLT_MAX);
  if (here.kernels->attention_fp16 == 0) return;
  check_lowest_mask<tb_kernel::half>(here, -65504);
  check_lowest_mask<tb_kernel::bfloat16>(here, -3.3895313892515355e38);
}

TEMPLATE_TEST_CASE("attention: bitwise the same on any number of threads", "[kernels]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>(&tb_kernels::attention);
  const sizes s{.batch = 2, .heads = 2, .queries = 150, .keys = 140, .width = 32, .value_width = 32};
  attention_case<float> one(here, s, masking::causal, lying::transposed);
  CHECK(same_on_threads(one.out, [&] { CHECK(here.kernels->attention(&one.call, nullptr) == TB_OK); }) == "");
}

TEMPLATE_TEST_CASE("attention: other types are refused", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  tb_attention call{};
  call.dtype = TB_I64;
  CHECK(here.kernels->attention(&call, nullptr) == TB_UNSUPPORTED_DTYPE);
  float mask = 0;
  call.dtype = TB_F64;
  call.mask.data = &mask;
  call.mask_dtype = TB_F32;
  CHECK(here.kernels->attention(&call, nullptr) == TB_UNSUPPORTED_DTYPE);
}
