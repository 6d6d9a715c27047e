// The entries copy and elementwise. A call of few elements runs a program that takes any dtypes and any number of
// dimensions, so that there is one for each operation; one of many elements runs a program of its own, in vectors where
// the innermost dimension is dense.
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>

#include "kernels.h"

namespace ocl {

namespace {

// What an operation is in OpenCL C, for floats, int64 and bool; null: the host computes. $I and $U: reinterpreted as
// long and ulong. $D and $W: as double, and that type. $Y: a bool from a comparison, whose "yes" is -1 in vectors.
struct function {
  std::int32_t op;
  const char *real, *integer = nullptr, *boolean = nullptr;
  bool float_only = false;  // in double, where float64 would need more than double
};
constexpr std::int32_t copy_op = TB_ELEMENTWISE_COUNT;
constexpr const char* sign = "(a > 0 ? ($T)1 : ($T)0) - (a < 0 ? ($T)1 : ($T)0)";

constexpr function functions[] = {
    {copy_op, "a", "a", "a"},
    {TB_FILL, "n0", "n0", "n0"},
    {TB_NEG, "-a", "$I(-$U(a))"},
    {TB_ABS, "fabs(a)", "a < 0 ? $I(-$U(a)) : a", "a"},
    {TB_SIGN, sign, sign, "a"},
    {TB_SQUARE, "a * a", "$I($U(a) * $U(a))"},
    {TB_RELU, "a <= 0 ? ($T)0 : a", "a <= 0 ? ($T)0 : a"},
    {TB_CLAMP, "{ $T m = (a > n0) | (a != a) ? a : n0; return (m < n1) | (m != m) ? m : n1; }",
     "{ $T m = a > n0 ? a : n0; return m < n1 ? m : n1; }"},
    {TB_BITWISE_NOT, nullptr, "~a", "a ^ ($T)1"},
    {TB_ISNAN, "$Y(a != a)", "($R)0", "($R)0"},
    {TB_ISINF, "$Y(fabs(a) == INFINITY)", "($R)0", "($R)0"},
    {TB_ISFINITE, "$Y(fabs(a) < INFINITY)", "($R)1", "($R)1"},
    {TB_ADD, "a + n0 * b", "$I($U(a) + $U(n0) * $U(b))", "a | (n0 & b)"},
    {TB_SUB, "a - n0 * b", "$I($U(a) - $U(n0) * $U(b))"},
    {TB_MUL, "a * b", "$I($U(a) * $U(b))", "a & b"},
    {TB_MAXIMUM, "(a > b) | (a != a) ? a : b", "a > b ? a : b", "a | b"},
    {TB_MINIMUM, "(a < b) | (a != a) ? a : b", "a < b ? a : b", "a & b"},
    {TB_FMAX, "(a > b) | (b != b) ? a : b", "a > b ? a : b", "a | b"},
    {TB_FMIN, "(a < b) | (b != b) ? a : b", "a < b ? a : b", "a & b"},
    {TB_THRESHOLD_BACKWARD, "b <= n0 ? ($T)0 : a", "b <= n0 ? ($T)0 : a"},
    {TB_HEAVISIDE, "a == 0 ? b : (a > 0 ? ($T)1 : ($T)0)", "a == 0 ? b : (a > 0 ? ($T)1 : ($T)0)", "a | b"},
    {TB_BITWISE_AND, nullptr, "a & b", "a & b"},
    {TB_BITWISE_OR, nullptr, "a | b", "a | b"},
    {TB_BITWISE_XOR, nullptr, "a ^ b", "a ^ b"},
    {TB_SHIFT_LEFT, nullptr, "(b < 0) | (b >= n0) ? ($T)0 : $I($U(a) << $U(b))"},
    {TB_SHIFT_RIGHT, nullptr, "a >> ((b < 0) | (b >= n0) ? ($T)63 : b)"},
    {TB_LOGICAL_AND, "$Y((a != 0) & (b != 0))", "$Y((a != 0) & (b != 0))", "a & b"},
    {TB_LOGICAL_OR, "$Y((a != 0) | (b != 0))", "$Y((a != 0) | (b != 0))", "a | b"},
    {TB_LOGICAL_XOR, "$Y((a != 0) ^ (b != 0))", "$Y((a != 0) ^ (b != 0))", "a ^ b"},
    {TB_WHERE, "a != 0 ? b : c", "a != 0 ? b : c", "a != ($T)0 ? b : c"},
    {TB_ADDCMUL, "a + n0 * b * c", "$I($U(a) + $U(n0) * $U(b) * $U(c))"},
    {TB_LERP, "fabs(c) < ($T)0.5 ? a + c * (b - a) : b - (b - a) * (1 - c)"},
    {TB_CEIL, "ceil(a)", "a"},
    {TB_FLOOR, "floor(a)", "a"},
    // n1 is 10 to the power |n0|.
    {TB_ROUND,
     "{ $T w = rint(a / n1), s = a * n1; w = w == 0 ? w : w * n1; s = fabs(s) < INFINITY ? rint(s) / n1 : a;"
     " s = fabs(a) < INFINITY ? (n0 < 0 ? w : s) : a; return n0 == 0 ? rint(a) : s; }",
     "a"},
    {TB_TRUNC, "trunc(a)", "a"},
    {TB_LOGIT,
     "{ $T x = n0 < 0 ? a : (a < n0 ? n0 : (a > 1 - n0 ? 1 - n0 : a)); return convert_$T(log($D(x) / (1 - $D(x)))); }",
     nullptr, nullptr, true},
    {TB_NAN_TO_NUM, "a != a ? n0 : (a == INFINITY ? n1 : (a == -INFINITY ? n2 : a))"},
    // The product with the root of 1/2, whose rest is n0, in two parts: erfc() magnifies what is rounded away.
    {TB_GELU,
     "{ $T root = ($T)0.70710678118654752440, t = -a * root, low = fma(-a, root, -t) - a * n0, edge = ($T)INFINITY;"
     " low = fabs(a) < edge ? low : ($T)0;"
     " return a * ($T)0.5 * (erfc(t) - ($T)1.12837916709551257390 * exp(-t * t) * low); }"},
    {TB_GELU_TANH,
     "{ $W x = $D(a); return convert_$T(0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)))); }",
     nullptr, nullptr, true},
    {TB_SOFTPLUS, "a * n0 > n1 ? a : log1p(exp(a * n0)) / n0"},
    {TB_ELU, "a <= 0 ? expm1(a * n2) * n0 * n1 : a * n1"},
    {TB_MISH, "convert_$T($D(a) * tanh(log1p(exp($D(a)))))"},
    {TB_HARDSWISH, "{ $T y = a + 3; return a * (y < 0 ? ($T)0 : (y > 6 ? ($T)6 : y)) / 6; }"},
    {TB_HARDSIGMOID, "{ $T y = a + 3; return (y < 0 ? ($T)0 : (y > 6 ? ($T)6 : y)) / 6; }"},
    {TB_LOG_SIGMOID, "(a < 0 ? a : ($T)0) - log1p(exp(-fabs(a)))"},
    {TB_POW, "pow(a, b)", nullptr, nullptr, true},
    {TB_XLOGY, "b != b ? b : (a == 0 ? ($T)0 : a * log(b))"},
};
// For every type the same.
constexpr function of_all_types[] = {{TB_LOGICAL_NOT, "$Y(a == ($T)0)"},
                                     {TB_EQ, "$Y(a == b)"},
                                     {TB_NE, "$Y(a != b)"},
                                     {TB_LT, "$Y(a < b)"},
                                     {TB_LE, "$Y(a <= b)"},
                                     {TB_GT, "$Y(a > b)"},
                                     {TB_GE, "$Y(a >= b)"}};
// Sines in double, since those of vectors of floats are wrong beside large numbers in PoCL 3.1. Its fmod(), and pow()
// of doubles, are wrong too; the host computes these, and divides integers, whose divisors have to be looked at first.
constexpr function of_floats[] = {{TB_RECIPROCAL, "1 / a"},
                                  {TB_DIV, "a / b"},
                                  {TB_DIV_TRUNC, "trunc(a / b)"},
                                  {TB_ADDCDIV, "a + n0 * b / c"},
                                  {TB_FRAC, "a - trunc(a)"},
                                  {TB_RSQRT, "1 / sqrt(a)"},
                                  {TB_TAN, "convert_$T(tan($D(a)))"},
                                  {TB_SIN, "convert_$T(sin($D(a)))"},
                                  {TB_COS, "convert_$T(cos($D(a)))"},
                                  {TB_ATAN2, "convert_$T(atan2($D(a), $D(b)))"},
                                  {TB_SIGMOID, "{ $T s = exp(-fabs(a)); return (a < 0 ? s : ($T)1) / (1 + s); }"},
                                  {TB_SILU, "a / (1 + exp(-a))"},
                                  {TB_LEAKY_RELU, "a > 0 ? a : a * n0"},
                                  {TB_DEG2RAD, "a * ($T)0.01745329251994329577"}};
// What OpenCL has under the same name, for floats.
constexpr std::int32_t calls[] = {TB_SQRT,  TB_EXP,   TB_EXP2,  TB_EXPM1, TB_LOG,  TB_LOG2,  TB_LOG10,
                                  TB_LOG1P, TB_ASIN,  TB_ACOS,  TB_ATAN,  TB_SINH, TB_COSH,  TB_TANH,
                                  TB_ASINH, TB_ACOSH, TB_ATANH, TB_ERF,   TB_ERFC, TB_HYPOT, TB_COPYSIGN};
constexpr std::pair<const char*, int> names_and_inputs[] = {
#define TB_ELEMENTWISE(code, function, inputs, types, result, size, note) {#function, inputs},
#include <topbit/elementwise.def>
};

const function* function_of(std::int32_t op) {
  using span = std::span<const function>;
  for (const span all : {span(functions), span(of_all_types), span(of_floats)}) {
    if (const auto f = std::ranges::find(all, op, &function::op); f != all.end()) return &*f;
  }
  return nullptr;
}
// Empty: the host computes.
std::string text_of(std::int32_t op, std::int32_t compute) {
  if (std::ranges::find(calls, op) != std::end(calls) && is_real(compute)) {
    const auto [name, inputs] = names_and_inputs[op];
    return std::string(name) + (inputs == 1 ? "(a)" : "(a, b)");
  }
  const function* const f = function_of(op);
  if (f == nullptr || (f->float_only && compute == TB_F64)) return {};
  const bool same = f >= std::begin(of_all_types) && f < std::end(of_all_types);
  const char* const text = same || is_real(compute) ? f->real : compute == TB_I64 ? f->integer : f->boolean;
  return text != nullptr ? text : "";
}
std::int32_t result_of(std::int32_t op, std::int32_t compute) {
  const function* const f = function_of(op);
  return f != nullptr && f->real != nullptr && std::string_view(f->real).starts_with("$Y") ? TB_BOOL : compute;
}

// What one program is for. Codes and dimensions are -1 where the call tells them.
struct program {
  std::int32_t op, compute;
  int width, dims;
  bool streams;  // past the caches
  std::array<int, TB_MAX_OPERANDS> code;

