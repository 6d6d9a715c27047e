module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

namespace {

using record_type = author::tensor_record;

// Dense, and of the same sizes as a dense one.
bool has_layout_of(const record_type& r, const record_type& like) noexcept {
  const std::size_t count = like.sizes.size();
  if (!r.dense || r.elements != like.elements || r.sizes.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (r.sizes[i] != like.sizes[i]) return false;
  }
  return true;
}

// Of the same type; or a number in the one that the other is computed in, which promotes to the same.
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
// An element of a type that kernels compute in.
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

// With more elements than this a kernel may have better to do than its loop: threads, or stores past the cache.
constexpr std::int64_t few = 32768;

// The operands of a call that can go the short way, as a pass over one dimension; the result is still to be named.
template <int Inputs>
class fast_path_pass {
 public:
  fast_path_pass(const tb_kernels& table, fast_path_facts facts, const elementwise_arguments& a) noexcept {
    const record_type* like = &author::record_of(*a.in[0]);
    for (int k = 1; k < Inputs && like->sizes.empty(); ++k) like = &author::record_of(*a.in[k]);
    const bool takes_host_scalars = table.host_scalars != 0;
    if (((facts.types >> static_cast<unsigned>(like->type)) & 1U) == 0) return;
    if (!like->dense || like->elements == 0) return;
    if (facts.number_in_type && !is_floating(like->type)) {
      for (std::size_t i = 0; i < a.numbers; ++i) {
        if (is_floating(a.number[i].type())) return;
      }
    }
    for (int k = 0; k < Inputs; ++k) {
      const record_type& r = author::record_of(*a.in[k]);
      if (!r.data || r.data->data == nullptr || !is_typed_like(r, *like)) return;
      if (r.where != like->where) {
        if (!takes_host_scalars || !r.sizes.empty() || r.where != cpu) return;
        on_host_[k] = true;
      }
      if (&r != like) {
        if (r.sizes.empty()) {
          repeated_[k] = any_repeated_ = true;
        } else if (!has_layout_of(r, *like)) {
          return;
        }
      }
      in_[k] = data_of(r, r.type);
      types_[k] = r.type;
    }
    like_ = like;
  }

  const record_type* like() const noexcept { return like_; }

  void run(backend_call c, elementwise code, const elementwise_arguments& a, const tensor& out) const {
    const auto op = static_cast<std::int32_t>(code);
    const std::int32_t compute = compute_codes[static_cast<std::size_t>(like_->type)];
    tb_scalar number[3];
    for (std::size_t i = 0; i < 3; ++i) number[i] = {a.number[i].to_double(), a.number[i].to_int64()};
    void* const to = data_of(author::record_of(out), out.dtype());
    if (like_->elements <= few && c.table->dense_loop != nullptr && compute == static_cast<std::int32_t>(like_->type)) {
      if (const tb_dense_loop loop = c.table->dense_loop(op, compute)) {
        if (any_repeated_) return run_repeating(loop, to, size_of(out.dtype()), number);
        loop(like_->elements, to, in_, number);
        return;
      }
    }
    tb_elementwise call;  // of its arrays only what one dimension takes
    tb_plan& plan = call.plan;
    plan.ndim = 1;
    plan.operands = Inputs + 1;
    plan.reduced = 0;
    plan.sizes[0] = like_->elements;
    const auto name = [&](std::size_t k, void* data, bool repeated, dtype type, bool on_host) {
      plan.operand[k].on_host = on_host;
      plan.operand[k].data = data;
      plan.operand[k].strides[0] = repeated ? 0 : 1;
      plan.operand[k].dtype = static_cast<std::int32_t>(type);
    };
    name(0, to, false, out.dtype(), false);
    for (std::size_t k = 0; k < Inputs; ++k) {
      name(k + 1, const_cast<void*>(in_[k]), repeated_[k], types_[k], on_host_[k]);
    }
    call.op = op;
    call.compute = compute;
    std::ranges::copy(number, call.number);
    const int status = present(c, c.table->elementwise)(&call, nullptr);
    if (status != TB_OK) check_status(c, status, *a.in[Inputs - 1]);
  }

