// The kernels of the npu: those of the CPU, at addresses that the host cannot access.
#pragma once

#include <cstdint>

#include <topbit/kernel_abi.h>

namespace npu {

inline constexpr std::uintptr_t far_away = std::uintptr_t{1} << 62;
template <class T>
T* flipped(T* p) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) ^ far_away);
}

// Converts an argument of an npu kernel to that of a CPU kernel: the same value with host addresses.
template <class T>
struct at_host {
  T x;
  operator T() const { return x; }
};
inline void flip(tb_plan& plan) {
  for (int i = 0; i < plan.operands; ++i) plan.operand[i].data = flipped(plan.operand[i].data);
}
template <>
struct at_host<const tb_plan*> {
  tb_plan plan;
  explicit at_host(const tb_plan* p) : plan(*p) { flip(plan); }
  operator const tb_plan*() const { return &plan; }
};
// A struct with a member `plan` that holds the addresses.
template <class T>
struct planned_at_host {
  T all;
  explicit planned_at_host(const T* given) : all(*given) { flip(all.plan); }
  operator const T*() const { return &all; }
};
template <>
struct at_host<const tb_elementwise*> : planned_at_host<tb_elementwise> {
  using planned_at_host::planned_at_host;
};
template <>
struct at_host<const tb_random*> : planned_at_host<tb_random> {
  explicit at_host(const tb_random* r) : planned_at_host(r) {
    if (all.philox_state != nullptr) all.philox_state = flipped(all.philox_state);
  }
};
template <>
struct at_host<const tb_reduction*> : planned_at_host<tb_reduction> {
  using planned_at_host::planned_at_host;
};
template <>
struct at_host<const tb_matmul*> {
  tb_matmul all;
  explicit at_host(const tb_matmul* m) : all(*m) {
    all.out = flipped(all.out), all.a = flipped(all.a), all.b = flipped(all.b);
    if (all.added != nullptr) all.added = flipped(all.added);
  }
  operator const tb_matmul*() const { return &all; }
};
template <>
struct at_host<const tb_convolution*> {
  tb_convolution all;
  explicit at_host(const tb_convolution* c) : all(*c) {
    all.out = flipped(all.out), all.image = flipped(all.image), all.weight = flipped(all.weight);
    if (all.bias != nullptr) all.bias = flipped(all.bias);
  }
  operator const tb_convolution*() const { return &all; }
};
template <>
struct at_host<const tb_pool*> {
  tb_pool all;
  explicit at_host(const tb_pool* p) : all(*p) {
    all.out = flipped(all.out), all.in = flipped(all.in);
    if (all.index != nullptr) all.index = flipped(all.index);
  }
  operator const tb_pool*() const { return &all; }
};
template <>
struct at_host<const tb_update*> {
  tb_update all;
  explicit at_host(const tb_update* u) : all(*u) {
    all.parameter = flipped(all.parameter), all.gradient = flipped(all.gradient);
    for (void*& state : all.state) {
      if (state != nullptr) state = flipped(state);
    }
    for (const double** const there : {&all.step_there, &all.scale_there, &all.skip_there}) {
      if (*there != nullptr) *there = flipped(*there);
    }
  }
  operator const tb_update*() const { return &all; }
};
template <>
struct at_host<const tb_attention*> {
  tb_attention all;
  explicit at_host(const tb_attention* a) : all(*a) {
    for (tb_matrices* m : {&all.out, &all.query, &all.key, &all.value, &all.mask}) {
      if (m->data != nullptr) m->data = flipped(m->data);
    }
  }
  operator const tb_attention*() const { return &all; }
};
template <>
struct at_host<const tb_channel_norm*> {
  tb_channel_norm all;
  explicit at_host(const tb_channel_norm* n) : all(*n) {
    for (void** const to : {&all.out, &all.mean, &all.variance, &all.weight_gradient, &all.bias_gradient}) {
      if (*to != nullptr) *to = flipped(*to);
    }
    for (const void** const from : {&all.in, &all.gradient, &all.weight, &all.bias}) {
      if (*from != nullptr) *from = flipped(*from);
    }
  }
  operator const tb_channel_norm*() const { return &all; }
};
template <>
struct at_host<const tb_rowwise*> {
  tb_rowwise all;
  explicit at_host(const tb_rowwise* r) : all(*r) {
    for (int i = 0; i < all.operands; ++i) {
      if (all.row[i].data != nullptr) all.row[i].data = flipped(all.row[i].data);
    }
  }
  operator const tb_rowwise*() const { return &all; }
};
template <>
struct at_host<const tb_take*> {
  tb_take all;
  explicit at_host(const tb_take* t) : all(*t) {
    all.rows = flipped(all.rows), all.table = flipped(all.table);
    for (int i = 0; i < all.indices; ++i) all.index[i] = flipped(all.index[i]);
  }
  operator const tb_take*() const { return &all; }
};
// Copied back after the call, since the kernel writes the count.
template <>
struct at_host<tb_nonzero*> {
  tb_nonzero all;
  tb_nonzero* given;
  explicit at_host(tb_nonzero* n) : all(*n), given(n) {
    flip(all.plan);
    if (all.out != nullptr) all.out = flipped(all.out);
  }
  ~at_host() { given->count = all.count; }
  operator tb_nonzero*() { return &all; }
};

// The npu kernel for an entry of the backend kernel table.
template <auto Name>
struct kernel;
template <class... A, tb_status (*tb_kernels::*Name)(A...)>
struct kernel<Name> {
  static tb_status run(A... a) { return (tb_cpu_kernels()->*Name)(at_host<A>{a}...); }
};

using k = tb_kernels;
inline constexpr tb_kernels kernels{
    .size = sizeof(tb_kernels),
    .version = TB_ABI_VERSION,
    .name = "npu",
    .copy = &kernel<&k::copy>::run,
    .arange = &kernel<&k::arange>::run,
    .elementwise = &kernel<&k::elementwise>::run,
    .reduce = &kernel<&k::reduce>::run,
    .rowwise = &kernel<&k::rowwise>::run,
    .matmul = &kernel<&k::matmul>::run,
    .take = &kernel<&k::take>::run,
    .random = &kernel<&k::random>::run,
    .nonzero = &kernel<&k::nonzero>::run,
    .pool = &kernel<&k::pool>::run,
    .convolve = &kernel<&k::convolve>::run,
    .update = &kernel<&k::update>::run,
    .attention = &kernel<&k::attention>::run,
    .dense_loops = nullptr,
    .calling = nullptr,
    .last_error = nullptr,
    .host_scalars = 0,
    .attention_fp16 = 0,
    .runs = nullptr,
    .context = nullptr,
    .channel_norm = &kernel<&k::channel_norm>::run,
};

}  // namespace npu
