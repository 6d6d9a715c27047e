// Rules of CUDA's element-by-element kernels: what they compute is what the scalar build computes, for every operation,
// type of computation, dtype and layout; and random numbers have the same bits.
#include <sstream>

#include "half.h"
#include "support.h"

using namespace kernel_tests;

namespace {

constexpr std::int64_t bytes_of[TB_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8};
constexpr std::int64_t room = 4096;  // elements of a buffer
constexpr int most = TB_MAX_OPERANDS;

bool is_real(std::int32_t dtype) { return dtype >= TB_F16; }
std::int32_t compute_of(std::int32_t dtype) {
  if (dtype == TB_BOOL || dtype == TB_F64) return dtype;
  return is_real(dtype) ? TB_F32 : TB_I64;
}

template <typename T>
void put(unsigned char* at, T x) {
  std::memcpy(at, &x, sizeof x);
}
template <typename T>
T get(const unsigned char* at) {
  T x;
  std::memcpy(&x, at, sizeof x);
  return x;
}

void put_number(unsigned char* at, std::int32_t dtype, double x) {
  switch (dtype) {
    case TB_BOOL: return put(at, std::uint8_t(x != 0));
    case TB_U8: return put(at, std::uint8_t(std::fabs(x)));
    case TB_I8: return put(at, std::int8_t(x));
    case TB_I16: return put(at, std::int16_t(x));
    case TB_I32: return put(at, std::int32_t(x));
    case TB_I64: return put(at, std::int64_t(x));
    case TB_F16: return put(at, tb_kernel::to_half(float(x)));
    case TB_BF16: return put(at, tb_kernel::to_bfloat16(float(x)));
    case TB_F32: return put(at, float(x));
    default: return put(at, x);
  }
}
long double number_at(const unsigned char* at, std::int32_t dtype) {
  switch (dtype) {
    case TB_BOOL:
    case TB_U8: return *at;
    case TB_I8: return get<std::int8_t>(at);
    case TB_I16: return get<std::int16_t>(at);
    case TB_I32: return get<std::int32_t>(at);
    case TB_I64: return static_cast<long double>(get<std::int64_t>(at));
    case TB_F16: return tb_kernel::to_float(get<tb_kernel::half>(at));
    case TB_BF16: return tb_kernel::to_float(get<tb_kernel::bfloat16>(at));
    case TB_F32: return get<float>(at);
    default: return get<double>(at);
  }
}
double unit_of(std::int32_t dtype) {
  switch (dtype) {
    case TB_F16: return 0x1p-10;
    case TB_BF16: return 0x1p-7;
    case TB_F32: return 0x1p-23;
    case TB_F64: return 0x1p-52;
    default: return 0;
  }
}

// Where operands lie: strides of the result and of inputs, and how many elements off an aligned address all begin.
struct layout {
  const char* name;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides[most];
  std::int64_t first = 1024;
};
const layout layouts[] = {
    {"dense", {1003}, {{1}, {1}, {1}, {1}}},
    {"one vector", {16}, {{1}, {1}, {1}, {1}}},
    {"misaligned", {77}, {{1}, {1}, {1}, {1}}, 1023},
    {"repeated scalars", {261}, {{1}, {1}, {0}, {0}}},
    {"first is a scalar", {85}, {{1}, {0}, {1}, {1}}},
    {"a row to all", {32, 5}, {{1, 32}, {1, 32}, {1, 0}, {1, 0}}},
    {"a column to all", {48, 3}, {{1, 48}, {1, 48}, {0, 1}, {0, 1}}},
    {"rows apart", {16, 4, 3}, {{1, 16, 64}, {1, 48, 320}, {1, -16, 0}, {0, 16, 64}}},
    {"rows misaligned", {16, 4}, {{1, 16}, {1, 17}, {1, 16}, {1, 19}}},
    {"odd rows", {7, 9}, {{1, 7}, {1, 7}, {1, 0}, {0, 1}}},
    {"transposed", {40, 9}, {{1, 40}, {9, 1}, {1, 40}, {9, 1}}},
    {"five dimensions",
     {16, 2, 2, 2, 2},
     {{1, 16, 32, 64, 128}, {1, 16, 32, 64, 128}, {1, 0, 16, 0, 32}, {0, 1, 0, 1, 0}}},
    {"one element", {1}, {{5}, {0}, {-3}, {7}}},
};

// A buffer per operand, filled with numbers of its dtype.
struct operands {
  stage device;
  int count;
  std::int32_t dtype[most];
  array<unsigned char> memory[most];
  std::vector<double> copy[most];  // for the scalar build

