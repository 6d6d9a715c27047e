// Operators without a kernel for the format: on strided copies, counted, and refused on request.
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "onednn_values.h"
#include "support/raises.h"

using namespace onednn_test;
using tb::dtype;
namespace od = tb::onednn;

namespace {

struct refusing {
  od::dense_calls before = od::set_dense_calls(od::dense_calls::refused);
  ~refusing() { od::set_dense_calls(before); }
};

}  // namespace

TEST_CASE("onednn: calls on strided copies are counted by operator", "[onednn]") {
  const tb::tensor m = tb::to_mkldnn(random({3, 4}));
  od::reset_dense_call_report();
  tb::exp(m);
  tb::exp(m);
  tb::cumsum(m, 0);
  tb::relu(m);
  const std::vector<tb::author::call_count> report = od::dense_call_report();
  REQUIRE(report.size() == 2);
  CHECK(report[0].op == "aten::exp");
  CHECK(report[0].calls == 2);
  CHECK(report[1].op == "aten::cumsum");
  CHECK(to_string(report) == "operator      calls\naten::exp         2\naten::cumsum      1\n");
}

TEST_CASE("onednn: refused, they are layout errors that say how to convert", "[onednn]") {
  const tb::tensor x = random({3, 4}), m = tb::to_mkldnn(x);
  const refusing guard;
  CHECK(toy::text_of<tb::layout_error>([&] { tb::exp(m); }) ==
        "aten::exp: found argument 1 'self' of layout mkldnn, wanted strided; to_dense(x) makes one");
  CHECK(toy::text_of<tb::layout_error>([&] { tb::add(m, tb::to(x, dtype::float64)); }) ==
        "aten::add.Tensor: found an argument of layout mkldnn, wanted strided; to_dense(x) makes one");
  CHECK(differs(tb::relu(m), tb::relu(x)) == "");
  CHECK(support::values(tb::to_dense(m)) == support::values(x));
}

TEST_CASE("onednn: what such an operator writes reaches the tensor", "[onednn]") {
  const tb::tensor x = random({3, 4});
  tb::tensor m = tb::to_mkldnn(x);
  const std::uint32_t version = m.version();
  tb::exp_(m);
  CHECK(differs(m, tb::exp(x)) == "");
  CHECK(m.version() == version + 1);
  tb::tensor& same = tb::clamp_(m, 1, 2);
  CHECK(same.same_as(m));
  CHECK(differs(m, tb::clamp(tb::exp(x), 1, 2)) == "");
  tb::fill_(m, 3);
  CHECK(differs(m, tb::full({3, 4}, 3.0)) == "");
  tb::exp(tb::to_mkldnn(x), tb::arg<"out"> = m);
  CHECK(differs(m, tb::exp(x)) == "");
  tb::exp(x, tb::arg<"out"> = m);
  CHECK(differs(m, tb::exp(x)) == "");
}

TEST_CASE("onednn: a write to a strided tensor is counted once, and recorded", "[onednn]") {
  const tb::tensor x = random({3, 4}), m = tb::to_mkldnn(x);
  tb::tensor plain = tb::clone(x);
  const auto writes = [&](auto call) {
    const std::uint32_t before = plain.version();
    call();
    return plain.version() - before;
  };
  CHECK(writes([&] { tb::add_(plain, m); }) == 1);
  CHECK(writes([&] { tb::mul_(plain, m); }) == 1);
  CHECK(writes([&] { tb::copy_(plain, m); }) == 1);
  CHECK(writes([&] { tb::addcmul_(plain, m, m); }) == 1);
  CHECK(writes([&] { tb::add(x, m, tb::arg<"out"> = plain); }) == 1);
  CHECK(writes([&] { tb::exp(m, tb::arg<"out"> = plain); }) == 1);
  CHECK(support::values(plain) == support::values(tb::exp(x)));
  const tb::tensor leaf = tb::require_grad(tb::clone(x));
  tb::tensor y = leaf * 2;
  tb::add_(y, m);
  tb::mul_(y, m);
  tb::addcmul_(y, m, m);
  tb::backward(tb::sum(y));
  CHECK(support::difference(support::values(tb::leaf_grad(leaf)), support::values(x * 2), 1e-6) == "");
}