  std::uint64_t key() const {
    std::uint64_t k = static_cast<std::uint64_t>(op << 4 | compute);
    for (const int c : code) k = k << 8 | static_cast<std::uint64_t>(c + 1);
    return of_elementwise | k << 10 |
           static_cast<std::uint64_t>((dims + 1) << 6 | static_cast<int>(streams) << 5 | width);
  }
};

constexpr int vectors_of_item = 4;  // so that little of an item is arithmetic of indices

// apply() is the operation, and arg() an operand of it.
constexpr const char* functions_of_width = R"(
$R apply$N($T a, $T b, $T c, $T n0, $T n1, $T n2) $OPERATION
$T arg$N(int code, const __global void* p, long at, long step, const long* value) {
  if (code & 16) return ($T)number(code & 15, value, 0);
  if (code & 32) return ($T)load(code & 15, p, at);
  if (code & 64) return ($T)($GATHERED);
  return load$N(code & 15, p, at);
}
)";
// Stores that leave the caches alone, where the compiler has them and the address allows it.
constexpr const char* stream = R"(
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STREAM(x, to) __builtin_nontemporal_store(x, to)
#endif
#endif
#ifndef STREAM
#define STREAM(x, to) *(to) = x
#endif
void stream(int code, __global void* p, long i, $R$V x) {
  __global $R$V* to = (__global $R$V*)((__global $R*)p + i);
  if (((ulong)to & (sizeof x - 1)) == 0) STREAM(x, to);
  else store$V(code, p, i, x);
}
)";
constexpr const char* body = R"(
#define APPLY(n) apply##n(arg##n($C1, p1, at1, s1, k.value + 1), arg##n($C2, p2, at2, s2, k.value + 2), \
                          arg##n($C3, p3, at3, s3, k.value + 3), NUMBER(0), NUMBER(1), NUMBER(2))