  operands(backend here, int n, const std::int32_t* dtypes, std::uint64_t seed, bool wild) : device(here), count(n) {
    for (int o = 0; o < n; ++o) {
      dtype[o] = dtypes[o];
      memory[o] = device.make<unsigned char>(room * bytes_of[dtype[o]]);
      random_numbers random(seed + std::uint64_t(o));
      for (std::int64_t i = 0; i < room; ++i) {
        const std::uint64_t pick = random.bits() >> 7 & 63;
        const bool integral = !is_real(dtype[o]);
        double x = random.between(-3, 3);
        if (integral) x = std::round(x * (dtype[o] == TB_BOOL ? 1 : 20));
        if (integral && x == 0 && dtype[o] != TB_BOOL) x = 1;
        if (!integral && pick < 6) x = std::vector<double>{0, -0.0, INFINITY, -INFINITY, NAN, 1}[pick];
        if (!integral && wild && pick > 57) x = std::ldexp(x, int(pick - 57) * 12);
        put_number(memory[o].begin() + i * bytes_of[dtype[o]], dtype[o], x);
      }
      copy[o].resize(room);
      std::memcpy(copy[o].data(), memory[o].begin(), std::size_t(memory[o].size()));
    }
  }
  tb_plan plan(const layout& of, bool on_device) {
    tb_plan p{};
    p.ndim = std::int32_t(of.sizes.size());
    p.operands = count;
    std::copy(of.sizes.begin(), of.sizes.end(), p.sizes);
    for (int o = 0; o < count; ++o) {
      auto* const data = on_device ? memory[o].seen_by_kernel() : reinterpret_cast<unsigned char*>(copy[o].data());
      p.operand[o].data = data + of.first * bytes_of[dtype[o]];
      p.operand[o].dtype = dtype[o];
      std::copy(of.strides[o].begin(), of.strides[o].end(), p.operand[o].strides);
    }
    return p;
  }
  // Where results differ by more than `units` of their type at their size, or at 1; by two of a half, which is rounded
  // from a float. A double that was computed as a float has a float's units. Everything else is to be the same.
  std::string difference(double units, std::int32_t compute = TB_F64) const {
    const auto* const wanted = reinterpret_cast<const unsigned char*>(copy[0].data());
    for (std::int64_t i = 0; i < room; ++i) {
      const long double got = number_at(memory[0].begin() + i * bytes_of[dtype[0]], dtype[0]);
      const long double want = number_at(wanted + i * bytes_of[dtype[0]], dtype[0]);
      if (got == want || (std::isnan(got) && std::isnan(want))) continue;
      const bool is_16_bit = dtype[0] == TB_F16 || dtype[0] == TB_BF16;
      const std::int32_t rounded = dtype[0] == TB_F64 && compute == TB_F32 ? std::int32_t(TB_F32) : dtype[0];
      const long double slack =
          (is_16_bit ? std::fmin(units, 2) : units) * unit_of(rounded) * std::fmax(1.0L, std::fabs(want));
      if (std::fabs(got - want) <= slack) continue;
      std::ostringstream text;
      text.precision(17);
      text << "element " << i << ": got " << got << ", wanted " << want << "\n";
      return text.str();
    }
    return "";
  }
};

// The operation on both tables; empty where they agree, and where both refuse it.
std::string try_operation(backend here, std::int32_t op, std::int32_t compute, int inputs, const std::int32_t* dtypes,
                          const layout& of) {
  const tb_kernels& scalar_table = *tb_cpu_kernels_for("scalar");
  operands all(here, inputs + 1, dtypes, std::uint64_t(op) * 31 + 7, false);
  tb_elementwise call{};
  call.op = op;
  call.compute = compute;
  call.number[0] = {op == TB_LOGIT ? 0.125 : op == TB_ROUND ? 2 : 1.5, 16};  // bits of shifts, decimals
  call.number[1] = {2.5, 20};
  call.number[2] = {0.75, 3};
  call.plan = all.plan(of, false);
  const tb_status wanted = scalar_table.elementwise(&call, nullptr);
  call.plan = all.plan(of, true);
  const tb_status got = all.device.run([&](const tb_kernels& k) { return k.elementwise(&call, nullptr); });
  std::string text;
  if (wanted == TB_DIVISION_BY_ZERO) return "";  // a fraction or a BOOL became 0
  if (got != wanted)
    text = "status " + std::to_string(got) + ", wanted " + std::to_string(wanted) + "\n";
  else if (got == TB_OK)
    text = all.difference(32, compute);
  if (text.empty()) return "";
  std::ostringstream where;
  where << "operation " << op << " in " << compute << ", dtypes";
  for (int o = 0; o <= inputs; ++o) where << " " << dtypes[o];
  return where.str() + ", " + of.name + ": " + text;
}

int inputs_of(std::int32_t op) {
  if (op == TB_FILL) return 0;
  return op < TB_ADD ? 1 : op < TB_WHERE ? 2 : 3;
}
bool is_predicate(std::int32_t op) {
  return (op >= TB_LOGICAL_NOT && op <= TB_ISFINITE) || (op >= TB_EQ && op <= TB_LOGICAL_XOR);
}

std::string try_copy(backend here, std::int32_t to, std::int32_t from, const layout& of) {
  const std::int32_t dtypes[] = {to, from};
  operands all(here, 2, dtypes, 3, true);
  const tb_plan host = all.plan(of, false), device = all.plan(of, true);
  CHECK(tb_cpu_kernels_for("scalar")->copy(&host, nullptr) == TB_OK);
  CHECK(all.device.run([&](const tb_kernels& k) { return k.copy(&device, nullptr); }) == TB_OK);
  const std::string text = all.difference(0);
  return text.empty() ? ""
                      : "to " + std::to_string(to) + " from " + std::to_string(from) + ", " + of.name + ": " + text;
}

std::string try_random(backend here, std::int32_t op, std::int32_t dtype, std::uint64_t first, const layout& of) {
  const bool second = op == TB_RANDOM_BERNOULLI_OF;
  const std::int32_t dtypes[] = {dtype, TB_F32};
  operands all(here, second ? 2 : 1, dtypes, 3, false);
  tb_random call{};
  call.op = op;
  call.seed = 0x123456789abcdef0;
  call.first = first;
  call.number[0] = {0.3, 1};
  call.number[1] = {0.7, 100};
  call.plan = all.plan(of, false);
  CHECK(tb_cpu_kernels_for("scalar")->random(&call, nullptr) == TB_OK);
  call.plan = all.plan(of, true);
  CHECK(all.device.run([&](const tb_kernels& k) { return k.random(&call, nullptr); }) == TB_OK);
  const std::string text = all.difference(0);
  return text.empty() ? ""
                      : "draw " + std::to_string(op) + " of " + std::to_string(dtype) + ", " + of.name + ": " + text;
}

}  // namespace

