// Gradient rules of padding.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :convolution.pad_kernels;
import :gradient_registration.derivative;

namespace topbit::detail {

namespace {

// The gradient is cropped where the input was padded; cropped elements get gradient 0.
struct constant_pad_gradient {
  shape before, behind;
  static constant_pad_gradient save(const tensor&, sizes_view pad, const scalar&, const tensor&) {
    constant_pad_gradient rule;
    for (std::size_t i = 0; i + 1 < pad.size(); i += 2) {
      rule.before.push_back(-pad[i]);
      rule.behind.push_back(-pad[i + 1]);
    }
    return rule;
  }
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    std::array<std::int64_t, 2 * max_dims> pad{};
    for (std::size_t i = 0; i < before.size(); ++i) {
      pad[2 * i] = before[i];
      pad[2 * i + 1] = behind[i];
    }
    return {aten::constant_pad_nd(g, sizes_view(pad).first(2 * before.size()), 0)};
  }
};

// Elements copied several times get the sum of the gradients.
template <edge Mode>
struct edge_pad_gradient {
  shape sizes, before, behind;
  static edge_pad_gradient save(const tensor& self, sizes_view pad, const tensor&) {
    edge_pad_gradient rule{self.sizes(), {}, {}};
    for (std::size_t i = 0; i < pad.size() / 2; ++i) {
      rule.before.push_back(pad[2 * i]);
      rule.behind.push_back(pad[2 * i + 1]);
    }
    return rule;
  }
  grads1 backward(const tensor& g, std::array<bool, 1>) const {
    tensor now = g;
    for (std::size_t i = before.size(); i-- > 0;) {
      const std::int64_t pad[] = {before[i], behind[i]};
      const both_ends at(pad, 0);
      if (!at.any()) continue;
      const std::size_t d = sizes.size() - 1 - i;
      shape to_sizes = now.sizes();
      to_sizes[d] = sizes[d];
      const tensor zeros = aten::zeros(to_sizes, arg<"dtype"> = g.dtype(), arg<"device"> = g.device());
      now = aten::index_add(zeros, static_cast<std::int64_t>(d), to(indices_of(Mode, sizes[d], at), g.device()), now);
    }
    return {now};
  }
};

constexpr author::kernel_row rows[] = {
    gradient_row<aten::constant_pad_nd, constant_pad_gradient>(),
    gradient_row<aten::reflection_pad1d, edge_pad_gradient<edge::reflect>>(),
    gradient_row<aten::reflection_pad2d, edge_pad_gradient<edge::reflect>>(),
    gradient_row<aten::reflection_pad3d, edge_pad_gradient<edge::reflect>>(),
    gradient_row<aten::replication_pad1d, edge_pad_gradient<edge::replicate>>(),
    gradient_row<aten::replication_pad2d, edge_pad_gradient<edge::replicate>>(),
    gradient_row<aten::replication_pad3d, edge_pad_gradient<edge::replicate>>(),
    gradient_row<aten::_pad_circular, edge_pad_gradient<edge::circular>>(),
};

}  // namespace

std::span<const author::kernel_row> pad_gradients() { return rows; }

}  // namespace topbit::detail