__kernel void run(const layout k, __global void* p0, const __global void* p1, const __global void* p2,
                  const __global void* p3) {
  uint rest = get_global_id(0), first = 0;
  if (rest >= k.items) return;
  const long s1 = k.stride[1][0], s2 = k.stride[2][0], s3 = k.stride[3][0];
  long at0 = 0, at1 = 0, at2 = 0, at3 = 0;
  for (int d = 0; d < $DIMS; ++d) {
    uint q = d + 1 < $DIMS ? quotient(rest, k.multiply[d], k.shift[d]) : 0;
    long i = rest - q * k.size[d];
    rest = q;
    if (d == 0) first = i *= $STEP;
    at0 += i * k.stride[0][d];
    at1 += i * k.stride[1][d];
    at2 += i * k.stride[2][d];
    at3 += i * k.stride[3][d];
  }
#if $STEP == 1
  store($C0, p0, at0, APPLY());
#else
  const uint end = min(first + $STEP, k.row);
  for (; first + $V <= end; first += $V, at0 += $V, at1 += $V * s1, at2 += $V * s2, at3 += $V * s3)
    $STORE($C0, p0, at0, APPLY($V));
  for (; first < end; ++first, ++at0, at1 += s1, at2 += s2, at3 += s3) store($C0, p0, at0, APPLY());
#endif
}
)";

