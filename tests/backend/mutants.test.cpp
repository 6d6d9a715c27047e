// The conformance test tests itself: a device with one fault at a time, each of which it has to find, at the level that
// is about it.
#include <topbit/kernel_abi.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "far_memory.h"
#include "support/scale.h"

import topbit;
import topbit.backend;
import topbit.backend_test;

namespace tb = topbit;
namespace kit = topbit::backend_test;
using far_memory::flipped;

namespace {

enum fault {
  none,
  misaligned,
  wants_too_little,
  last_byte,
  inner_addresses,
  strides,
  conversion,
  filling,
  sequence,
  negative_zero_sizes,
  exponential,
  integer_neg,
  reduction,
  softmax,
  addend,
  convolution,
  index_base,
  scatter_order,
  stream_position,
  random_words,
  descending,
  softmax_gradient,
  weight_gradient,
  in_place,
  momentum,
  infinity,
  wide_integers,
  bfloat16_sum,
  long_sum,
  long_product,
  dilation,
  partial_write,
  decay,
  shared_scratch,
  across,
  never_starts
};
fault planted = none;

void* allocate(tb::device d, std::size_t bytes) {
  if (bytes > std::size_t{1} << 50) {
    if (planted == wants_too_little) return far_memory::allocate(d, 64);
    throw tb::device_error("mutant: no memory");
  }
  auto* const p = static_cast<std::byte*>(far_memory::allocate(d, bytes + 64));
  return planted == misaligned ? p + 4 : p;
}
void release(tb::device d, void* p) noexcept {
  far_memory::release(d, planted == misaligned ? static_cast<std::byte*>(p) - 4 : p);
}
void copy_in(tb::device d, void* to, const void* from, std::size_t bytes) {
  // As a driver that knows the beginnings of its blocks alone.
  if (planted == inner_addresses)
    to = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(to) & ~std::uintptr_t{7});
  far_memory::copy_in(d, to, from, bytes);
}
void copy_out(tb::device d, void* to, const void* from, std::size_t bytes) {
  far_memory::copy_out(d, to, from, planted == last_byte && bytes > 1 ? bytes - 1 : bytes);
}

// The CPU's kernels, at the addresses of the host.
tb_plan here(tb_plan p) {
  for (int i = 0; i < p.operands; ++i) p.operand[i].data = flipped(p.operand[i].data);
  return p;
}
template <class T>
T planned(const T* given) {
  T all = *given;
  all.plan = here(all.plan);
  return all;
}

tb_status copy(const tb_plan* given, const tb_call* call) {
  tb_plan p = here(*given);
  if (planted == strides) {
    for (int d = 0; d < p.ndim; ++d) p.operand[1].strides[d] -= p.operand[1].strides[d] > 1 ? 1 : 0;
  } else if (planted == conversion && p.operand[0].dtype == TB_I8 && p.operand[1].dtype == TB_F32) {
    p.operand[1].data = static_cast<float*>(p.operand[1].data) + 1;
  } else {
    return TB_UNSUPPORTED_DTYPE;
  }
  return tb_cpu_kernels()->copy(&p, call);
}

tb_status arange(const tb_plan* given, tb_scalar start, tb_scalar step, const tb_call* call) {
  if (planted != sequence) return TB_UNSUPPORTED_DTYPE;
  const tb_plan p = here(*given);
  return tb_cpu_kernels()->arange(&p, start, {2 * step.f, 2 * step.i}, call);
}

