// Gradients through quantized weights, fake quantization, observers.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantized_values.h"
#include "support/raises.h"
#include "support/tensor_print.h"

namespace tb = topbit;
namespace q = topbit::quantized;
using namespace quantized_test;
using tb::dtype, tb::tensor;
using toy::text_of;

TEST_CASE("gradients: that of x is the gradient by the dequantized weight", "[quantized][gradients]") {
  support::numbers random(9);
  for (const q::scheme& s : schemes()) {
    for (const tb::device where : devices()) {
      INFO(to_string(s) << " on " << to_string(where));
      const tensor w = q::quantize(tb::to(random.tensor({5, 40}, dtype::float32), where), s), d = tb::dequantize(w);
      const auto check = [&](const tb::shape& sizes, auto f) {
        const tensor x = tb::require_grad(tb::to(random.tensor(sizes, dtype::float32), where));
        const tensor bias = tb::require_grad(tb::to(random.tensor({5}, dtype::float32), where));
        tb::backward(tb::sum(tb::square(f(x, w, bias))));
        const std::vector<double> of_x = values(tb::leaf_grad(x));
        const tensor of_bias = tb::leaf_grad(bias);
        tb::zero_grad(x);
        const std::vector<double> found_bias = of_bias.defined() ? values(of_bias) : std::vector<double>();
        tb::zero_grad(bias);
        tb::backward(tb::sum(tb::square(f(x, d, bias))));
        CHECK(support::difference(of_x, values(tb::leaf_grad(x)), 2e-4) == "");
        if (of_bias.defined()) CHECK(support::difference(found_bias, values(tb::leaf_grad(bias)), 2e-4) == "");
      };
      check({3, 40}, [](const tensor& x, const tensor& m, const tensor& b) { return tb::linear(x, m, b); });
      check({2, 3, 40}, [](const tensor& x, const tensor& m, const tensor& b) { return tb::linear(x, m, b); });
      check({3, 40}, [](const tensor& x, const tensor& m, const tensor&) { return tb::mm(x, tb::t(m)); });
      check({3, 5}, [](const tensor& x, const tensor& m, const tensor&) { return tb::mm(x, m); });
      check({3, 40}, [](const tensor& x, const tensor& m, const tensor&) { return tb::mm(m, tb::t(x)); });
      check({3, 40}, [](const tensor& x, const tensor& m, const tensor& b) { return tb::addmm(b, x, tb::t(m)); });
    }
  }
}

TEST_CASE("gradients: finite differences agree, twice", "[quantized][gradients]") {
  support::numbers random(10);
  for (const q::scheme& s : schemes()) {
    INFO(to_string(s));
    const tensor w = q::quantize(random.tensor({4, 6}, dtype::float64), s);
    const std::vector<tensor> inputs{tb::require_grad(random.tensor({2, 6}, dtype::float64)),
                                     tb::require_grad(random.tensor({4}, dtype::float64))};
    const auto f = [&](std::span<const tensor> in) {
      return std::vector<tensor>{tb::tanh(tb::linear(in[0], w, in[1])), tb::mm(tb::square(tb::linear(in[0], w)), w)};
    };
    CHECK(tb::gradcheck(f, inputs));
    CHECK(tb::gradgradcheck(f, inputs));
  }
  const tensor images = tb::require_grad(random.tensor({1, 2, 4, 4}, dtype::float64));
  const tensor kernels = q::quantize(random.tensor({3, 2, 3, 3}, dtype::float64), q::int8);
  const std::vector<tensor> inputs{images};
  CHECK(tb::gradcheck([&](std::span<const tensor> in) { return std::vector<tensor>{tb::conv2d(in[0], kernels)}; },
                      inputs));
}

TEST_CASE("gradients: with dynamic activations that of the product without rounding", "[quantized][gradients]") {
  support::numbers random(11);
  const tensor w = q::quantize(random.tensor({4, 32}, dtype::float32), q::int8_dynamic);
  const tensor x = tb::require_grad(random.tensor({3, 32}, dtype::float32));
  tb::backward(tb::sum(tb::linear(x, w)));
  CHECK(support::difference(values(tb::leaf_grad(x)), values(tb::mm(tb::ones({3, 4}), tb::dequantize(w))), 1e-6) == "");
}

