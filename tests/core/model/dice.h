// Random choices that are the same for a seed on every machine, and the keys a walk meets most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "core/model/naive_registry.h"

namespace model {

class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class List>
  const auto& pick(const List& list) {
    return list[below(list.size())];
  }

  // Mostly keys that rules of the precedence speak of; but every key that has a slot comes up.
  tb::dispatch_key some_key() {
    static constexpr std::array often{key::CPU,
                                      key::CPU,
                                      key::CUDA,
                                      key::HIP,
                                      key::XLA,
                                      key::Lazy,
                                      key::Meta,
                                      key::FPGA,
                                      key::MkldnnCPU,
                                      key::QuantizedCPU,
                                      key::QuantizedCUDA,
                                      key::SparseCPU,
                                      key::SparseCUDA,
                                      key::SparseCsrCPU,
                                      key::NestedTensorCPU,
                                      key::NestedTensorCUDA,
                                      key::BackendSelect,
                                      key::BackendSelect,
                                      key::Functionalize,
                                      key::ADInplaceOrView,
                                      key::AutogradOther,
                                      key::AutogradCPU,
                                      key::AutogradCPU,
                                      key::AutogradCUDA,
                                      key::AutogradHIP,
                                      key::AutogradMeta,
                                      key::AutogradNestedTensor,
                                      key::AutocastCPU,
                                      key::Tracer,
                                      key::FuncTorchBatched};
    static constexpr std::array related{tb::functionality::Dense,     tb::functionality::Autograd,
                                        tb::functionality::Quantized, tb::functionality::Sparse,
                                        tb::functionality::SparseCsr, tb::functionality::NestedTensor};
    const std::size_t n = below(100);
    if (n < 60) return pick(often);
    if (n < 80) return {pick(related), static_cast<tb::backend>(1 + below(tb::author::backend_count))};
    return all_keys()[1 + below(all_keys().size() - 1)];
  }
  tb::key_target some_target() {
    if (chance(35)) return tb::alias_key{static_cast<std::uint8_t>(below(tb::author::alias_count))};
    if (chance(4)) return key::Undefined;  // catch-all
    return some_key();
  }

  // What an argument may carry: keys, and now and then a functionality without its backend or the reverse.
  naive_key_set some_keys(std::size_t most) {
    naive_key_set s;
    for (std::size_t n = below(most + 1); n != 0; --n) {
      const tb::dispatch_key k = some_key();
      if (!chance(6))
        s.add(k);
      else if (chance(50))
        s.layers.insert(k.layer);
      else if (k.device != tb::backend::none)
        s.backends.insert(k.device);
    }
    return s;
  }
  tb::backend some_backend() { return static_cast<tb::backend>(1 + below(chance(70) ? 3 : tb::author::backend_count)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace model