TEST_CASE("elementwise: on cuda, every operation agrees with the scalar build in its compute type", "[kernels]") {
  const backend here = need<cuda>();
  std::string failures;
  for (std::int32_t op = 0; op < TB_ELEMENTWISE_COUNT; ++op) {
    for (const std::int32_t compute : {TB_BOOL, TB_I64, TB_F32, TB_F64}) {
      const std::int32_t result = is_predicate(op) ? std::int32_t(TB_BOOL) : compute;
      const std::int32_t dtypes[] = {result, compute, compute, compute};
      for (const layout& of : layouts) failures += try_operation(here, op, compute, inputs_of(op), dtypes, of);
    }
  }
  CHECK(failures == "");
}

TEST_CASE("elementwise: on cuda, half precision is computed in F32 and I32 in I64", "[kernels]") {
  const backend here = need<cuda>();
  std::string failures;
  for (std::int32_t op = 0; op < TB_ELEMENTWISE_COUNT; ++op) {
    for (const std::int32_t dtype : {TB_F16, TB_BF16, TB_I32}) {
      const std::int32_t dtypes[] = {is_predicate(op) ? std::int32_t(TB_BOOL) : dtype, dtype, dtype, dtype};
      for (const layout& of : layouts) {
        failures += try_operation(here, op, compute_of(dtype), inputs_of(op), dtypes, of);
      }
    }
  }
  CHECK(failures == "");
}