TEST_CASE("gradients: a quantized tensor has none, nor a history", "[quantized][gradients]") {
  const tensor x = tb::require_grad(tb::ones({4, 4}));
  CHECK(!tb::requires_grad(q::quantize(x * 2, q::int8)));
  CHECK(!tb::requires_grad(tb::quantize_per_tensor(x, 0.1, 0)));
  CHECK(!tb::requires_grad(tb::quantize_groups(x, 4, 4)));
  CHECK(!tb::requires_grad(tb::dequantize(q::quantize(x, q::int8))));
}

TEST_CASE("optimizers: a frozen quantized parameter is taken, and stays", "[quantized][training]") {
  const tensor w = q::quantize(tb::ones({2, 32}), q::int8), b = tb::require_grad(tb::ones({2}));
  tb::sgd optimizer({w, b}, {.learning_rate = 0.5});
  tb::backward(tb::sum(tb::linear(tb::ones({1, 32}), w, b)));
  optimizer.step();
  CHECK(tb::equal(b, tb::full({2}, 0.5)));
  CHECK(w.version() == 0);
}

TEST_CASE("gradients: adapters of low rank are trained beside a frozen weight of 4 bits", "[quantized][gradients]") {
  support::numbers random(12);
  const tensor w = q::quantize(random.tensor({8, 32}, dtype::float32), q::int4), before = tb::clone(w);
  const tensor target = random.tensor({8, 32}, dtype::float32);
  tensor down = tb::require_grad(random.tensor({4, 32}, dtype::float32) * 0.05),
         up = tb::require_grad(tb::zeros({8, 4}));
  const auto loss = [&] {
    support::numbers data(13);
    const tensor x = data.tensor({64, 32}, dtype::float32);
    const tensor y = tb::linear(x, w) + tb::linear(tb::linear(x, down), up);
    return tb::mse_loss(y, tb::linear(x, target));
  };
  const double first = tb::item(loss());
  tb::adam optimizer({down, up}, {.learning_rate = 0.03});
  for (int step = 0; step < 60; ++step) {
    optimizer.zero_grad();
    tb::backward(loss());
    optimizer.step();
  }
  CHECK(tb::item(loss()) < 0.8 * first);
  CHECK(values(tb::int_repr(w)) == values(tb::int_repr(before)));
}

TEST_CASE("fake quantization: values are those of quantized tensors", "[quantized][fake]") {
  support::numbers random(14);
  for (const tb::device where : devices()) {
    for (const dtype type : dtypes()) {
      const tensor x = tb::to(random.tensor({5, 40}, type), where);
      CHECK(values(tb::fake_quantize_per_tensor(x, 0.05, 3, -128, 127)) ==
            values(tb::dequantize(tb::quantize_per_tensor(x, 0.05, 3))));
      CHECK(values(tb::fake_quantize_per_tensor(x, 0.3, 5, 0, 15)) ==
            values(tb::dequantize(tb::quantize_per_tensor(x, 0.3, 5, 4))));
      const tensor scales = tb::to(tensor({0.1, 0.2, 0.03, 0.04, 0.05}), where);
      const tensor zeros = tb::to(tensor({0, -5, 100, 127, -128}), where);
      CHECK(values(tb::fake_quantize_per_channel(x, scales, zeros, 0, -128, 127)) ==
            values(tb::dequantize(tb::quantize_per_channel(x, scales, zeros, 0))));
      CHECK(values(tb::fake_quantize_groups(x)) == values(tb::dequantize(tb::quantize_groups(x))));
    }
  }
}