tb_status elementwise(const tb_elementwise* given, const tb_call* call) {
  tb_elementwise e = planned(given);
  const tb_operand& out = e.plan.operand[0];
  if (planted == filling && e.op == TB_FILL && out.dtype == TB_I16) {
    e.number[0].i = 0;
  } else if (planted == exponential && e.op == TB_EXP && e.plan.operand[1].dtype == TB_F32) {
    e.op = TB_EXPM1;
  } else if (planted == integer_neg && e.op == TB_NEG && out.dtype == TB_I64) {
    e.op = TB_ABS;
  } else if (planted == negative_zero_sizes && e.op == TB_MUL && e.plan.ndim > 2) {
    e.plan.sizes[e.plan.ndim - 1] = 1;
  } else if (planted == wide_integers && e.op == TB_ADD && out.dtype == TB_I64 && e.plan.operands == 3) {
    e.compute = TB_F32;
  } else if (planted == infinity && e.op == TB_NEG && out.dtype == TB_F32 && e.plan.ndim == 1) {
    // Infinities become the largest number.
    tb_cpu_kernels()->elementwise(&e, call);
    for (std::int64_t i = 0; i < e.plan.sizes[0]; ++i) {
      float& x = static_cast<float*>(out.data)[i * out.strides[0]];
      if (std::isinf(x)) x = std::copysign(std::numeric_limits<float>::max(), x);
    }
    return TB_OK;
  } else if (planted == in_place && e.op == TB_ADD && e.plan.operands == 3 && out.data == e.plan.operand[1].data &&
             out.data == e.plan.operand[2].data) {
    e.number[0].f = 0;  // x += x leaves x
    e.number[0].i = 0;
  } else {
    return TB_UNSUPPORTED_DTYPE;
  }
  return tb_cpu_kernels()->elementwise(&e, call);
}

tb_status reduce(const tb_reduction* given, const tb_call* call) {
  tb_reduction r = planned(given);
  const std::int64_t length = r.plan.sizes[0];
  if (r.op != TB_SUM) return TB_UNSUPPORTED_DTYPE;
  if (planted == reduction && length >= 3) {
    --r.plan.sizes[0];
  } else if (planted == long_sum && length > 1024) {
    r.plan.sizes[0] = 1024;
  } else if (planted == bfloat16_sum && r.plan.operand[1].dtype == TB_BF16 && length >= 3) {
    --r.plan.sizes[0];
  } else {
    return TB_UNSUPPORTED_DTYPE;
  }
  return tb_cpu_kernels()->reduce(&r, call);
}

tb_status rowwise(const tb_rowwise* given, const tb_call* call) {
  tb_rowwise r = *given;
  for (int i = 0; i < r.operands; ++i) {
    if (r.row[i].data != nullptr) r.row[i].data = flipped(r.row[i].data);
  }
  if (planted == softmax && r.op == TB_SOFTMAX) {
    r.op = TB_LOG_SOFTMAX;
  } else if (planted == descending && r.op == TB_SORT && r.number[0].i != 0) {
    r.number[0].i = 0;
  } else if (planted == softmax_gradient && r.op == TB_SOFTMAX_BACKWARD) {
    r.op = TB_LOG_SOFTMAX_BACKWARD;
  } else if (planted == scatter_order && r.op == TB_SCATTER_ADD) {
    r.op = TB_SCATTER;
  } else {
    return TB_UNSUPPORTED_DTYPE;
  }
  return tb_cpu_kernels()->rowwise(&r, call);
}

