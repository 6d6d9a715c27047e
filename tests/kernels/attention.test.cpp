// Rules of attention in one pass, against all scores at once in long double.
#include "row_calls.h"

using namespace kernel_tests;

namespace {

struct sizes {
  std::int64_t batch = 1, heads = 1, groups = 1;  // groups: heads that share keys and values
  std::int64_t queries, keys, width, value_width;
};
enum class masking { none, causal, added, kept, blind };

// [batch][heads][length][columns], or with `turned` [batch][length][heads][columns].
tb_matrices matrices(const void* data, const sizes& s, std::int64_t heads, std::int64_t length, std::int64_t columns,
                     bool turned) {
  tb_matrices m{};
  m.data = const_cast<void*>(data);
  m.col = 1;
  m.row = turned ? heads * columns : columns;
  m.batch[0] = s.heads / heads > 1 ? 0 : turned ? columns : length * columns;
  m.batch[1] = heads * length * columns;
  return m;
}
std::int64_t place(const tb_matrices& m, std::int64_t b, std::int64_t h, std::int64_t row, std::int64_t col) {
  return b * m.batch[1] + h * m.batch[0] + row * m.row + col * m.col;
}

template <typename T>
struct attention_case {
  stage memory;
  sizes s;
  array<T> query, key, value, out, added;
  array<byte> kept;
  tb_attention call{};

  attention_case(backend here, const sizes& of, masking how, bool turned)
      : memory(here),
        s(of),
        query(memory.make<T>(of.batch * of.heads * of.queries * of.width)),
        key(memory.make<T>(of.batch * of.heads / of.groups * of.keys * of.width)),
        value(memory.make<T>(of.batch * of.heads / of.groups * of.keys * of.value_width)),
        out(memory.make<T>(of.batch * of.heads * of.queries * of.value_width)),
        added(memory.make<T>(of.queries * of.keys)),
        kept(memory.make<byte>(of.keys)) {
    fill_between(query, 1, -2, 2);
    fill_between(key, 2, -2, 2);
    fill_between(value, 3, -2, 2);
    fill_between(added, 4, -3, 3);
    for (std::int64_t k = 0; k < s.keys; ++k) kept[k] = how == masking::blind ? 0 : byte(k % 3 != 1);
    const std::int64_t shared = s.heads / s.groups;
    call.out = matrices(out.seen_by_kernel(), s, s.heads, s.queries, s.value_width, turned);
    call.query = matrices(query.seen_by_kernel(), s, s.heads, s.queries, s.width, turned);
    call.key = matrices(key.seen_by_kernel(), s, shared, s.keys, s.width, turned);
    call.value = matrices(value.seen_by_kernel(), s, shared, s.keys, s.value_width, turned);
    if (how == masking::added) call.mask = {added.seen_by_kernel(), {}, s.keys, 1};
    if (how == masking::kept || how == masking::blind) call.mask = {kept.seen_by_kernel(), {}, 0, 1};
    call.mask_dtype = how == masking::added ? dtype_of<T> : std::int32_t(TB_BOOL);
    call.ndim = 2;
    call.sizes[0] = s.heads;
    call.sizes[1] = s.batch;
    call.queries = s.queries, call.keys = s.keys, call.width = s.width, call.value_width = s.value_width;
    call.scale = 0.3;
    call.dtype = dtype_of<T>;
    call.causal = how == masking::causal ? 1 : 0;
  }

  void check_query(differences<T>& found, std::int64_t b, std::int64_t h, std::int64_t q) const {
    std::vector<long double> scores;
    long double top = -std::numeric_limits<long double>::infinity(), sum = 0;
    for (std::int64_t k = 0; k < s.keys; ++k) {
      long double score = 0;
      for (std::int64_t i = 0; i < s.width; ++i) {
        score += (long double)query[place(call.query, b, h, q, i)] * key[place(call.key, b, h, k, i)];
      }
      score *= call.scale;
      if (call.mask.data != nullptr && call.mask_dtype != TB_BOOL) score += added[q * s.keys + k];
      const bool hidden =
          (call.causal != 0 && k > q) || (call.mask.data != nullptr && call.mask_dtype == TB_BOOL && kept[k] == 0);
      scores.push_back(hidden ? -std::numeric_limits<long double>::infinity() : score);
      top = std::fmax(top, scores.back());
    }
    const bool blind = std::isinf(top) && top < 0;
    for (long double& x : scores) sum += x = blind ? 0 : std::exp(x - top);
    for (std::int64_t c = 0; c < s.value_width; ++c) {
      long double total = 0;
      for (std::int64_t k = 0; k < s.keys; ++k) total += scores[std::size_t(k)] * value[place(call.value, b, h, k, c)];
      const std::int64_t at = place(call.out, b, h, q, c);
      found.add(at, out[at], {blind ? 0 : total / sum, blind ? 0 : 256 * std::numeric_limits<T>::epsilon()});
    }
  }
  std::string run() {
    CHECK(memory.run([&](const tb_kernels& k) { return k.attention(&call, nullptr); }) == TB_OK);
    differences<T> found;
    for (std::int64_t b = 0; b < s.batch; ++b) {
      for (std::int64_t h = 0; h < s.heads; ++h) {
        for (std::int64_t q = 0; q < s.queries; ++q) check_query(found, b, h, q);
      }
    }
    return found.text();
  }
};

constexpr masking all_masks[] = {masking::none, masking::causal, masking::added, masking::kept, masking::blind};

}  // namespace

TEMPLATE_TEST_CASE("attention: a mean of values weighted by the softmax of scores", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  std::string failures;
  for (const masking how : all_masks) {
    for (const std::int64_t queries : {1, 5, 50, 97}) {
      for (const std::int64_t keys : {0, 1, 7, 128, 129, 300}) {
        const sizes s{.queries = queries, .keys = keys, .width = 17, .value_width = 9};
        failures +=
            attention_case<float>(here, s, how, false).run() + attention_case<double>(here, s, how, false).run();
      }
    }
  }
  for (const std::int64_t width : {0, 1, 16, 64, 65}) {
    const sizes s{.queries = 13, .keys = 20, .width = width, .value_width = width + 1};
    failures += attention_case<float>(here, s, masking::none, false).run();
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("attention: batches, heads in any order, and heads that share keys", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  std::string failures;
  for (const bool turned : {false, true}) {
    for (const std::int64_t groups : {1, 4}) {
      for (const masking how : all_masks) {
        const sizes s{
            .batch = 3, .heads = 4, .groups = groups, .queries = 20, .keys = 33, .width = 8, .value_width = 8};
        failures += attention_case<float>(here, s, how, turned).run();
      }
    }
  }
  CHECK(failures == "");
}

TEMPLATE_TEST_CASE("attention: a NaN reaches every query that sees its key, and no other", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::attention);
  const sizes s{.queries = 60, .keys = 60, .width = 4, .value_width = 3};
  attention_case<float> one(here, s, masking::causal, false);
  one.key[40 * 4] = float(NAN);
  CHECK(one.memory.run([&](const tb_kernels& k) { return k.attention(&one.call, nullptr); }) == TB_OK);
  for (std::int64_t q = 0; q < 60; ++q) CHECK(std::isnan(one.out[q * 3]) == (q >= 40));
}

TEMPLATE_TEST_CASE("attention: the same to the bit on any number of threads", "[kernels]", reference, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>(&tb_kernels::attention);
  const sizes s{.batch = 2, .heads = 2, .queries = 150, .keys = 140, .width = 32, .value_width = 32};
  attention_case<float> one(here, s, masking::causal, true);
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