TEST_CASE("elementwise: on cuda, operands may have any dtypes", "[kernels]") {
  const backend here = need<cuda>();
  std::string failures;
  for (std::int32_t op = 0; op < TB_ELEMENTWISE_COUNT; ++op) {
    for (std::int32_t shift = 0; shift < TB_DTYPE_COUNT; ++shift) {
      // A number next to a whole one may be cut to either, so that what is computed in floats stays one.
      std::int32_t dtypes[] = {shift, (shift + 3) % 10, (shift + 6) % 10, (shift + 1) % 10};
      for (const std::int32_t compute : {TB_I64, TB_F32, TB_F64}) {
        dtypes[0] = is_predicate(op) ? std::int32_t(TB_BOOL) : compute == TB_I64 ? shift : TB_F16 + shift % 4;
        failures += try_operation(here, op, compute, inputs_of(op), dtypes, layouts[std::size_t(shift)]);
      }
    }
  }
  for (const std::int32_t dtype : {TB_I32, TB_I64, TB_F16, TB_BF16, TB_F32, TB_F64}) {
    const std::int32_t dtypes[] = {dtype, TB_BOOL, dtype, dtype};
    for (const layout& of : layouts) failures += try_operation(here, TB_WHERE, compute_of(dtype), 3, dtypes, of);
  }
  CHECK(failures == "");
}

TEST_CASE("copy: on cuda, conversions between any two dtypes agree with the scalar build", "[kernels]") {
  const backend here = need<cuda>();
  const layout more[] = {
      {"transposed matrices", {45, 70}, {{1, 45}, {70, 1}, {}, {}}, 0},
      {"matrices of a batch", {20, 3, 33}, {{1, 20, 60}, {99, 33, 1}, {}, {}}, 8},
      {"rows of units", {24, 10}, {{1, 24}, {1, 48}, {}, {}}, 8},
  };
  std::string failures;
  for (std::int32_t to = 0; to < TB_DTYPE_COUNT; ++to) {
    for (std::int32_t from = 0; from < TB_DTYPE_COUNT; ++from) {
      for (const layout& of : layouts) failures += try_copy(here, to, from, of);
      for (const layout& of : more) failures += try_copy(here, to, from, of);
    }
  }
  CHECK(failures == "");
}

TEST_CASE("random: cuda gives bitwise the same as the scalar build, for every dtype and layout", "[kernels]") {
  const backend here = need<cuda>();
  std::string failures;
  for (const std::int32_t op : {TB_RANDOM_UNIFORM, TB_RANDOM_NORMAL, TB_RANDOM_EXPONENTIAL, TB_RANDOM_INTEGER,
                                TB_RANDOM_BERNOULLI, TB_RANDOM_BERNOULLI_OF}) {
    for (std::int32_t dtype = 0; dtype < TB_DTYPE_COUNT; ++dtype) {
      for (const layout& of : layouts) {
        for (const std::uint64_t first : {0xfffffffff1, 0xfffffffff2}) {
          failures += try_random(here, op, dtype, first, of);
        }
      }
    }
  }
  CHECK(failures == "");
}

TEST_CASE("update: on cuda, unaligned arrays give the same result", "[kernels]") {
  const backend here = need<cuda>();
  const std::int32_t dtypes[] = {TB_F32, TB_F32, TB_F32, TB_F32};
  for (const std::int32_t op : {TB_UPDATE_SGD, TB_UPDATE_ADAM}) {
    for (const std::int64_t shift : {0, 1, 2}) {
      operands all(here, 4, dtypes, 3, false);
      for (int o = 0; o < 4; ++o) {
        for (std::int64_t i = 0; i < room; ++i) {
          const float x = 0.25f + float((i * 7 + o) % 13) / 8;
          put(all.memory[o].begin() + i * 4, x);
          put(reinterpret_cast<unsigned char*>(all.copy[o].data()) + i * 4, x);
        }
      }
      const auto call = [&](bool on_device) {
        const auto data = [&](int o) {
          auto* const first =
              on_device ? all.memory[o].seen_by_kernel() : reinterpret_cast<unsigned char*>(all.copy[o].data());
          return static_cast<void*>(first + 4 * (o == 3 ? shift : 2 * shift));
        };
        tb_update u{};
        u.op = op, u.dtype = TB_F32, u.count = 1001;
        u.parameter = data(0), u.gradient = data(1), u.state[0] = data(2);
        if (op == TB_UPDATE_ADAM) u.state[1] = data(3);
        u.rate = 0.1, u.first = 0.9, u.second = 0.5, u.epsilon = 1e-3, u.step = 2, u.gradient_scale = 4;
        return u;
      };
      const tb_update host = call(false), device = call(true);
      CHECK(tb_cpu_kernels_for("scalar")->update(&host, nullptr) == TB_OK);
      CHECK(all.device.run([&](const tb_kernels& k) { return k.update(&device, nullptr); }) == TB_OK);
      for (int o = 0; o < 4; ++o) {
        std::swap(all.memory[0], all.memory[o]);
        std::swap(all.copy[0], all.copy[o]);
        CHECK(all.difference(8) == "");
      }
    }
  }
}
