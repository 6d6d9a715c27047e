// The inner loops of elementwise operations, and their lookup by operation code. A loop reads and writes dense elements
// of one type; elementwise.cpp converts operands of any dtype and stride for it.
#pragma once

#include "elementwise_facts.h"
#include "elementwise_functions.h"
#include "isa/arch.h"

namespace tb_cpu::TOPBIT_ARCH {

using loop_fn = void (*)(int64_t count, void* out, const void* const* in, const tb_scalar* number);

// The loops of an operation by compute type; null where the operation has none.
struct loops {
  loop_fn boolean = nullptr, integer = nullptr, f32 = nullptr, f64 = nullptr;
  int inputs = 0;
  bool predicate = false;                                  // the result is BOOL
  loop_fn with_one_f32 = nullptr, with_one_f64 = nullptr;  // the same, with one element as the last operand
};

// The loops that one source file provides, by operation code; no loops and zero inputs for operations of the other
// file.
struct loop_table {
  loops of[TB_ELEMENTWISE_COUNT];
  tb_dense_loops
      dense[TB_ELEMENTWISE_COUNT];  // the same loops, except for operations whose operands must be checked first
};
extern const loop_table arithmetic_loops, float_loops;

constexpr bool divides_integers(int32_t op, int32_t compute) {
  return compute == TB_I64 && (op == TB_DIV_FLOOR || op == TB_DIV_TRUNC || op == TB_REMAINDER || op == TB_FMOD);
}

inline constexpr loops no_loops;

inline const loops& loops_of(int32_t op) {
  if (op < 0 || op >= TB_ELEMENTWISE_COUNT) return no_loops;
  const loops& found = arithmetic_loops.of[op];
  return found.integer == nullptr && found.f32 == nullptr ? float_loops.of[op] : found;
}

namespace {

constexpr void add_loops(loop_table& all, int32_t op, loops found, bool predicate) {
  found.predicate = predicate;
  all.of[op] = found;
  all.dense[op] = {{found.boolean, divides_integers(op, TB_I64) ? nullptr : found.integer, found.f32, found.f64}};
}

template <typename T>
tb_kernel::numbers<T> numbers_as(const tb_scalar* k) {
  if constexpr (std::is_same_v<T, tb_kernel::bool_t>) {
    const auto as_bool = [](tb_scalar s) { return T(s.i != 0 || s.f != 0); };
    return {as_bool(k[0]), as_bool(k[1]), as_bool(k[2])};
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return {k[0].i, k[1].i, k[2].i};
  } else {
    return {T(k[0].f), T(k[1].f), T(k[2].f)};
  }
}

// The result may be the same memory as an input, element for element, but never overlaps one otherwise; so iterations
// are independent.
template <typename F, typename T, int Inputs>
void loop(int64_t count, void* out, const void* const* in, const tb_scalar* number) {
  const auto k = numbers_as<T>(number);
  if constexpr (Inputs == 0) {
    T* const to = static_cast<T*>(out);
    for (int64_t i = 0; i < count; ++i) to[i] = F::template apply<T>(k);
  } else if constexpr (Inputs == 1) {
    const T* const a = static_cast<const T*>(in[0]);
    auto* const to = static_cast<decltype(F::apply(*a, k))*>(out);
#pragma clang loop vectorize(assume_safety)
    for (int64_t i = 0; i < count; ++i) to[i] = F::apply(a[i], k);
  } else if constexpr (Inputs == 2) {
    const T *const a = static_cast<const T*>(in[0]), *const b = static_cast<const T*>(in[1]);
    auto* const to = static_cast<decltype(F::apply(*a, *b, k))*>(out);
#pragma clang loop vectorize(assume_safety)
    for (int64_t i = 0; i < count; ++i) to[i] = F::apply(a[i], b[i], k);
  } else {
    const T *const a = static_cast<const T*>(in[0]), *const b = static_cast<const T*>(in[1]);
    const T* const c = static_cast<const T*>(in[2]);
    auto* const to = static_cast<decltype(F::apply(*a, *b, *c, k))*>(out);
#pragma clang loop vectorize(assume_safety)
    for (int64_t i = 0; i < count; ++i) to[i] = F::apply(a[i], b[i], c[i], k);
  }
}

template <typename F, int Inputs>
constexpr loops floats() {
  return {nullptr, nullptr, loop<F, float, Inputs>, loop<F, double, Inputs>, Inputs};
}
template <typename F, int Inputs>
constexpr loops numbers_only() {
  return {nullptr, loop<F, int64_t, Inputs>, loop<F, float, Inputs>, loop<F, double, Inputs>, Inputs};
}
template <typename F, int Inputs>
constexpr loops everything() {
  return {loop<F, tb_kernel::bool_t, Inputs>, loop<F, int64_t, Inputs>, loop<F, float, Inputs>, loop<F, double, Inputs>,
          Inputs};
}
template <typename F, int Inputs>
constexpr loops bits() {
  return {loop<F, tb_kernel::bool_t, Inputs>, loop<F, int64_t, Inputs>, nullptr, nullptr, Inputs};
}
template <typename F, int Inputs>
constexpr loops integers() {
  return {nullptr, loop<F, int64_t, Inputs>, nullptr, nullptr, Inputs};
}

}  // namespace
}  // namespace tb_cpu::TOPBIT_ARCH
