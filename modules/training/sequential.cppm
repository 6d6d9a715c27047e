// Modules in sequence.
export module topbit.training:sequential;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :parameters;

namespace topbit::nn {

/// Callables from tensor to tensor: modules, operators, lambdas. Parameters are named by the position of their module,
/// "0.weight".
///
///   nn::sequential net(nn::linear(64, 32), aten::relu, nn::linear(32, 10));
export template <std::invocable<const tensor&>... Layers>
struct sequential {
  std::tuple<Layers...> layers;

  explicit sequential(Layers... layers) : layers(std::move(layers)...) {}

  tensor operator()(tensor x) const {
    std::apply([&](const auto&... layer) { ((x = layer(x)), ...); }, layers);
    return x;
  }
  static void each_parameter(auto& self, auto&& visit) {
    std::size_t place = 0;
    const auto one = [&](auto& layer) {
      const std::string name = std::to_string(place++);
      if constexpr (trainable<std::remove_cvref_t<decltype(layer)>>) visit(std::string_view(name), layer);
    };
    std::apply([&](auto&... layer) { (one(layer), ...); }, self.layers);
  }
};

}  // namespace topbit::nn
