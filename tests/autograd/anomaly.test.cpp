#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

struct gives_nan {
  static tensor forward(tb::function_context&, const tensor& x) { return x * 1; }
  static tensor backward(tb::function_context&, const tensor& g) { return g / 0 * 0; }
};

// An error's text without the functions that called those of `anomaly_test`.
std::string without_callers(std::string text) {
  for (std::size_t at; (at = text.find(" <- Catch::")) != std::string::npos;)
    text.erase(at, std::min(text.find(';', at), text.size()) - at);
  return text;
}

}  // namespace

// Functions with names that the linker knows; each does something after its call, which is so no jump.
namespace anomaly_test {

// Its writes are counted by the kernel for any operator.
constexpr tb::op<"anomaly_test::erase_(Tensor(a!) self) -> Tensor(a!)"> erase_;
tensor& erase_cpu(tensor& self) {
  std::fill_n(self.data_ptr<double>(), self.numel(), 0.0);
  return self;
}
const auto kernels = tb::library("anomaly_test")
                         .def(erase_)
                         .impl<&erase_cpu>(erase_, key::CPU)
                         .impl_boxed<&tb::author::count_writes_and_track_views>(erase_, key::ADInplaceOrView);

int writes = 0;
[[gnu::noinline, gnu::visibility("default")]] void overwrite(tensor& t) {
  aten::zero_(t);
  ++writes;
}
[[gnu::noinline, gnu::visibility("default")]] void step(tensor& t) {
  overwrite(t);
  ++writes;
}
[[gnu::noinline, gnu::visibility("default")]] void overwrite_boxed(tensor& t) {
  erase_(t);
  ++writes;
}
[[gnu::noinline, gnu::visibility("default")]] tensor multiply(const tensor& a, const tensor& b) {
  tensor product = a * b;
  ++writes;
  return product;
}

}  // namespace anomaly_test

TEST_CASE("anomaly: a rule that gives NaN is an error that names it", "[autograd][anomaly]") {
  const tensor x = leaf({1, 2});
  const auto run = [&] { tb::backward(aten::sum(tb::apply<gives_nan>(x * 2) * 3)); };
  run();
  tb::zero_grad(x);
  const tb::detect_anomaly guard;
  const std::string text = text_of<tb::error>(run);

  CHECK(text.find("gives_nan: its gradient rule gave NaN for argument 1; while backward ran ") != std::string::npos);
  CHECK_FALSE(tb::leaf_grad(x).defined());
}

TEST_CASE("anomaly: an error says where the call was recorded", "[autograd][anomaly]") {
  const tensor x = leaf({1, 2});
  tensor y = tensor_of({3, 4}, {2}), z;
  {
    const tb::detect_anomaly guard;
    z = aten::sum(x * y);
  }
  aten::zero_(y);
  const std::string text = text_of<tb::error>([&] { tb::backward(z); });
  CHECK(text.find("aten::mul.Tensor: a tensor saved for backward, float64 [2], was written in place by aten::zero_") ==
        0);
  CHECK(text.find("; it was recorded in ") != std::string::npos);
  const tensor w = tensor_of({3, 4}, {2});
  const tensor later = aten::sum(x * w);
  CHECK(text_of<tb::error>([&] {
          tensor victim = w;
          aten::zero_(victim);
          tb::backward(later);
        }).find("; it was recorded in ") == std::string::npos);
}

TEST_CASE("anomaly: an error says where a saved tensor was written", "[autograd][anomaly]") {
  const tensor x = leaf({1, 2});
  const auto text_after = [&](auto write, bool looks_at_call, bool looks_at_write) {
    tensor y = tensor_of({3, 4}, {2}), z;
    const auto looking = [](bool on, auto run) {
      std::optional<tb::detect_anomaly> guard;
      if (on) guard.emplace();
      run();
    };
    looking(looks_at_call, [&] { z = anomaly_test::multiply(x, y); });
    looking(looks_at_write, [&] { write(y); });
    return without_callers(text_of<tb::error>([&] { tb::backward(aten::sum(z)); }));
  };
  const std::string written =
      "aten::mul.Tensor: a tensor saved for backward, float64 [2], was written in place by aten::zero_: found version "
      "1, wanted 0; write to a clone instead";
  const std::string ran = "; while backward ran aten::mul.Tensor of aten::sum";
  const std::string recorded_in = "; it was recorded in anomaly_test::multiply";

  CHECK(text_after(anomaly_test::step, true, true) ==
        written + "; it was written in anomaly_test::overwrite <- anomaly_test::step" + ran + recorded_in);
  CHECK(text_after(anomaly_test::overwrite, false, true) ==
        written + "; it was written in anomaly_test::overwrite" + ran);
  CHECK(text_after(anomaly_test::step, true, false) == written + ran + recorded_in);
  CHECK(text_after(anomaly_test::step, false, false) == written + ran);
}

TEST_CASE("anomaly: a write counted by the boxed kernel is reported too", "[autograd][anomaly]") {
  const tensor x = leaf({1, 2});
  tensor y = tensor_of({3, 4}, {2});
  const tensor z = aten::sum(x * y);
  {
    const tb::detect_anomaly guard;
    anomaly_test::overwrite_boxed(y);
  }
  CHECK(without_callers(text_of<tb::error>([&] { tb::backward(z); })) ==
        "aten::mul.Tensor: a tensor saved for backward, float64 [2], was written in place by anomaly_test::erase_: "
        "found version 1, wanted 0; write to a clone instead; it was written in anomaly_test::overwrite_boxed; while "
        "backward ran aten::mul.Tensor of aten::sum");
}

TEST_CASE("anomaly: the last write is reported, and its source location outlives the tensor", "[autograd][anomaly]") {
  const tensor x = leaf({1, 2});
  tensor z;
  {
    const tb::detect_anomaly guard;
    tensor y = tensor_of({3, 4}, {2});
    z = aten::sum(x * y);
    anomaly_test::overwrite(y);
    anomaly_test::step(y);
  }
  CHECK(text_of<tb::error>([&] { tb::backward(z); })
            .find("found version 2, wanted 0; write to a clone instead; it was written in anomaly_test::overwrite <- "
                  "anomaly_test::step <- ") != std::string::npos);
  tensor y = tensor_of({3, 4}, {2});
  z = aten::sum(x * y);
  {
    const tb::detect_anomaly guard;
    anomaly_test::step(y);
  }
  aten::zero_(y);
  CHECK(text_of<tb::error>([&] { tb::backward(z); }).find("it was written in") == std::string::npos);
}
