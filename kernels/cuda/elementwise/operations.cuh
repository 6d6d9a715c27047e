// Instantiates the kernels of every elementwise operation for one compute type, from elementwise.def.
#pragma once

#include "elementwise/elementwise.cuh"

namespace tb_cuda {

// Code size: small is a few instructions, large some hundred; huge has no vectors of 16-bit elements.
enum class code_size { small, large, huge };

template <typename F, int Inputs, typename C, typename E, bool Large>
constexpr void add_kernels_over(kernel_variants& all, int32_t dtype) {
  all.over[dtype] = each_vector<F, Inputs, C, E, E, Large>;
  if constexpr (std::is_same_v<F, fn::where>) all.masked[dtype] = each_vector<F, Inputs, C, E, boolean, Large>;
}

template <typename F, int Inputs, typename C, code_size Size>
constexpr kernel_variants kernels_of() {
  constexpr bool large = Size != code_size::small;
  kernel_variants all;
  if constexpr (std::is_same_v<C, bool_t>) {
    add_kernels_over<F, Inputs, C, boolean, large>(all, TB_BOOL);
  } else if constexpr (std::is_same_v<C, int64_t>) {
    add_kernels_over<F, Inputs, C, int64_t, large>(all, TB_I64);
    add_kernels_over<F, Inputs, C, int32_t, large>(all, TB_I32);
  } else if constexpr (std::is_same_v<C, double>) {
    add_kernels_over<F, Inputs, C, double, large>(all, TB_F64);
  } else {
    add_kernels_over<F, Inputs, C, float, large>(all, TB_F32);
    if constexpr (Size != code_size::huge) {
      add_kernels_over<F, Inputs, C, half, large>(all, TB_F16);
      add_kernels_over<F, Inputs, C, bfloat16, large>(all, TB_BF16);
    }
  }
  all.any = each_element<F, Inputs, C>;
  all.inputs = Inputs;
  all.predicate = std::is_same_v<result_of<F, Inputs, C>, bool_t>;
  all.large = large;
  return all;
}

template <typename C>
inline constexpr bool is_real = std::is_floating_point_v<C>;
template <typename C>
inline constexpr bool is_number = !std::is_same_v<C, bool_t>;

template <typename C, typename F, int Inputs, code_size Size>
constexpr kernel_variants floats() {
  if constexpr (is_real<C>)
    return kernels_of<F, Inputs, C, Size>();
  else
    return {};
}
template <typename C, typename F, int Inputs, code_size Size>
constexpr kernel_variants numbers_only() {
  if constexpr (is_number<C>)
    return kernels_of<F, Inputs, C, Size>();
  else
    return {};
}
template <typename C, typename F, int Inputs, code_size Size>
constexpr kernel_variants everything() {
  return kernels_of<F, Inputs, C, Size>();
}
template <typename C, typename F, int Inputs, code_size Size>
constexpr kernel_variants bits() {
  if constexpr (!is_real<C>)
    return kernels_of<F, Inputs, C, Size>();
  else
    return {};
}
template <typename C, typename F, int Inputs, code_size Size>
constexpr kernel_variants integers() {
  if constexpr (std::is_same_v<C, int64_t>)
    return kernels_of<F, Inputs, C, Size>();
  else
    return {};
}

// The TB_ELEMENTWISE_NUMBER lines of elementwise.def.
template <typename C>
constexpr kernel_variants number_variants(int32_t op) {
  switch (op) {
#define TB_ELEMENTWISE_NUMBER(code, function, inputs, types, result, size, note) \
  case TB_##code: return types<C, fn::function, inputs, code_size::size>();
#include "elementwise.def"
    default: return {};
  }
}

// The TB_ELEMENTWISE_FUNCTION lines of elementwise.def.
template <typename C>
constexpr kernel_variants function_variants(int32_t op) {
  switch (op) {
#define TB_ELEMENTWISE_FUNCTION(code, function, inputs, types, result, size, note) \
  case TB_##code: return types<C, fn::function, inputs, code_size::size>();
#include "elementwise.def"
    default: return {};
  }
}

template <typename Find>
constexpr variant_table table_of(Find find) {
  variant_table all;
  for (int32_t op = 0; op < TB_ELEMENTWISE_COUNT; ++op) all.of[op] = find(op);
  return all;
}

template <typename C>
constexpr kernel_variants all_variants(int32_t op) {
  const kernel_variants found = number_variants<C>(op);
  return found.any != nullptr ? found : function_variants<C>(op);
}

}  // namespace tb_cuda
