module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :elementwise.elementwise;
import :elementwise.fast_path;
import :registration.composite;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

namespace {

using record_type = author::tensor_record;

// True if r is dense with the sizes of `like`, which is dense.
bool has_layout_of(const record_type& r, const record_type& like) noexcept {
  const std::size_t count = like.sizes.size();
  if (!r.dense || r.elements != like.elements || r.sizes.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (r.sizes[i] != like.sizes[i]) return false;
  }
  return true;
}

// True for equal dtypes, and for a zero-dimensional r in the compute type of `like`, which promotes to the dtype of
// `like`.
bool is_typed_like(const record_type& r, const record_type& like) noexcept {
  if (r.type == like.type) return true;
  return r.sizes.empty() && !like.sizes.empty() &&
         static_cast<std::int32_t>(r.type) == compute_codes[static_cast<std::size_t>(like.type)];
}

template <class T>
void repeat_as(void* to, const void* from, std::int64_t count) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  for (std::int64_t i = 0; i < count; ++i) static_cast<T*>(to)[i] = value;
}
// Fills with one element of a compute type.
void repeat(void* to, const void* from, std::size_t bytes, std::int64_t count) noexcept {
  switch (bytes) {
    case 1: return repeat_as<std::uint8_t>(to, from, count);
    case 4: return repeat_as<std::uint32_t>(to, from, count);
    default: return repeat_as<std::uint64_t>(to, from, count);
  }
}

void* data_of(const record_type& r, dtype type) noexcept {
  return static_cast<std::byte*>(r.data->data) + r.offset * static_cast<std::int64_t>(size_of(type));
}

// Above this a kernel may use threads or non-temporal stores.
constexpr std::int64_t few = 32768;

// The operands of a call as one dense dimension; `like` is null if the fast path does not apply. With `strided` they
// have other sizes or strides than `like`, and a plan of their own.
template <int Inputs>
struct dense_operands {
  const void* data[Inputs];
  dtype types[Inputs];
  bool repeated[Inputs] = {}, any_repeated = false, on_host[Inputs] = {}, any_on_host = false, strided = false;
  const record_type* like = nullptr;

  dense_operands(const tb_kernels& table, fast_path_facts facts, const elementwise_arguments& a) noexcept {
    const record_type* widest = &author::record_of(*a.in[0]);
    for (int k = 1; k < Inputs && widest->sizes.empty(); ++k) widest = &author::record_of(*a.in[k]);
    if (((facts.types >> static_cast<unsigned>(widest->type)) & 1U) == 0) return;
    if (widest->elements == 0) return;
    strided = !widest->dense;
    if (facts.number_in_type && !is_floating(widest->type)) {
      for (std::size_t i = 0; i < a.numbers; ++i) {
        if (is_floating(a.number[i].type())) return;
      }
    }
    for (int k = 0; k < Inputs; ++k) {
      const record_type& r = author::record_of(*a.in[k]);
      if (!r.data || r.data->data == nullptr || !is_typed_like(r, *widest)) return;
      if (r.where != widest->where) {
        if (table.host_scalars == 0 || !r.sizes.empty() || r.where != cpu) return;
        on_host[k] = any_on_host = true;
      }
      if (&r != widest) {
        if (r.sizes.empty()) {
          repeated[k] = any_repeated = true;
        } else if (!has_layout_of(r, *widest)) {
          strided = true;
        }
      }
      data[k] = data_of(r, r.type);
      types[k] = r.type;
    }
    like = widest;
  }
};

// Runs the loop block by block; a repeated operand is expanded to a block once.
template <int Inputs>
void run_repeating(const dense_operands<Inputs>& in, tb_dense_loop loop, void* to, std::size_t to_bytes,
                   const tb_scalar* number) {
  constexpr std::int64_t block = 256;
  const std::size_t bytes = size_of(in.like->type);
  alignas(64) std::byte copies[Inputs][block * sizeof(double)];
  const std::int64_t elements = in.like->elements, most = std::min(elements, block);
  for (int k = 0; k < Inputs; ++k) {
    if (in.repeated[k]) repeat(copies[k], in.data[k], bytes, most);
  }
  const void* operands[Inputs];
  for (std::int64_t i = 0; i < elements; i += block) {
    const auto first = static_cast<std::size_t>(i);
    for (int k = 0; k < Inputs; ++k) {
      operands[k] = in.repeated[k] ? copies[k] : static_cast<const std::byte*>(in.data[k]) + first * bytes;
    }
    loop(std::min(elements - i, block), static_cast<std::byte*>(to) + first * to_bytes, operands, number);
  }
}