 private:
  // The loop over a block of elements at a time, beside which stands as often what is to be repeated.
  void run_repeating(tb_dense_loop loop, void* to, std::size_t to_bytes, const tb_scalar* number) const {
    constexpr std::int64_t block = 256;
    const std::size_t bytes = size_of(like_->type);
    alignas(64) std::byte again[Inputs][block * sizeof(double)];
    const std::int64_t most = std::min(like_->elements, block);
    const void* in[Inputs];
    for (int k = 0; k < Inputs; ++k) {
      if (repeated_[k]) repeat(again[k], in_[k], bytes, most);
    }
    for (std::int64_t i = 0; i < like_->elements; i += block) {
      const auto at = static_cast<std::size_t>(i);
      for (int k = 0; k < Inputs; ++k) {
        in[k] = repeated_[k] ? again[k] : static_cast<const std::byte*>(in_[k]) + at * bytes;
      }
      loop(std::min(like_->elements - i, block), static_cast<std::byte*>(to) + at * to_bytes, in, number);
    }
  }

  const void* in_[Inputs];
  dtype types_[Inputs];
  bool repeated_[Inputs] = {}, any_repeated_ = false, on_host_[Inputs] = {};
  const record_type* like_ = nullptr;
};

template <int Inputs>
tensor fast_path_result(backend_call c, elementwise code, fast_path_facts facts, const elementwise_arguments& a) {
  const fast_path_pass<Inputs> pass(*c.table, facts, a);
  const record_type* const like = pass.like();
  if (like == nullptr) return {};
  tensor out = author::make_tensor(like->sizes, facts.predicate ? dtype::boolean : like->type, like->where);
  pass.run(c, code, a, out);
  return out;
}

template <int Inputs>
bool fast_path_write(backend_call c, elementwise code, fast_path_facts facts, const elementwise_arguments& a,
                     const tensor& out) {
  const record_type& to = author::record_of(out);
  if (!to.data || to.data->data == nullptr) return false;
  const fast_path_pass<Inputs> pass(*c.table, facts, a);
  const record_type* const like = pass.like();
  if (like == nullptr || to.where != like->where || !has_layout_of(to, *like)) return false;
  if (to.type != (facts.predicate ? dtype::boolean : like->type)) return false;
  // In the same memory only element for element, and of the same size: bools are written before floats are read.
  for (int k = 0; k < Inputs; ++k) {
    const record_type& r = author::record_of(*a.in[k]);
    if (r.data.get() != to.data.get()) continue;
    if (r.type != to.type || r.offset != to.offset || !has_layout_of(r, to)) return false;
  }
  pass.run(c, code, a, out);
  return true;
}

}  // namespace

tensor elementwise_fast_path(backend_call c, elementwise code, fast_path_facts facts, const elementwise_arguments& a) {
  if (c.table == nullptr || c.table->elementwise == nullptr) return {};
  switch (a.inputs) {
    case 1: return fast_path_result<1>(c, code, facts, a);
    case 2: return fast_path_result<2>(c, code, facts, a);
    case 3: return fast_path_result<3>(c, code, facts, a);
    default: return {};
  }
}

bool elementwise_fast_path(backend_call c, elementwise code, fast_path_facts facts, const elementwise_arguments& a,
                           const tensor& out) {
  if (c.table == nullptr || c.table->elementwise == nullptr) return false;
  switch (a.inputs) {
    case 1: return fast_path_write<1>(c, code, facts, a, out);
    case 2: return fast_path_write<2>(c, code, facts, a, out);
    case 3: return fast_path_write<3>(c, code, facts, a, out);
    default: return false;
  }
}

}  // namespace topbit::detail