std::string source(const void* of) {
  const program& p = *static_cast<const program*>(of);
  const std::int32_t result = result_of(p.op, p.compute);
  unsigned dtypes = 1;
  for (const int c : p.code) dtypes |= c < 0 ? 0x3ff : 1U << (c & 15);
  const std::string type = type_of(p.compute), operation = text_of(p.op, p.compute);
  std::string text = prelude(p.compute, result, p.width, dtypes);
  const std::string width = std::to_string(p.width);
  std::string gathered = "load(code & 15, p, at)";
  for (int i = 1; i < p.width; ++i) gathered += ", load(code & 15, p, at + " + std::to_string(i) + " * step)";
  for (const std::string& n : {std::string(), width}) {
    if (n == "1") break;
    const bool is_body = operation.front() == '{';
    text += replaced(functions_of_width, "$OPERATION", is_body ? operation : "{ return " + operation + "; }",
                     "$GATHERED", n.empty() ? "load(code & 15, p, at)" : gathered, "$Y", "(uchar$N)1 & convert_uchar$N",
                     "$I", "as_long$N", "$U", "as_ulong$N", "$D", "convert_double$N", "$W", "double$N", "$T", type + n,
                     "$R", type_of(result) + n, "$N", n);
  }
  const auto code = [&](std::size_t j) {
    return p.code[j] < 0 ? "k.code[" + std::to_string(j) + "]" : std::to_string(p.code[j]);
  };
  if (p.streams) text += replaced(stream, "$R", type_of(result), "$V", width);
  text += "#define NUMBER(i) (" + type + ")" + (is_real(p.compute) ? "as_double(k.number[i])\n" : "k.number[i]\n");
  return text + replaced(body, "$STORE", p.streams ? std::string("stream") : "store" + width, "$V", width, "$C0",
                         code(0), "$C1", code(1), "$C2", code(2), "$C3", code(3), "$DIMS",
                         p.dims < 0 ? "k.dims" : std::to_string(p.dims), "$STEP",
                         std::to_string(p.width == 1 ? 1 : p.width * vectors_of_item));
}

