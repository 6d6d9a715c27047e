// Whole networks, made of the operators of the other files.
#include "cell.h"

namespace bench::operators {

namespace {

// Uniform around 0, so that numbers neither grow nor vanish from layer to layer.
input weights(size_list sizes) { return sized(std::move(sizes), -0.08, 0.08); }
input factors(std::int64_t n) { return sized({-n}, 0.9, 1.1); }

// The parameters of a transformer's layer, in this order among the tensors of a cell.
struct layer_parameters {
  const tensor &attended, &attended_bias, &joined, &joined_bias, &norm, &norm_bias;
  const tensor &widened, &widened_bias, &narrowed, &narrowed_bias, &last_norm, &last_norm_bias;

  static constexpr std::size_t count = 12;
  static void add(std::vector<input>& to, std::int64_t width) {
    const std::int64_t w = width;
    for (const input& made :
         {weights({-3 * w, -w}), weights({-3 * w}), weights({-w, -w}), weights({-w}), factors(w), weights({-w}),
          weights({-4 * w, -w}), weights({-4 * w}), weights({-w, -4 * w}), weights({-w}), factors(w), weights({-w})}) {
      to.push_back(made);
    }
  }
  static layer_parameters at(args a, std::size_t i) {
    return {a[i],     a[i + 1], a[i + 2], a[i + 3], a[i + 4],  a[i + 5],
            a[i + 6], a[i + 7], a[i + 8], a[i + 9], a[i + 10], a[i + 11]};
  }
};

struct transformer {
  std::int64_t width, heads, layers;
  bool norm_first = false, causal = false;

  void add_parameters(std::vector<input>& to) const {
    for (std::int64_t i = 0; i < layers; ++i) layer_parameters::add(to, width);
  }

  // x: [batch, length, width]; the parameters of the first layer are a[first] and those behind it.
  tensor operator()(tensor x, args a, std::size_t first) const {
    for (std::int64_t i = 0; i < layers; ++i, first += layer_parameters::count) {
      x = layer(x, layer_parameters::at(a, first));
    }
    return x;
  }

 private:
  tensor layer(const tensor& x, const layer_parameters& p) const {
    const auto norm = [&](const tensor& t) { return lib::layer_norm(t, {width}, p.norm, p.norm_bias); };
    const auto last_norm = [&](const tensor& t) { return lib::layer_norm(t, {width}, p.last_norm, p.last_norm_bias); };
    if (norm_first) {
      const tensor mixed = lib::add(x, attention(norm(x), p));
      return lib::add(mixed, perceptron(last_norm(mixed), p));
    }
    const tensor mixed = norm(lib::add(x, attention(x, p)));
    return last_norm(lib::add(mixed, perceptron(mixed, p)));
  }

  tensor attention(const tensor& x, const layer_parameters& p) const {
    const std::int64_t batch = x.size(0), length = x.size(1);
    const tensor all = lib::linear(x, p.attended, p.attended_bias);
    const auto part = [&](std::int64_t i) {
      const tensor columns = lib::narrow(all, 2, i * width, width);
      return lib::transpose(lib::view(columns, {batch, length, heads, width / heads}), 1, 2);
    };
    const tensor mixed = lib::scaled_dot_product_attention(part(0), part(1), part(2), lib::nothing, 0.0, causal);
    const tensor rows = lib::reshape(lib::transpose(mixed, 1, 2), {batch, length, width});
    return lib::linear(rows, p.joined, p.joined_bias);
  }

  tensor perceptron(const tensor& x, const layer_parameters& p) const {
    return lib::linear(lib::gelu(lib::linear(x, p.widened, p.widened_bias)), p.narrowed, p.narrowed_bias);
  }
};

// Two convolutions and two linear layers over images of digits, and the loss.
void add_convolutional(family f) {
  const auto loss = [](args a) {
    const auto stage = [](const tensor& x, const tensor& weight, const tensor& bias) {
      return lib::max_pool2d(lib::relu(lib::conv2d(x, weight, bias, {1, 1}, {1, 1})), {2, 2});
    };
    const tensor images = stage(stage(a[0], a[2], a[3]), a[4], a[5]);
    const tensor flat = lib::reshape(images, {a.n(0), 3136});
    return lib::cross_entropy_loss(lib::linear(lib::relu(lib::linear(flat, a[6], a[7])), a[8], a[9]), a[1]);
  };
  f.recorded("cnn", {&any_numbers, {"64"}},
             {sized({0, -1, -28, -28}, 0, 1).without_gradient(), whole(-10, {0}), weights({-32, -1, -3, -3}),
              weights({-32}), weights({-64, -32, -3, -3}), weights({-64}), weights({-128, -3136}), weights({-128}),
              weights({-10, -128}), weights({-10})},
             loss)
      .within(100);
}

// {batch, length}
void add_transformers(family f) {
  static constexpr transformer block{.width = 256, .heads = 8, .layers = 1};
  std::vector<input> made{sized({0, 1, -256}, -1, 1)};
  block.add_parameters(made);
  const auto one = [](args a) { return block(a[0], a, 1); };
  f.add("encoder block", {&any_numbers, {"8x128"}}, made, one).within(100);
  f.recorded("encoder block", {&any_numbers, {"8x128"}}, made, one).within(100);

  // Sentence embeddings: the shape of all-MiniLM-L6.
  static constexpr transformer mini{.width = 384, .heads = 12, .layers = 6};
  made = {whole(-30522, {0, 1}), weights({-30522, -384})};
  mini.add_parameters(made);
  f.add("minilm", {&any_numbers, {"1x128", "8x128"}}, made, [](args a) {
     return lib::mean(mini(lib::embedding(a[1], a[0]), a, 2), {1});
   }).within(100);

  static constexpr transformer small_gpt{.width = 256, .heads = 8, .layers = 4, .norm_first = true, .causal = true};
  made = {whole(-256, {0, 1}), whole(-256, {0, 1}), weights({-256, -256})};
  small_gpt.add_parameters(made);
  f.recorded("gpt 4x256", {&any_numbers, {"8x128"}}, made, [](args a) {
     const tensor x = small_gpt(lib::embedding(a[2], a[0]), a, 3);
     return lib::cross_entropy_loss(lib::reshape(lib::linear(x, a[2]), {a.n(0) * a.n(1), 256}),
                                    lib::reshape(a[1], {a.n(0) * a.n(1)}));
   }).within(100);

  // A token of a language model without its cache: weights are read once, 340 MB in float32.
  static constexpr transformer wide{.width = 768, .heads = 12, .layers = 12, .norm_first = true};
  for (const lib::element type : {lib::f32, lib::bf16}) {
    made = {sized({0, 1, -768}, -1, 1)};
    wide.add_parameters(made);
    for (input& each : made) each.type = type;
    f.add(type == lib::f32 ? "decode 12x768" : "decode 12x768 bf16", {&any_numbers, {"1x1"}}, made, [](args a) {
       return wide(a[0], a, 1);
     }).within(100);
  }
}

}  // namespace

void add_models(std::vector<cell>& all) {
  add_convolutional({all, "model", {}});
  add_transformers({all, "model", {}});
}

}  // namespace bench::operators