// True if `out` has this dtype and the operands' layout, and each input in its memory is the same view.
template <int Inputs>
bool is_writable(const tensor& out, const dense_operands<Inputs>& in, dtype type, const elementwise_arguments& a) {
  const record_type& to = author::record_of(out);
  if (!to.data || to.data->data == nullptr || to.data->read_only || to.type != type) return false;
  if (to.where != in.like->where || !has_layout_of(to, *in.like)) return false;
  // Inputs in the same memory must match exactly: a bool result would overwrite floats before they are read.
  for (int k = 0; k < Inputs; ++k) {
    const record_type& r = author::record_of(*a.in[k]);
    if (r.data.get() != to.data.get()) continue;
    if (r.type != to.type || r.offset != to.offset || !has_layout_of(r, to)) return false;
  }
  return true;
}

// For each dtype, the index of an operation's dense loop, by compute type.
constexpr auto loop_index = [] {
  std::array<std::uint8_t, dtype_count> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = compute_codes[i] == TB_BOOL ? 0 : compute_codes[i] == TB_I64 ? 1 : compute_codes[i] == TB_F32 ? 2 : 3;
  }
  return all;
}();

}  // namespace

template <int Inputs, bool Makes>
bool elementwise_fast_path(backend_call c, elementwise code, fast_path_facts facts, const elementwise_arguments& a,
                           tensor& out) {
  if (c.table == nullptr || c.table->elementwise == nullptr) return false;
  const dense_operands<Inputs> in(*c.table, facts, a);
  if (in.like == nullptr) return false;
  const auto computed = static_cast<std::size_t>(in.like->type);
  const dtype type = facts.predicate ? dtype::boolean : in.like->type;
  if (in.strided) {
    if (!Makes || in.any_on_host) return false;
    shape sizes = a.in[0]->sizes();
    for (int k = 1; k < Inputs; ++k) sizes = broadcast(c.op, sizes, a.in[k]->sizes());
    out = make_result({sizes, type, in.like->where, author::result_strides(sizes, a.operands())});
    run_elementwise_in(c, code, in.like->type, a, out);
    return true;
  }
  const std::int64_t elements = in.like->elements;
  if constexpr (Makes) {
    out = author::make_tensor(in.like->sizes, type, in.like->where);
  } else {
    if (!is_writable(out, in, type, a)) return false;
  }
  void* const to = data_of(author::record_of(out), type);
  tb_scalar number[3];
  for (std::size_t i = 0; i < 3; ++i) number[i] = to_abi(a.number[i]);
  if (elements <= few && c.table->dense_loops != nullptr &&
      compute_codes[computed] == static_cast<std::int32_t>(in.like->type)) {
    const tb_dense_loop loop = c.table->dense_loops[static_cast<std::size_t>(code)]->of[loop_index[computed]];
    if (loop != nullptr && in.any_repeated) {
      run_repeating(in, loop, to, size_of(type), number);
      return true;
    }
    if (loop != nullptr) {
      loop(elements, to, in.data, number);
      return true;
    }
  }
  tb_elementwise call;  // uninitialised beyond one dimension
  call.plan.ndim = 1;
  call.plan.operands = Inputs + 1;
  call.plan.reduced = 0;
  call.plan.sizes[0] = elements;
  const auto set = [&](std::size_t k, void* data, bool repeated, dtype element, bool on_host) {
    tb_operand& operand = call.plan.operand[k];
    operand.data = data;
    operand.strides[0] = repeated ? 0 : 1;
    operand.dtype = static_cast<std::int32_t>(element);
    operand.on_host = on_host;
  };
  set(0, to, false, type, false);
  for (std::size_t k = 0; k < Inputs; ++k) {
    set(k + 1, const_cast<void*>(in.data[k]), in.repeated[k], in.types[k], in.on_host[k]);
  }
  call.op = static_cast<std::int32_t>(code);
  call.compute = compute_codes[computed];
  std::ranges::copy(number, call.number);
  const tb_status status = run_kernel(c, out, c.table->elementwise, &call);
  if (status != TB_OK) check_status(c, status, *a.in[Inputs - 1]);
  return true;
}

template bool elementwise_fast_path<1, true>(backend_call, elementwise, fast_path_facts, const elementwise_arguments&,
                                             tensor&);
template bool elementwise_fast_path<1, false>(backend_call, elementwise, fast_path_facts, const elementwise_arguments&,
                                              tensor&);
template bool elementwise_fast_path<2, true>(backend_call, elementwise, fast_path_facts, const elementwise_arguments&,
                                             tensor&);
template bool elementwise_fast_path<2, false>(backend_call, elementwise, fast_path_facts, const elementwise_arguments&,
                                              tensor&);
template bool elementwise_fast_path<3, true>(backend_call, elementwise, fast_path_facts, const elementwise_arguments&,
                                             tensor&);
template bool elementwise_fast_path<3, false>(backend_call, elementwise, fast_path_facts, const elementwise_arguments&,
                                              tensor&);

}  // namespace topbit::detail
