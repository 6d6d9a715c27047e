#include "by_hand.h"

#include <dlfcn.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace {

using dnnl::memory;

// Where oneDNN is built for OpenMP's threads.
void use_one_thread() {
  if (auto* const set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

struct prepared {
  prepared() { use_one_thread(); }
  dnnl::engine cpu{dnnl::engine::kind::cpu, 0};
  dnnl::stream queue{cpu};
  dnnl::primitive run;
  std::unordered_map<int, memory> arguments;
};

std::function<void()> execution_of(std::shared_ptr<prepared> p) {
  return [p = std::move(p)] {
    p->run.execute(p->queue, p->arguments);
    p->queue.wait();
  };
}

memory filled(const memory::desc& d, const dnnl::engine& cpu) {
  memory m(d, cpu);
  auto* const first = static_cast<float*>(m.get_data_handle());
  for (std::size_t i = 0; i < d.get_size() / sizeof(float); ++i) first[i] = static_cast<float>(i % 17) / 17;
  return m;
}

}  // namespace

std::function<void()> convolution_by_hand(const convolution_shape& c) {
  auto p = std::make_shared<prepared>();
  const std::int64_t out = (c.size + 2 * c.padding - c.window) / c.stride + 1;
  const auto any = [](const memory::dims& d) {
    return memory::desc(d, memory::data_type::f32, memory::format_tag::any);
  };
  const memory::desc source = any({c.images, c.channels, c.size, c.size}),
                     weight = any({c.outputs, c.channels, c.window, c.window}), bias = any({c.outputs}),
                     result = any({c.images, c.outputs, out, out});
  const memory::dims stride{c.stride, c.stride}, padding{c.padding, c.padding};
#if DNNL_VERSION_MAJOR < 3
  const dnnl::convolution_forward::primitive_desc pd(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, source, weight, bias, result, stride,
       padding, padding},
      p->cpu);
#else
  const dnnl::convolution_forward::primitive_desc pd(p->cpu, dnnl::prop_kind::forward_inference,
                                                     dnnl::algorithm::convolution_direct, source, weight, bias, result,
                                                     stride, padding, padding);
#endif
  p->run = dnnl::convolution_forward(pd);
  p->arguments = {{DNNL_ARG_SRC, filled(pd.src_desc(), p->cpu)},
                  {DNNL_ARG_WEIGHTS, filled(pd.weights_desc(), p->cpu)},
                  {DNNL_ARG_BIAS, filled(pd.bias_desc(), p->cpu)},
                  {DNNL_ARG_DST, filled(pd.dst_desc(), p->cpu)}};
  return execution_of(std::move(p));
}

std::function<void()> relu_by_hand(std::int64_t elements) {
  auto p = std::make_shared<prepared>();
  const memory::desc d({elements}, memory::data_type::f32, memory::format_tag::a);
#if DNNL_VERSION_MAJOR < 3
  const dnnl::eltwise_forward::primitive_desc pd(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu, d, 0}, p->cpu);
#else
  const dnnl::eltwise_forward::primitive_desc pd(p->cpu, dnnl::prop_kind::forward_inference,
                                                 dnnl::algorithm::eltwise_relu, d, d, 0);
#endif
  p->run = dnnl::eltwise_forward(pd);
  p->arguments = {{DNNL_ARG_SRC, filled(d, p->cpu)}, {DNNL_ARG_DST, filled(d, p->cpu)}};
  return execution_of(std::move(p));
}
