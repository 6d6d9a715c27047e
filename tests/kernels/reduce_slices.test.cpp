// Reductions of several rows whose results lie between the rows: memory is read in order, a slice of each result at a
// time, and the result is that of each reduction alone.
#include "plans.h"

using namespace kernel_tests;

namespace {

struct operation {
  tb_reduction_op op;
  double number = 0;
};

// Dense [rows][results][length], reduced over rows and length, whole and each result by itself; empty if they have the
// same bits.
std::string try_slices(backend here, operation what, std::int64_t length, std::int64_t rows, std::int64_t results) {
  const bool indexed = what.op == TB_MAX_INDEX;
  stage memory(here);
  const auto in = memory.make<float>(length * rows * results);
  const auto whole = memory.make<float>(results), alone = memory.make<float>(results);
  const auto whole_index = memory.make<std::int64_t>(results), alone_index = memory.make<std::int64_t>(results);
  random_numbers random(std::uint64_t(length + rows));
  for (float& x : in) x = float(random.between(0.99, 1.01));
  const auto reduced = [&](std::int64_t first, std::int64_t count, const array<float>& out,
                           const array<std::int64_t>& index) {
    tb_reduction call{};
    call.op = what.op;
    call.compute = TB_F32;
    call.number[0].f = what.number;
    tb_plan& plan = call.plan;
    plan.ndim = count == 1 ? 2 : 3;
    plan.reduced = 2;
    plan.operands = indexed ? 3 : 2;
    plan.sizes[0] = length;
    plan.sizes[1] = rows;
    plan.sizes[2] = count;
    plan.operand[0] = {out.seen_by_kernel() + first, {0, 0, 1}, TB_F32, 0};
    if (indexed) plan.operand[1] = {index.seen_by_kernel() + first, {0, 0, 1}, TB_I64, 0};
    plan.operand[plan.operands - 1] = {in.seen_by_kernel() + first * length, {1, results * length, length}, TB_F32, 0};
    CHECK(memory.run([&](const tb_kernels& k) { return k.reduce(&call, nullptr); }) == TB_OK);
  };
  for (std::int64_t i = 0; i < results; ++i) reduced(i, 1, alone, alone_index);
  for (const std::int32_t threads : {1, 3}) {
    const with_threads now(threads);
    std::fill(whole.begin(), whole.end(), -1.0f);
    std::fill(whole_index.begin(), whole_index.end(), -1);
    reduced(0, results, whole, whole_index);
    const bool same = std::memcmp(whole.begin(), alone.begin(), std::size_t(results) * sizeof(float)) == 0;
    const bool same_index = !indexed || std::equal(whole_index.begin(), whole_index.end(), alone_index.begin());
    if (same && same_index) continue;
    return "operation " + std::to_string(what.op) + ", " + std::to_string(length) + " by " + std::to_string(rows) +
           " for " + std::to_string(results) + " on " + std::to_string(threads) + " threads\n";
  }
  return "";
}

}  // namespace

TEMPLATE_TEST_CASE("reduce: a result between the rows of others has the bits of its reduction alone",
                   "[kernels][threads]", scalar, sse2, avx2, avx512) {
  const backend here = need<TestType>(&tb_kernels::reduce);
  std::string failures;
  for (const operation what : {operation{TB_SUM}, operation{TB_PROD}, operation{TB_VAR, 1}, operation{TB_NORM, 2},
                               operation{TB_LOGSUMEXP}, operation{TB_MAX}, operation{TB_MAX_INDEX}}) {
    failures += try_slices(here, what, 1030, 3, 70) + try_slices(here, what, 5000, 9, 2) +
                // Longer than two parts of a long reduction.
                try_slices(here, what, 2100, 131, 3);
  }
  CHECK(failures == "");
}