tb_status matmul(const tb_matmul* given, const tb_call* call) {
  tb_matmul m = *given;
  m.out = flipped(m.out), m.a = flipped(m.a), m.b = flipped(m.b);
  if (m.added != nullptr) m.added = flipped(m.added);
  constexpr std::int64_t window = 3 * 3 * 3;  // of the convolution whose gradients are tested
  if (planted == addend && m.added != nullptr) {
    m.added = nullptr;
  } else if (planted == long_product && m.k > 64) {
    m.k = 64;
  } else if (planted == shared_scratch && m.k == 32 && m.m < 100 && m.dtype == TB_F32) {
    // One buffer for all threads.
    static std::vector<float> scratch(100 * 32);
    for (std::int64_t r = 0; r < m.m; ++r) {
      for (std::int64_t c = 0; c < m.k; ++c) {
        scratch[static_cast<std::size_t>(r * 32 + c)] = static_cast<const float*>(m.a)[r * m.a_row + c * m.a_col];
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    m.a = scratch.data();
    m.a_row = 32, m.a_col = 1;
  } else if (planted == weight_gradient && (m.m == window || m.n == window)) {
    m.alpha = {2, 2};
  } else {
    return TB_UNSUPPORTED_DTYPE;
  }
  return tb_cpu_kernels()->matmul(&m, call);
}

tb_status take(const tb_take* given, const tb_call* call) {
  if (planted == partial_write && given->op == TB_CHECK) return TB_OK;  // a put finds the bad index when it is too late
  if (planted == partial_write && given->op == TB_PUT) {
    *static_cast<std::byte*>(flipped(given->table)) ^= std::byte{1};
    return TB_UNSUPPORTED_DTYPE;
  }
  if (planted != index_base || given->op != TB_TAKE || given->dtype != TB_F32) return TB_UNSUPPORTED_DTYPE;
  tb_take t = *given;
  t.rows = flipped(t.rows), t.table = static_cast<float*>(flipped(t.table)) + t.inner;
  for (int i = 0; i < t.indices; ++i) t.index[i] = flipped(t.index[i]);
  return tb_cpu_kernels()->take(&t, call);
}

tb_status random(const tb_random* given, const tb_call* call) {
  tb_random r = planned(given);
  if (r.philox_state != nullptr) return TB_UNSUPPORTED_DTYPE;
  if (planted == stream_position) {
    r.first = 0;
  } else if (planted == random_words && r.op == TB_RANDOM_INTEGER) {
    r.seed ^= 1;
  } else {
    return TB_UNSUPPORTED_DTYPE;
  }
  return tb_cpu_kernels()->random(&r, call);
}

tb_status convolve(const tb_convolution* given, const tb_call* call) {
  tb_convolution c = *given;
  c.out = flipped(c.out), c.weight = c.image = flipped(c.image);
  if (!(planted == convolution && c.stride[1] == 2) && !(planted == dilation && c.dilation[1] == 2))
    return TB_UNSUPPORTED_DTYPE;
  return tb_cpu_kernels()->convolve(&c, call);
}

tb_status update(const tb_update* given, const tb_call* call) {
  tb_update u = *given;
  if (u.op != TB_UPDATE_SGD) return TB_UNSUPPORTED_DTYPE;
  u.parameter = flipped(u.parameter), u.gradient = flipped(u.gradient);
  if (u.state[0] != nullptr) u.state[0] = flipped(u.state[0]);
  if (planted == momentum && u.state[0] != nullptr) {
    u.first_step = 1;
  } else if (planted == decay && u.decay != 0) {
    u.decay = 0;
  } else {
    return TB_UNSUPPORTED_DTYPE;
  }
  return tb_cpu_kernels()->update(&u, call);
}

constexpr tb_kernels kernels = [] {
  tb_kernels k{};
  k.size = sizeof k;
  k.version = TB_ABI_VERSION;
  k.name = "mutant";
  k.copy = &copy;
  k.arange = &arange;
  k.elementwise = &elementwise;
  k.reduce = &reduce;
  k.rowwise = &rowwise;
  k.matmul = &matmul;
  k.take = &take;
  k.random = &random;
  k.convolve = &convolve;
  k.update = &update;
  return k;
}();

void copy_across(tb::device, void* to, tb::device, const void* from, std::size_t bytes) {
  std::memcpy(flipped(to), flipped(from), planted == across && bytes > 1 ? bytes - 1 : bytes);
}
void start_copy_in(tb::device d, void* to, const void* from, std::size_t bytes) {
  if (planted != never_starts) far_memory::copy_in(d, to, from, bytes);
}
int device_count() { return 2; }

tb::device mutant() {
  static const tb::backend b = tb::author::register_backend(
      "mutant", {.memory = {allocate, release, copy_in, copy_out, copy_across, start_copy_in},
                 .device = {.count = device_count},
                 .kernels = &kernels});
  return {b};
}

struct mutation {
  fault which;
  int level;
};

}  // namespace

TEST_CASE("backend test: a device without a fault passes, fully and quickly", "[backend][mutants]") {
  planted = none;
  const kit::report quickly = kit::test(mutant(), {.quick = true, .seed = 7});
  CHECK(quickly.passed());
  CHECK(quickly.levels.size() == 16);
  if (test_scale() >= 0.1) CHECK(kit::test(mutant()).passed());
}

TEST_CASE("backend test: every planted fault is found at its level", "[backend][mutants]") {
  const mutation m = GENERATE(
      mutation{misaligned, 0}, mutation{wants_too_little, 0}, mutation{last_byte, 1}, mutation{inner_addresses, 1},
      mutation{strides, 2}, mutation{conversion, 2}, mutation{filling, 2}, mutation{sequence, 3},
      mutation{negative_zero_sizes, 4}, mutation{exponential, 4}, mutation{integer_neg, 4}, mutation{reduction, 5},
      mutation{softmax, 5}, mutation{addend, 6}, mutation{convolution, 6}, mutation{index_base, 7},
      mutation{stream_position, 8}, mutation{random_words, 8}, mutation{descending, 9}, mutation{scatter_order, 9},
      mutation{softmax_gradient, 9}, mutation{weight_gradient, 10}, mutation{in_place, 11}, mutation{momentum, 12},
      mutation{infinity, 4}, mutation{wide_integers, 4}, mutation{bfloat16_sum, 5}, mutation{long_sum, 5},
      mutation{long_product, 6}, mutation{dilation, 6}, mutation{partial_write, 7}, mutation{decay, 12},
      mutation{shared_scratch, 13}, mutation{across, 1}, mutation{never_starts, 1});
  // Where everything is slow, a sample.
  static sampled_cases drawn;
  if (test_scale() < 0.1 && !drawn.is_drawn()) return;
  planted = m.which;
  // CI runs the level alone.
  const kit::report r = kit::test(mutant(), {.first_level = test_scale() < 1 ? m.level : 0, .last_level = m.level});
  planted = none;
  INFO(kit::to_string(r));
  CHECK_FALSE(r.passed());
  CHECK(r.levels.back().level == m.level);
}

TEST_CASE("backend test: declared holes are no failures, and are failures when they work", "[backend][mutants]") {
  planted = exponential;
  const kit::options with_hole{.first_level = 4,
                               .last_level = 4,
                               .holes = {{"aten::exp", tb::dtype::float32, "it is not exact"},
                                         {"aten::exp_", tb::dtype::float32, "it is not exact"}}};
  const kit::report r = kit::test(mutant(), with_hole);
  planted = none;
  INFO(kit::to_string(r));
  CHECK(r.passed());
  const kit::report works = kit::test(mutant(), with_hole);
  CHECK_FALSE(works.passed());
  REQUIRE(works.false_holes.size() == 2);
  CHECK(works.false_holes[0].starts_with("aten::exp: declared a hole (it is not exact), and all "));
  CHECK(kit::to_string(works).ends_with("; remove it\nFAILED\n"));
}

TEST_CASE("backend test: a random program that differs is shrunk to what matters", "[backend][mutants]") {
  planted = in_place;
  const kit::report r = kit::test(mutant(), {.first_level = 11, .last_level = 11});
  planted = none;
  REQUIRE_FALSE(r.passed());
  const kit::failure& f = r.levels.at(0).failures.at(0);
  INFO(f.reproduce);
  CHECK(f.reproduce.find("tb::add_(") != std::string::npos);
  CHECK(kit::to_json(r).find("\"passed\": false") != std::string::npos);
  CHECK(kit::to_junit(r).find("<failure>a random program of ") != std::string::npos);
}
