#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>

#include "support/print.h"
#include "support/raises.h"
#include "support/tensor_print.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
namespace key = topbit::key;
using tb::backend;

TEST_CASE("device: its text parses back to it, for every backend and index", "[tensor][device]") {
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    const auto type = static_cast<backend>(b);
    const bool only_one = type == backend::CPU || type == backend::Meta;
    for (int index : {0, 1, 127}) {
      const tb::device d{type, static_cast<std::int8_t>(only_one ? 0 : index)};
      CHECK(tb::parse_device(tb::to_string(d)) == d);
    }
  }
  CHECK(tb::to_string(tb::cpu) == "cpu");
  CHECK(tb::to_string(tb::meta) == "meta");
  CHECK(tb::to_string(tb::cuda(1)) == "cuda:1");
  CHECK(tb::parse_device("cuda") == tb::cuda());
  CHECK(tb::parse_device("cpu:0") == tb::cpu);
  CHECK(tb::parse_device("privateuse1") == tb::device{backend::PrivateUse1, 0});
}

TEST_CASE("device: invalid device text is refused, and the error lists the forms", "[tensor][device]") {
  for (const char* text : {"", "gpu", "CUDA", "cuda:", "cuda:-1", "cuda:128", "cuda:1x", "cuda:1:2", "cuda: 1",
                           "cuda:99999999999", ":1", "cpu:1", "meta:2", " cpu", "none", "undefined"}) {
    CHECK(toy::text_of<tb::device_error>([&] { tb::parse_device(text); }) ==
          "device '" + std::string(text) + "': wanted cpu, cuda, cuda:N, meta, or another backend's name");
  }
}

TEST_CASE("device: an index out of range is refused, not truncated", "[tensor][device]") {
  CHECK(tb::cuda(127).index == 127);
  for (int index : {-1, 128, 256, 300}) {
    CHECK(toy::text_of<tb::device_error>([&] { tb::cuda(index); }) ==
          "device cuda:" + std::to_string(index) + ": wanted an index of 0 to 127");
  }
}

TEST_CASE("device: every backend and layout has keys, and the backend's key is the dense one",
          "[tensor][device][K12][K14][K15][K16]") {
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    const auto type = static_cast<backend>(b);
    const tb::device d{type, 0};
    CHECK(tb::key_of(type) == tb::dispatch_key{tb::functionality::Dense, type});
    CHECK(tb::backend_keys_of(d) == tb::key_set(tb::key_of(type)));
    for (auto t : {tb::dtype::boolean, tb::dtype::float64}) {
      const tb::key_set dense = tb::keys_of(tb::layout::strided, d, t);
      CHECK(dense.contains(tb::key_of(type)));
      CHECK(dense.contains(key::ADInplaceOrView));
      CHECK(dense.contains(tb::author::autograd_key_of(type)));
      CHECK(dense.contains(tb::dispatch_key{tb::functionality::Autocast, type}));
      const tb::key_set below = dense - tb::autograd_keys - key::ADInplaceOrView - key::AutocastFunctionality;
      CHECK(below.highest() == tb::key_of(type));
      CHECK(tb::keys_of(tb::layout::opaque, d, t) == dense);
      const tb::key_set sparse = tb::keys_of(tb::layout::sparse_coo, d, t),
                        csr = tb::keys_of(tb::layout::sparse_csr, d, t);
      CHECK(sparse.contains(tb::dispatch_key{tb::functionality::Sparse, type}));
      CHECK(csr.contains(tb::dispatch_key{tb::functionality::SparseCsr, type}));
      CHECK_FALSE(sparse.has(tb::functionality::Dense));
      CHECK(sparse.contains(tb::author::autograd_key_of(type)));
      CHECK(csr.contains(tb::author::autograd_key_of(type)));
      for (const tb::layout l : {tb::layout::sparse_csc, tb::layout::sparse_bsr, tb::layout::sparse_bsc}) {
        CHECK(tb::keys_of(l, d, t) == csr);
      }
      const tb::key_set quantized = tb::keys_of(tb::layout::quantized, d, t);
      CHECK(quantized.contains(tb::dispatch_key{tb::functionality::Quantized, type}));
      CHECK_FALSE(quantized.has(tb::functionality::Dense));
      CHECK(tb::keys_of(tb::layout::mkldnn, d, t) ==
            tb::key_set{key::MkldnnCPU, key::ADInplaceOrView, key::AutogradCPU, key::AutocastFunctionality});
    }
  }
  CHECK(tb::key_of(backend::none) == tb::dispatch_key{});
  CHECK(tb::backend_keys_of(std::optional<tb::device>()) == tb::key_set(key::CPU));
  CHECK(tb::backend_keys_of(std::optional(tb::cuda())) == tb::key_set(key::CUDA));
}

TEST_CASE("device: a named private backend parses back, and names must be unique", "[tensor][device][K17]") {
  const auto name = tb::name_backend(backend::PrivateUse2, "Npu");
  const tb::device d{backend::PrivateUse2, 1};
  CHECK(tb::to_string(d) == "npu:1");
  CHECK(tb::parse_device("npu:1") == d);
  for (const char* taken : {"cuda", "cpu", "meta", "NPU"}) {
    INFO(taken);
    CHECK_THROWS_AS(tb::name_backend(backend::PrivateUse3, taken), tb::bad_registration);
  }
  CHECK(tb::parse_device("cuda:1") == tb::cuda(1));
}
