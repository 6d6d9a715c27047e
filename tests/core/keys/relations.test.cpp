// What aliases stand for and which backends are below which autograd key, asked of a registry: each key is called, and
// the kernel says with which key it ran.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <string>

#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::backend;
using tb::dispatch_key;
using tb::functionality;
using tb::key_set;
using toy::image;

namespace {

inline constexpr tb::op<"rel::key", key_set(const image&)> where;
constexpr auto composite = [](key_set keys, const image&) { return keys; };
constexpr auto other = [](const image&) { return key_set(key::UserTop2); };

struct room {
  tb::registry r;
  tb::library_block base = tb::library("rel", r).def(where);
  tb::typed_handle<key_set(const image&)> call = r.find("rel::key").typed<key_set(const image&)>();
  tb::library_block more() { return tb::implement("rel", std::nullopt, r); }

  // Is the slot of this key filled by the kernel that answers with its set?
  bool fills(dispatch_key k) const {
    try {
      return call.redispatch(k, image{}).row() == key_set(k).row();
    } catch (const tb::no_kernel&) {
      return false;
    }
  }
};

// "Dense 20, FPGA": the functionalities that have a key for which this holds, with how many of their backends.
std::string which(const std::function<bool(dispatch_key)>& holds) {
  std::string text = holds({}) ? "Undefined" : "";
  for (unsigned f = 1; f <= tb::author::functionality_count; ++f) {
    const auto layer = static_cast<functionality>(f);
    unsigned found = 0;
    const unsigned first = tb::author::per_backend(layer) ? 1 : 0,
                   last = tb::author::per_backend(layer) ? tb::author::backend_count : 0;
    for (unsigned b = first; b <= last; ++b) found += holds({layer, static_cast<backend>(b)}) ? 1 : 0;
    if (found == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(tb::name_of(layer));
    if (tb::author::per_backend(layer)) text += " " + std::to_string(found);
  }
  return text;
}

constexpr tb::alias_key CIA = key::CompositeImplicitAutograd, CENF = key::CompositeExplicitAutogradNonFunctional;

}  // namespace

TEST_CASE("relations: which keys each alias stands for", "[core][table][K7]") {
  const auto filled_by = [](tb::alias_key a) {
    room in;
    const auto block = in.more().impl<composite>(where, a);
    return which([&](dispatch_key k) { return in.fills(k); });
  };
  CHECK(filled_by(key::Autograd) == "AutogradOther, Autograd 20, AutogradNestedTensor");
  CHECK(filled_by(key::CompositeExplicitAutograd) ==
        "Undefined, Dense 20, FPGA, MSNPU, MLC, Vulkan, Metal, Quantized 20, CustomRNGKeyId, MkldnnCPU, Sparse 20, "
        "SparseCsr 20");
  CHECK(filled_by(CENF) ==
        "Undefined, Dense 18, FPGA, MSNPU, MLC, Vulkan, Metal, Quantized 18, CustomRNGKeyId, MkldnnCPU, SparseCsr 18");
  CHECK(filled_by(CIA) ==
        "Undefined, Dense 20, FPGA, MSNPU, MLC, Vulkan, Metal, Quantized 20, CustomRNGKeyId, MkldnnCPU, Sparse 20, "
        "SparseCsr 20, NestedTensor 20, Functionalize, AutogradOther, Autograd 20, AutogradNestedTensor, "
        "FuncTorchBatched");
  CHECK(filled_by(key::CompositeImplicitAutogradNestedTensor) == "NestedTensor 20, AutogradNestedTensor");
  CHECK(filled_by(key::FuncTorchBatchedDecomposition) == "FuncTorchBatched");
  CHECK(filled_by(key::Autocast) == "Autocast 20");
}

TEST_CASE("relations: the backends that the non-functional composite leaves out are XLA and Lazy",
          "[core][table][K7]") {
  room in;
  const auto block = in.more().impl<composite>(where, CENF);
  for (functionality layer : {functionality::Dense, functionality::Quantized, functionality::SparseCsr}) {
    for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
      const dispatch_key k{layer, static_cast<backend>(b)};
      INFO(to_string(k));
      CHECK(in.fills(k) == (k.device != backend::XLA && k.device != backend::Lazy));
    }
  }
}

TEST_CASE("relations: below a backend's autograd key is its dense key and no other, for every backend",
          "[core][table][K9][K10]") {
  for (unsigned b = 1; b <= tb::author::backend_count; ++b) {
    const auto device = static_cast<backend>(b);
    room in;
    const auto all = in.more().impl<composite>(where, CIA);
    {
      const auto kernel = in.more().impl<other>(where, dispatch_key{functionality::Dense, device});
      for (unsigned each = 1; each <= tb::author::backend_count; ++each) {
        const auto another = static_cast<backend>(each);
        INFO(tb::name_of(device) << " has a kernel, " << tb::name_of(another) << " is called");
        CHECK(in.fills(tb::author::autograd_key_of(another)) == (another != device));
      }
      CHECK(in.fills(key::AutogradOther));
      CHECK(in.fills(key::AutogradNestedTensor));
      CHECK(in.call(image{{dispatch_key{functionality::Dense, device}, tb::author::autograd_key_of(device)}, 0, 0}) ==
            key_set(key::UserTop2));
    }
    for (functionality layer : {functionality::Sparse, functionality::SparseCsr, functionality::Quantized}) {
      const auto kernel = in.more().impl<other>(where, dispatch_key{layer, device});
      CHECK(in.fills(tb::author::autograd_key_of(device)));
    }
    const auto nested = in.more().impl<other>(where, dispatch_key{functionality::NestedTensor, device});
    CHECK_FALSE(in.fills(key::AutogradNestedTensor));
    CHECK(in.fills(tb::author::autograd_key_of(device)));
  }
}

TEST_CASE("relations: the keys that share AutogradOther", "[core][table][K11]") {
  room in;
  const auto all = in.more().impl<composite>(where, CIA);
  CHECK(which([&](dispatch_key k) {
          if (k == key::Undefined || k == key::AutogradOther) return false;
          const auto kernel = in.more().impl<other>(where, k);
          return toy::text_of<tb::no_kernel>([&] { (void)in.call.redispatch(key::AutogradOther, image{}); })
              .starts_with("rel::key: ambiguous at AutogradOther: ");
        }) == "FPGA, MSNPU, MLC, Vulkan, Metal, Quantized 20, CustomRNGKeyId, MkldnnCPU, Sparse 20, SparseCsr 20");
}