TEST_CASE("onednn: factories make tensors of the format", "[onednn]") {
  const tb::tensor zeros = tb::zeros({2, 3}, tb::arg<"layout"> = tb::layout::mkldnn);
  CHECK(differs(zeros, tb::zeros({2, 3})) == "");
  CHECK(differs(tb::full({2, 3}, 1.5, tb::arg<"layout"> = tb::layout::mkldnn), tb::full({2, 3}, 1.5)) == "");
  CHECK(differs(tb::zeros_like(zeros, tb::arg<"layout"> = tb::layout::mkldnn), tb::zeros({2, 3})) == "");
  CHECK(tb::empty({2, 3}, tb::arg<"layout"> = tb::layout::mkldnn).sizes() == tb::shape{2, 3});
}

TEST_CASE("onednn: one tensor as two arguments stays one", "[onednn]") {
  const tb::tensor x = random({3, 4});
  tb::tensor m = tb::to_mkldnn(x);
  tb::addcmul_(m, m, m);
  CHECK(differs(m, x + x * x) == "");
}

TEST_CASE("onednn: every operator that one tensor is enough for takes the format", "[onednn]") {
  // Random numbers and uninitialised elements are not compared.
  const std::set<std::string_view> not_equal{"aten::empty_like", "aten::rand_like", "aten::randn_like",
                                             "aten::new_empty",  "aten::bernoulli", "aten::normal.Tensor_float",
                                             "aten::to_mkldnn",  "aten::alias_copy"};
  const tb::tensor x = support::numbers(4).positive({3, 3}, dtype::float32);
  std::string failures;
  int calls = 0;
  for (const std::string& name : tb::registry::process().operators()) {
    const std::optional<tb::operator_handle> op = tb::find(name);
    if (!op.has_value() || !name.starts_with("aten::") || not_equal.contains(name)) continue;
    const tb::author::schema_view* const schema = op->parsed_schema();
    if (schema == nullptr || schema->arguments.empty() || schema->arguments[0].type != "Tensor" ||
        schema->arguments[0].writes || schema->arguments[0].modifiers[0] != tb::author::type_modifier{}) {
      continue;
    }
    bool fits = true;
    for (std::size_t i = 1; i < schema->arguments.size(); ++i) fits = fits && schema->arguments[i].has_default;
    if (!fits) continue;
    const auto call = [&](const tb::tensor& self) {
      tb::boxed_stack stack;
      const std::string_view text[] = {"[[1.0]]"};
      tb::author::push_arguments(stack, *op, text);
      stack.top(op->argument_count())[0] = tb::value(self);
      op->call_boxed(stack);
      std::vector<double> all;
      for (const tb::value& v : stack.top(op->result_count())) {
        tb::author::each_tensor(v, [&](const tb::tensor& t) {
          const std::vector<double> more = values(t);
          all.insert(all.end(), more.begin(), more.end());
        });
      }
      return all;
    };
    std::vector<double> wanted;
    try {
      wanted = call(x);
    } catch (const tb::error&) {
      continue;  // not for this tensor
    }
    ++calls;
    try {
      const std::string text = support::difference(call(tb::to_mkldnn(x)), wanted, 1e-5);
      if (!text.empty()) failures += name + ": " + text + "\n";
    } catch (const std::exception& e) {
      failures += name + ": " + e.what() + "\n";
    }
  }
  CHECK(failures == "");
  CHECK(calls > 100);
}

TEST_CASE("onednn: a weight written in inference mode is read anew", "[onednn]") {
  const tb::inference_mode guard;
  const tb::tensor x = tb::ones({1, 4});
  tb::tensor w = tb::to_mkldnn(tb::ones({3, 4}));
  CHECK(values(tb::linear(tb::to_mkldnn(x), w)) == std::vector<double>(3, 4));
  tb::copy_(w, tb::full({3, 4}, 2.0));
  CHECK(values(tb::linear(tb::to_mkldnn(x), w)) == std::vector<double>(3, 8));
}

TEST_CASE("onednn: an out form refuses arguments that require a gradient, as that of strided tensors does",
          "[onednn]") {
  const tb::tensor k = tb::require_grad(tb::to_mkldnn(random({3, 4})));
  tb::tensor out = tb::to_mkldnn(tb::zeros({3, 4}));
  CHECK_THROWS_AS(tb::mul(k, k, tb::arg<"out"> = out), tb::error);
  CHECK_THROWS_AS(tb::add(k, k, tb::arg<"out"> = out), tb::error);
}

TEST_CASE("onednn: conversions to integers truncate and wrap, as those of strided tensors", "[onednn]") {
  const tb::tensor x = tb::tensor({1.5F, -2.7F, 300.0F, 0.0F});
  CHECK(values(tb::to(tb::to_mkldnn(x), dtype::int8)) == support::values(tb::to(x, dtype::int8)));
}
