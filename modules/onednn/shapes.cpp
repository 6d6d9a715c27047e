// Reshaping, transposition and concatenation: copies, since there are no views of a format.
module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :arrays;
import :dense_calls;
import :recording;
import :rows;

namespace topbit::onednn {

namespace {

// The sizes with -1 filled in; nothing where reshape of strided tensors has to say what is wrong.
std::optional<shape> filled(const tensor& self, std::span<const std::int64_t> sizes) {
  if (sizes.empty() || sizes.size() > static_cast<std::size_t>(most_dims) || self.numel() == 0) return std::nullopt;
  shape all(sizes);
  std::int64_t known = 1;
  std::optional<std::size_t> free;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == -1 && !free.has_value()) {
      free = i;
    } else if (all[i] < 1 || known > self.numel() / all[i]) {
      return std::nullopt;
    } else {
      known *= all[i];
    }
  }
  if (free.has_value()) all[*free] = self.numel() / known;
  if (numel(all) != self.numel()) return std::nullopt;
  return all;
}

tensor as_shape(const tensor& self, const shape& sizes) {
  return wrapped(library::reshaped(array_of(self), sizes_for(sizes)), sizes);
}

template <const auto& Op>
tensor reshape_to(const tensor& self, std::span<const std::int64_t> wanted) {
  const std::optional<shape> sizes = filled(self, wanted);
  if (!sizes.has_value()) return in_dense<Op>(self, wanted);
  if (*sizes == self.sizes()) return self;
  if (!records(self)) return as_shape(self, *sizes);
  return recorded(
      {self}, keeps::nothing, [&](std::span<const tensor> in) { return as_shape(in[0], *sizes); },
      [before = self.sizes()](std::span<const tensor>, const tensor&, const tensor& g) {
        return std::vector<tensor>{topbit::reshape(g, before)};
      });
}

tensor permuted_by(const tensor& self, const shape& order) {
  std::array<int, library::most_dims> from{};
  shape sizes = self.sizes();
  for (std::size_t i = 0; i < order.size(); ++i) {
    from[i] = static_cast<int>(order[i]);
    sizes[i] = self.sizes()[order[i]];
  }
  return wrapped(library::permuted(array_of(self), from.data()), sizes);
}

// order[i] is the dimension of self that becomes i.
tensor permuted(const tensor& self, const shape& order) {
  if (!records(self)) return permuted_by(self, order);
  shape back = order;
  for (std::size_t i = 0; i < order.size(); ++i) back[order[i]] = static_cast<std::int64_t>(i);
  return recorded(
      {self}, keeps::nothing, [&](std::span<const tensor> in) { return permuted_by(in[0], order); },
      [back](std::span<const tensor>, const tensor&, const tensor& g) {
        return std::vector<tensor>{topbit::permute(g, back)};
      });
}

// A grouped weight has another array than its sizes say.
bool can_permute(const tensor& self) {
  return self.numel() != 0 && library::sizes_of(array_of(self)) == sizes_for(self.sizes());
}

tensor transposed(const tensor& self, std::int64_t dim0, std::int64_t dim1) {
  constexpr std::string_view op = aten::transpose_int.name();
  const std::int64_t a = wrap_dim(op, dim0, self.dim()), b = wrap_dim(op, dim1, self.dim());
  if (!can_permute(self)) return in_dense<aten::transpose_int>(self, dim0, dim1);
  shape order;
  for (std::int64_t i = 0; i < self.dim(); ++i) order.push_back(i == a ? b : i == b ? a : i);
  return permuted(self, order);
}

tensor matrix_transposed(const tensor& self) {
  if (self.dim() != 2 || !can_permute(self)) return in_dense<aten::t>(self);
  return permuted(self, {1, 0});
}

tensor in_order(const tensor& self, std::span<const std::int64_t> dims) {
  if (static_cast<std::int64_t>(dims.size()) != self.dim() || !can_permute(self)) {
    return in_dense<aten::permute>(self, dims);
  }
  shape order;
  std::array<bool, max_dims> seen{};
  for (const std::int64_t d : dims) {
    const std::int64_t from = wrap_dim(aten::permute.name(), d, self.dim());
    if (std::exchange(seen[static_cast<std::size_t>(from)], true)) return in_dense<aten::permute>(self, dims);
    order.push_back(from);
  }
  return permuted(self, order);
}

tensor joined(std::span<const tensor> all, std::int64_t dim) {
  const tensor& first = all.front();
  shape sizes = first.sizes();
  bool fits = first.dim() > 0;
  for (const tensor& t : all) fits = fits && is_simple(t, first.dtype()) && t.dim() == first.dim();
  std::size_t along = 0;
  if (fits) {
    along = static_cast<std::size_t>(wrap_dim(aten::cat.name(), dim, first.dim()));
    sizes[along] = 0;
    for (const tensor& t : all) {
      for (std::size_t i = 0; i < sizes.size(); ++i) fits = fits && (i == along || t.sizes()[i] == first.sizes()[i]);
      sizes[along] += t.sizes()[along];
    }
  }
  return computed<aten::cat>(
      all,
      [&](std::span<const tensor> in) {
        if (!fits) return tensor();
        std::vector<operand> operands;
        operands.reserve(in.size());
        std::vector<const library::array*> arrays;
        for (const tensor& t : in) arrays.push_back(&operands.emplace_back(t).get());
        array_ptr a = library::concatenate(arrays.data(), static_cast<int>(arrays.size()), static_cast<int>(along));
        return wrapped(std::move(a), sizes);
      },
      [dim](std::span<const tensor> in) { return topbit::cat(in, dim); });
}

constexpr author::kernel_row rows[] = {
    blocked_row<&reshape_to<aten::reshape>, aten::reshape>(),
    reached<aten::reshape>(),
    blocked_row<&transposed, aten::transpose_int>(),
    blocked_row<&matrix_transposed, aten::t>(),
    reached<aten::t>(),
    blocked_row<&in_order, aten::permute>(),
    blocked_row<&joined, aten::cat>(),
};

}  // namespace

std::span<const author::kernel_row> shape_rows() { return rows; }

}  // namespace topbit::onednn