TEST_CASE("fake quantization: gradients pass inside the range of codes", "[quantized][fake]") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const tensor x = tb::require_grad(tensor({-64.3, -64.0, 0.2, 63.7, 63.8, nan, infinity, -infinity}));
  tb::backward(tb::sum(tb::fake_quantize_per_tensor(x, 0.5, 0, -128, 127) * 3));
  CHECK(values(tb::leaf_grad(x)) == std::vector<double>{0, 3, 3, 3, 0, 0, 0, 0});
  const tensor channels = tb::require_grad(tensor({{1.0, 9.0}, {1.0, 9.0}}));
  tb::backward(tb::sum(tb::fake_quantize_per_channel(channels, tensor({0.5, 2.0}), tensor({0, 1}), 0, -8, 7)));
  CHECK(values(tb::leaf_grad(channels)) == std::vector<double>{1, 0, 1, 1});
  const tensor groups = tb::require_grad(tensor({{1.0, 9.0}, {-1.0, 0.5}}));
  tb::backward(tb::sum(tb::fake_quantize_groups(groups, 4, 2) * 2));
  CHECK(values(tb::leaf_grad(groups)) == std::vector<double>{2, 2, 2, 2});
  CHECK(text_of<tb::bad_argument>([&] { tb::fake_quantize_per_tensor(x, 0.5, 9, 0, 7); }) ==
        "aten::fake_quantize_per_tensor_affine: found zero point 9, wanted 0 to 7");
  CHECK(text_of<tb::bad_argument>([&] { tb::fake_quantize_per_tensor(x, 0.5, 0, 7, 0); }) ==
        "aten::fake_quantize_per_tensor_affine: found codes from 7 to 0, wanted the lower one first");
  CHECK(text_of<tb::bad_argument>([&] {
          tb::fake_quantize_per_tensor(x, 0.0, 0, 0, 7);
        }).starts_with("aten::fake_quantize_per_tensor_affine: found scale 0"));
}

TEST_CASE("observers: parameters follow the range of what was seen", "[quantized][observer]") {
  for (const tb::device where : devices()) {
    q::min_max_observer seen;
    CHECK(text_of<tb::error>([&] { seen.parameters(); }) ==
          "quantized observer: found no tensor observed, wanted one at least before parameters()");
    seen.observe(tb::to(tensor({-1.0, 0.5}), where));
    seen.observe(tb::to(tensor({4.1, 0.0}), where));
    seen.observe(tb::to(tb::zeros({0}), where));
    const q::tensor_parameters p = seen.parameters();
    CHECK(p.scale == (4.1F + 1) / 255);
    CHECK(p.zero_point == 50);
    const tensor x = seen.quantize(tb::to(tensor({-1.0, 4.1, 0.0, 5.0}), where));
    CHECK(values(tb::int_repr(x)) == std::vector<double>{0, 255, 50, 255});

    q::min_max_observer symmetric({.is_signed = true, .symmetric = true});
    symmetric.observe(tb::to(tensor({-2.0, 1.0}), where));
    CHECK(symmetric.parameters().scale == 2.0F / 127.5F);
    CHECK(symmetric.parameters().zero_point == 0);
    // A range that does not contain 0 is widened, so that 0 has a code.
    q::min_max_observer positive;
    positive.observe(tb::to(tensor({3.0, 5.0}), where));
    CHECK(positive.parameters().scale == 5.0F / 255);
    CHECK(positive.parameters().zero_point == 0);

    q::moving_average_observer average({}, 0.5);
    average.observe(tb::to(tensor({0.0, 4.0}), where));
    average.observe(tb::to(tensor({-2.0, 2.0}), where));
    CHECK(average.parameters().scale == 4.0F / 255);
    CHECK(average.parameters().zero_point == 64);

    q::channel_observer channels(0, {.is_signed = true, .symmetric = true});
    channels.observe(tb::to(tensor({{1.0, -2.0}, {0.5, 0.0}}), where));
    channels.observe(tb::to(tensor({{1.0, 1.0}, {0.0, 8.0}}), where));
    CHECK(values(channels.parameters().scales) == std::vector<double>{2.0F / 127.5F, 8.0F / 127.5F});
    CHECK(tb::q_axis(channels.quantize(tb::to(tb::ones({2, 2}), where))) == 0);
    CHECK(text_of<tb::shape_error>([&] { channels.observe(tb::to(tb::ones({3, 2}), where)); }) ==
          "quantized observer: found [3] channels after [2], wanted as many");

    q::min_max_observer zeros;
    zeros.observe(tb::to(tb::zeros({3}), where));
    CHECK(zeros.parameters().scale == 1);
    zeros.observe(tb::to(tensor({std::nan("")}), where));
    CHECK(text_of<tb::bad_argument>([&] { zeros.parameters(); }) ==
          "quantized observer: found NaN or infinity among the elements, wanted finite numbers");
  }
}