void run(std::int32_t op, std::int32_t compute, const tb_plan& plan, const tb_scalar* number, const tb_call* call) {
  device& d = device_of(call);
  const std::int64_t count = count_of(plan, 0, plan.ndim);
  program p{op, compute, 1, -1, false, {-1, -1, -1, -1}};
  layout l(plan);
  if (count >= many()) {
    p.dims = plan.ndim;
    p.code.fill(with_call);
    const tb_operand& out = plan.operand[0];
    const bool in_double = text_of(op, compute).find("$D") != std::string::npos;
    const int width = compute == TB_F32 && !in_double ? 16 : 8;
    if (d.shares_cores && plan.sizes[0] >= width && out.strides[0] == 1) p.width = width;
    std::int64_t bytes = 0;
    bool in_place = false;
    for (int j = 0; j < plan.operands; ++j) {
      const tb_operand& o = plan.operand[j];
      const int along = o.on_host != 0 || (j == 0 || o.strides[0] == 1) ? 0 : o.strides[0] == 0 ? repeated : apart;
      p.code[static_cast<std::size_t>(j)] = l.code[j] | along;
      if (along != repeated) bytes += count * static_cast<std::int64_t>(bytes_of(o.dtype));
      in_place |= j > 0 && o.data == out.data;
    }
    constexpr std::int64_t of_caches = 32 << 20;
    p.streams =
        p.width > 1 && bytes > of_caches && !in_place && out.dtype == compute && result_of(op, compute) == compute;
  }
  const std::int64_t step = p.width == 1 ? 1 : p.width * vectors_of_item, blocks = (plan.sizes[0] + step - 1) / step;
  l.row = l.size[0];
  l.set_size(0, blocks);
  l.items = static_cast<std::uint32_t>(count / plan.sizes[0] * blocks);
  for (int i = 0; i < TB_MAX_NUMBERS && number != nullptr; ++i) {
    const auto [f, n] = number[i];
    l.number[i] = is_real(compute) ? std::bit_cast<std::int64_t>(f) : compute == TB_I64 ? n : n != 0 || f != 0;
  }
  std::array<const void*, TB_MAX_OPERANDS> addresses{};
  for (int j = 0; j < TB_MAX_OPERANDS; ++j) {
    const bool has = j < plan.operands && plan.operand[j].on_host == 0;
    addresses[static_cast<std::size_t>(j)] = plan.operand[has ? j : 0].data;
  }
  kernel& k = kernel_of(d, p.key(), "run", source, &p);
  start(k, queue_of(d, call->stream), &l, sizeof l, addresses, {l.items, 1}, {64, 1});
}

}  // namespace

std::int32_t runs_elementwise(std::int32_t op) {
  return text_of(op, TB_F32).empty() && text_of(op, TB_I64).empty() ? 0 : 1;
}

tb_status elementwise(const tb_elementwise* e, const tb_call* call) {
  if (text_of(e->op, e->compute).empty() || count_of(e->plan, 0, e->plan.ndim) > most_elements)
    return TB_UNSUPPORTED_DTYPE;
  return guarded([&] {
    std::array<tb_scalar, TB_MAX_NUMBERS> number = std::to_array(e->number);
    if (e->op == TB_ROUND && is_real(e->compute)) number[1].f = std::pow(10.0, std::abs(number[0].f));
    if (e->op == TB_GELU) number[0].f = e->compute == TB_F32 ? 1.210161710447897e-8 : -4.833646656726457e-17;
    run(e->op, e->compute, e->plan, number.data(), call);
  });
}

// Elements that keep their type are moved as integers of their size.
tb_status copy(const tb_plan* given, const tb_call* call) {
  if (count_of(*given, 0, given->ndim) > most_elements) return TB_UNSUPPORTED_DTYPE;
  tb_plan plan = *given;
  tb_operand &to = plan.operand[0], &from = plan.operand[1];
  std::int32_t compute = !is_real(from.dtype) ? TB_I64 : from.dtype == TB_F64 ? TB_F64 : TB_F32;
  if (to.dtype == from.dtype) {
    constexpr std::array of_size{TB_U8, TB_I16, TB_I32, TB_I64};
    to.dtype = from.dtype = of_size[static_cast<std::size_t>(std::bit_width(bytes_of(to.dtype)) - 1)];
    compute = TB_I64;
  }
  return guarded([&] { run(copy_op, compute, plan, nullptr, call); });
}

}  // namespace ocl
