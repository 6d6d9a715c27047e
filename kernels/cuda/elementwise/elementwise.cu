// Elementwise operations over a plan: vectorized if the operands allow it, else element by element.
#include "elementwise/elementwise.cuh"

#include "runtime/table.cuh"

namespace tb_cuda {
namespace {

constexpr kernel_variants none;

const kernel_variants& variants_of(int32_t op, int32_t compute) {
  if (op < 0 || op >= TB_ELEMENTWISE_COUNT) return none;
  switch (compute) {
    case TB_BOOL: return bool_variants.of[op];
    case TB_I64: return integer_variants.of[op];
    case TB_F32: {
      const kernel_variants& found = float_variants.of[op];
      return found.any != nullptr ? found : float_function_variants.of[op];
    }
    case TB_F64: return double_variants.of[op];
    default: return none;
  }
}

number_bits bits_of(const tb_scalar* number, int32_t compute) {
  number_bits all{};
  for (int i = 0; i < TB_MAX_NUMBERS; ++i) {
    const tb_scalar& k = number[i];
    const float single = float(k.f);
    switch (compute) {
      case TB_BOOL: all.bits[i] = k.i != 0 || k.f != 0; break;
      case TB_I64: all.bits[i] = uint64_t(k.i); break;
      case TB_F32: memcpy(&all.bits[i], &single, sizeof single); break;
      default: memcpy(&all.bits[i], &k.f, sizeof k.f); break;
    }
  }
  return all;
}

template <typename C>
uint64_t bits_as(const tb_operand& operand) {
  const C c = load_as<C>(operand.data, operand.dtype, 0);
  uint64_t bits = 0;
  memcpy(&bits, &c, sizeof c);
  return bits;
}

held_inputs held_of(const tb_plan& plan, int32_t compute) {
  held_inputs all;
  for (int o = 0; o < plan.operands; ++o) {
    const tb_operand& operand = plan.operand[o];
    if (operand.on_host == 0) continue;
    switch (compute) {
      case TB_BOOL: all.bits[o] = bits_as<bool_t>(operand); break;
      case TB_I64: all.bits[o] = bits_as<int64_t>(operand); break;
      case TB_F32: all.bits[o] = bits_as<float>(operand); break;
      default: all.bits[o] = bits_as<double>(operand); break;
    }
  }
  return all;
}

bool divides(const tb_elementwise& call) {
  return call.compute == TB_I64 &&
         (call.op == TB_DIV_FLOOR || call.op == TB_DIV_TRUNC || call.op == TB_REMAINDER || call.op == TB_FMOD);
}

// The vectorized kernel if all operands have one dtype, but for a BOOL condition and a predicate's result; else null.
vector_kernel kernel_over(const kernel_variants& all, const tb_elementwise& call, int32_t& dtype) {
  const tb_operand* const operand = call.plan.operand;
  int32_t last = all.inputs;
  while (last > 1 && operand[last].on_host != 0) --last;
  dtype = all.predicate ? operand[last].dtype : operand[0].dtype;
  if (operand[0].dtype != (all.predicate ? int32_t(TB_BOOL) : dtype)) return nullptr;
  for (int i = 2; i <= all.inputs; ++i) {
    if (operand[i].on_host == 0 && operand[i].dtype != dtype) return nullptr;
  }
  if (all.inputs == 0 || operand[1].on_host != 0 || operand[1].dtype == dtype) return all.over[dtype];
  return operand[1].dtype == TB_BOOL ? all.masked[dtype] : nullptr;
}

// Describes the operands as rows of vectors of `width` elements, a power of two; false if their layout forbids it.
bool lies_in_vectors(const tb_plan& plan, int64_t count, int64_t width, vector_call& to) {
  const int32_t outer = plan.ndim - 1;
  const auto whole = [width](int64_t elements) { return (elements & (width - 1)) == 0; };
  if (outer > vector_call::most_outer) return false;
  if (outer > 0 && (!whole(plan.sizes[0]) || count / width >= INT64_C(0x80000000))) return false;
  for (int o = 0; o < plan.operands; ++o) {
    const tb_operand& operand = plan.operand[o];
    // A row of one element may have any stride.
    if (operand.on_host != 0) {
      to.data[o] = nullptr;
      to.step[o] = -1;
      for (int d = 0; d < outer; ++d) to.strides[d][o] = 0;
      continue;
    }
    const int64_t step = plan.sizes[0] == 1 ? o == 0 : operand.strides[0];
    if (step != 1 && (step != 0 || o == 0)) return false;
    if (step == 1) {
      const auto vector = static_cast<uintptr_t>(width * bytes_of[operand.dtype]);
      if ((reinterpret_cast<uintptr_t>(operand.data) & (vector - 1)) != 0) return false;
      for (int d = 1; d <= outer; ++d) {
        if (!whole(operand.strides[d])) return false;
      }
    }
    to.data[o] = operand.data;
    to.step[o] = int32_t(step);
    for (int d = 0; d < outer; ++d) to.strides[d][o] = operand.strides[d + 1];
  }
  for (int o = plan.operands; o < TB_MAX_OPERANDS; ++o) {
    to.step[o] = 0;
    for (int d = 0; d < outer; ++d) to.strides[d][o] = 0;
  }
  to.vectors = count / width;
  to.tail = int32_t(count % width);
  to.outer = outer;
  if (outer > 0) {
    to.row = divider(uint32_t(plan.sizes[0] / width));
    for (int d = 0; d < outer; ++d) to.by[d] = divider(uint32_t(plan.sizes[d + 1]));
  }
  return true;
}

}  // namespace

tb_status elementwise(const tb_elementwise* call, const tb_call* where) {
  const tb_plan& plan = call->plan;
  const kernel_variants& all = variants_of(call->op, call->compute);
  if (all.any == nullptr || plan.operands != all.inputs + 1) return TB_UNSUPPORTED_DTYPE;
  int64_t count = 1;
  for (int d = 0; d < plan.ndim; ++d) count *= plan.sizes[d];
  if (count == 0) return TB_OK;
  const scope on(plan.operand[0].data, where);
  if (on.status() != TB_OK) return on.status();
  constexpr const char* what = "an elementwise operation";
  int32_t dtype = 0;
  if (const vector_kernel kernel = kernel_over(all, *call, dtype); kernel != nullptr) {
    vector_call vectors;
    if (const int64_t width = vector_bytes / bytes_of[dtype]; lies_in_vectors(plan, count, width, vectors)) {
      vectors.number = bits_of(call->number, call->compute);
      vectors.held = held_of(plan, call->compute);
      if (divides(*call)) vectors.report = report_for(on);
      const int64_t pieces = vectors.vectors + (vectors.tail != 0);
      const int64_t of_block = block_threads * vectors_of_thread(int(bytes_of[dtype]), all.large);
      return launch(on, what, kernel, static_cast<unsigned>((pieces + of_block - 1) / of_block), block_threads, 0,
                    vectors);
    }
  }
  element_call elements;
  constexpr int64_t nowhere[TB_MAX_DIMS] = {};
  elements.element_offsets = offsets<TB_MAX_OPERANDS>(
      plan.ndim, plan.sizes, [&](int o) { return o < plan.operands ? plan.operand[o].strides : nowhere; });
  for (int o = 0; o < plan.operands; ++o) {
    elements.data[o] = plan.operand[o].data;
    elements.dtype[o] = plan.operand[o].on_host != 0 ? -1 : plan.operand[o].dtype;
  }
  elements.held = held_of(plan, call->compute);
  elements.number = bits_of(call->number, call->compute);
  if (divides(*call)) elements.report = report_for(on);
  return launch_over(on, what, count, all.any, elements);
}

}  // namespace tb_cuda