namespace {

struct network {
  std::vector<tb::nn::linear> blocks;
  tb::nn::conv2d images;
  tensor table, tied;

  explicit network(const tb::generator& random) : images(1, 2, 3, random) {
    blocks.emplace_back(40, 8, random);
    blocks.emplace_back(8, 40, random);
    table = tb::require_grad(tb::randn({5, 64}, tb::arg<"generator"> = random));
    tied = table;
  }
  static void each_parameter(auto& self, auto&& visit) {
    visit("blocks", self.blocks);
    visit("images", self.images);
    visit("table", self.table);
    visit("tied", self.tied);
  }
};

}  // namespace

TEST_CASE("quantize_parameters: matrices are replaced, and the network stays as it is", "[quantized][network]") {
  network net(tb::generator(1));
  const network before = net;
  // Rows of 40 and of 64 have a run of 32; the second block's rows of 8 and the windows of 3 x 3 do not.
  CHECK(q::quantize_parameters(net, q::int4) == 2);
  CHECK(tb::q_scheme(net.blocks[0].weight) == q::int4);
  CHECK(!tb::is_quantized(net.blocks[1].weight));
  CHECK(!tb::is_quantized(net.blocks[0].bias));
  CHECK(!tb::is_quantized(net.images.weight));
  CHECK(tb::is_quantized(net.table));
  CHECK(net.tied.same_as(net.table));
  CHECK(!tb::is_quantized(before.blocks[0].weight));
  CHECK(!tb::requires_grad(net.table));
  CHECK(q::quantize_parameters(net, q::int8) == 2);
  CHECK(tb::q_scheme(net.blocks[0].weight) == q::int4);
  CHECK(tb::q_scheme(net.images.weight) == q::int8);

  std::vector<std::string> names;
  network chosen(tb::generator(1));
  CHECK(q::quantize_parameters(chosen, [&](std::string_view name, const tensor&) {
          names.emplace_back(name);
          return name == "blocks.1.weight" ? std::optional(q::int8_dynamic) : std::nullopt;
        }) == 1);
  CHECK(names == std::vector<std::string>{"blocks.0.weight", "blocks.0.bias", "blocks.1.weight", "blocks.1.bias",
                                          "images.weight", "images.bias", "table", "tied"});
  CHECK(tb::q_scheme(chosen.blocks[1].weight) == q::int8_dynamic);

  // Results stay near, parameters move to another device, and only those that are not quantized are trained.
  const tensor x = tb::randn({3, 40}, tb::arg<"generator"> = tb::generator(2));
  CHECK(support::difference(values(net.blocks[0](x)), values(before.blocks[0](x)), 0.2) == "");
  CHECK(values(net.blocks[0](x)) != values(before.blocks[0](x)));
  const std::vector<double> codes = values(tb::int_repr(net.table)), bias = values(net.blocks[0].bias);
  std::vector<tensor> trained;
  for (const tensor& p : tb::parameters(net)) {
    if (tb::requires_grad(p)) trained.push_back(p);
  }
  tb::sgd optimizer(trained, {.learning_rate = 0.1});
  tb::backward(tb::sum(net.blocks[1](net.blocks[0](x))));
  optimizer.step();
  CHECK(values(tb::int_repr(net.table)) == codes);
  CHECK(values(net.blocks[0].bias) != bias);
  const std::vector<double> result = values(net.blocks[0](x));
  tb::move_to(net, tb::parse_device("npu"));
  CHECK(net.blocks[0].weight.device() == tb::parse_device("npu"));
  CHECK(support::difference(values(net.blocks[0](tb::to(x, net.table.device()))), result, 1e-5) == "");
}
