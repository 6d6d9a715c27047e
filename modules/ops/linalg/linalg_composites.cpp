// Matrix products composed of mm, bmm and addmm, and the registration of the family.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :linalg.matmul_kernels;
import :linalg.matrix_views;
import :registration.composite;

namespace topbit::detail {

namespace {

// Composites check under their own name before they call other operators.
[[noreturn]] void refuse_shapes(std::string_view op, const tensor& a, const tensor& b, std::string_view wanted) {
  refuse<shape_error>({nullptr, op}, "found " + to_string(a.sizes()) + " and " + to_string(b.sizes()) + ", wanted " +
                                         std::string(wanted));
}

template <const auto& Op>
void check_operands(const tensor& a, const tensor& b) {
  author::check_one_device(Op, a, b);
  check_product_types(Op.name(), a, b);
}

bool is_one(const scalar& s) { return s.to_double() == 1; }
bool is_zero(const scalar& s) { return s.to_double() == 0; }

template <const auto& Op>
void check_dot(const tensor& self, const tensor& other) {
  check_operands<Op>(self, other);
  if (self.dim() != 1 || other.dim() != 1 || self.sizes() != other.sizes()) {
    refuse_shapes(Op.name(), self, other, "two vectors of one length");
  }
}

tensor dot(const tensor& self, const tensor& other) {
  check_dot<aten::dot>(self, other);
  return aten::reshape(aten::mm(as_row(self), as_column(other)), shape{});
}
tensor vdot(const tensor& self, const tensor& other) {
  check_dot<aten::vdot>(self, other);
  return aten::dot(self, other);
}

tensor mv(const tensor& self, const tensor& vec) {
  check_operands<aten::mv>(self, vec);
  if (self.dim() != 2 || vec.dim() != 1 || self.sizes()[1] != vec.sizes()[0]) {
    refuse_shapes(aten::mv.name(), self, vec, "[m, k] and [k]");
  }
  return aten::reshape(aten::mm(self, as_column(vec)), shape{self.sizes()[0]});
}

tensor addmv(const tensor& self, const tensor& mat, const tensor& vec, const scalar& beta, const scalar& alpha) {
  check_operands<aten::addmv>(mat, vec);
  if (mat.dim() != 2 || vec.dim() != 1 || mat.sizes()[1] != vec.sizes()[0]) {
    refuse_shapes(aten::addmv.name(), mat, vec, "[m, k] and [k]");
  }
  const shape sizes{mat.sizes()[0]};
  if (self.dim() > 1 || (self.numel() != 1 && self.sizes() != sizes)) {
    refuse<shape_error>({nullptr, aten::addmv.name()}, "found self " + to_string(self.sizes()) + " for the product " +
                                                           to_string(sizes) + ", wanted it to broadcast to that");
  }
  const tensor start = as_column(self.dim() == 1 ? self : aten::expand(self, shape{1})), column = as_column(vec);
  add_product_meta(aten::addmv.name(), 2, start, mat, column, beta, alpha);
  return aten::reshape(aten::addmm(start, mat, column, arg<"beta"> = beta, arg<"alpha"> = alpha), sizes);
}

tensor addbmm(const tensor& self, const tensor& a, const tensor& b, const scalar& beta, const scalar& alpha) {
  const result_meta product = product_meta(aten::addbmm.name(), 3, a, b);
  const std::int64_t depth = a.sizes()[0] * a.sizes()[2];
  const tensor left = aten::reshape(aten::transpose_int(a, 0, 1), shape{product.sizes[1], depth});
  const tensor right = aten::reshape(b, shape{depth, product.sizes[2]});
  add_product_meta(aten::addbmm.name(), 2, self, left, right, beta, alpha);
  return aten::addmm(self, left, right, arg<"beta"> = beta, arg<"alpha"> = alpha);
}

template <const auto& Op>
tensor outer(const tensor& self, const tensor& vec2) {
  author::check_one_device(Op, self, vec2);
  if (self.dim() != 1 || vec2.dim() != 1) refuse_shapes(Op.name(), self, vec2, "two vectors");
  return aten::mul_Tensor(as_column(self), as_row(vec2));
}

tensor addr(const tensor& self, const tensor& vec1, const tensor& vec2, const scalar& beta, const scalar& alpha) {
  if (vec1.dim() != 1 || vec2.dim() != 1) refuse_shapes(aten::addr.name(), vec1, vec2, "two vectors");
  const shape sizes{vec1.sizes()[0], vec2.sizes()[0]};
  if (broadcast(aten::addr.name(), sizes, self.sizes()) != sizes) {
    refuse<shape_error>({nullptr, aten::addr.name()}, "found self " + to_string(self.sizes()) + " for the product " +
                                                          to_string(sizes) + ", wanted it to broadcast to that");
  }
  const tensor product = aten::outer(vec1, vec2);
  const tensor scaled = is_one(alpha) ? product : aten::mul_Scalar(product, alpha);
  if (is_zero(beta)) return to(scaled, promote(scaled.dtype(), self.dtype()));
  return aten::add_Tensor(is_one(beta) ? self : aten::mul_Scalar(self, beta), scaled);
}

// Vectors become matrices; batch dimensions are broadcast and merged.
tensor batched_matmul(const tensor& self, const tensor& other) {
  const tensor a = self.dim() == 1 ? as_row(self) : self;
  const tensor b = other.dim() == 1 ? as_column(other) : other;
  const shape batch = broadcast(aten::matmul.name(), batch_of(a), batch_of(b));
  const auto expanded = [&](const tensor& t) {
    // A single matrix is broadcast over the batch, not copied.
    if (numel(batch_of(t)) == 1) {
      const shape one{1, t.size(-2), t.size(-1)};
      return aten::expand(t.dim() == 2 ? aten::unsqueeze(t, 0) : aten::reshape(t, one),
                          shape{numel(batch), t.size(-2), t.size(-1)});
    }
    shape sizes = batch;
    sizes.push_back(t.size(-2));
    sizes.push_back(t.size(-1));
    return one_batch(t.sizes() == sizes ? t : aten::expand(t, sizes));
  };
  const tensor product = aten::bmm(expanded(a), expanded(b));
  shape sizes = batch;
  if (self.dim() > 1) sizes.push_back(a.size(-2));
  if (other.dim() > 1) sizes.push_back(b.size(-1));
  return aten::reshape(product, sizes);
}

template <const auto& Op>
void check_matmul(const tensor& self, const tensor& other) {
  check_operands<Op>(self, other);
  if (self.dim() == 0 || other.dim() == 0) refuse_shapes(Op.name(), self, other, "at least one dimension each");
  if (self.size(-1) != other.size(other.dim() == 1 ? 0 : -2)) {
    refuse_shapes(Op.name(), self, other, "the last size of the first to be the last but one of the second");
  }
  broadcast(Op.name(), batch_of(self), batch_of(other));
}

tensor matmul(const tensor& self, const tensor& other) {
  check_matmul<aten::matmul>(self, other);
  if (self.dim() == 1 && other.dim() == 1) return aten::dot(self, other);
  if (self.dim() == 2 && other.dim() == 2) return aten::mm(self, other);
  if (self.dim() == 2 && other.dim() == 1) return aten::mv(self, other);
  if (self.dim() == 1 && other.dim() == 2) return aten::reshape(aten::mm(as_row(self), other), shape{other.size(1)});
  if (other.dim() > 2) return batched_matmul(self, other);
  // A single right-hand matrix: the batch is merged into the rows of one product.
  shape sizes(std::span(self.sizes().begin(), self.dim() - 1));
  const tensor rows = aten::reshape(self, shape{numel(sizes), self.size(-1)});
  if (other.dim() == 1) return aten::reshape(aten::mv(rows, other), sizes);
  sizes.push_back(other.size(1));
  return aten::reshape(aten::mm(rows, other), sizes);
}
tensor linalg_matmul(const tensor& self, const tensor& other) {
  check_matmul<aten::linalg_matmul>(self, other);
  return aten::matmul(self, other);
}

tensor linear(const tensor& input, const tensor& weight, const std::optional<tensor>& bias) {
  constexpr std::string_view op = aten::linear.name();
  author::check_one_device(aten::linear, input, weight, bias);
  check_product_types(op, input, weight);
  if (input.dim() == 0 || weight.dim() == 0 || weight.dim() > 2 || input.size(-1) != weight.size(-1)) {
    refuse_shapes(op, input, weight, "[.., in] and [out, in] or [in]");
  }
  const bool biased = bias.has_value() && bias->defined();
  if (biased) {
    check_product_types(op, input, *bias);
    const std::int64_t outputs = weight.dim() == 2 ? weight.sizes()[0] : 1;
    if (bias->dim() > 1 || (bias->numel() != outputs && bias->numel() != 1)) {
      refuse<shape_error>({nullptr, op}, "found a bias " + to_string(bias->sizes()) + " for weights " +
                                             to_string(weight.sizes()) + ", wanted [out]");
    }
    if (weight.dim() == 2) {
      if (input.dim() == 2) return aten::addmm(*bias, input, aten::t(weight));
      shape sizes = input.sizes();
      sizes[sizes.size() - 1] = outputs;
      const std::int64_t rows = numel(shape(std::span(sizes.begin(), sizes.size() - 1)));
      const tensor flat = aten::reshape(input, shape{rows, input.size(-1)});
      return aten::reshape(aten::addmm(*bias, flat, aten::t(weight)), sizes);
    }
  }
  const tensor product = aten::matmul(input, aten::t(weight));
  return biased ? aten::add_Tensor(product, *bias) : product;
}

tensor kron(const tensor& self, const tensor& other) {
  author::check_one_device(aten::kron, self, other);
  const std::size_t rank = std::max(self.sizes().size(), other.sizes().size());
  if (2 * rank > max_dims) refuse_shapes(aten::kron.name(), self, other, "at most 4 dimensions");
  // Dimension i of the result is dimension i of self (outer) merged with that of other (inner).
  shape a, b, sizes;
  const auto size_of_dim = [&](const tensor& t, std::size_t i) {
    const std::size_t missing = rank - t.sizes().size();
    return i < missing ? 1 : t.sizes()[i - missing];
  };
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t m = size_of_dim(self, i), n = size_of_dim(other, i);
    a.push_back(m);
    a.push_back(1);
    b.push_back(1);
    b.push_back(n);
    sizes.push_back(product_of({nullptr, aten::kron.name()}, "size", m, n));
  }
  return aten::reshape(aten::mul_Tensor(aten::reshape(self, a), aten::reshape(other, b)), sizes);
}

tensor trace(const tensor& self) {
  if (self.dim() != 2) {
    refuse<shape_error>({nullptr, aten::trace.name()}, "found " + to_string(self.sizes()) + ", wanted a matrix");
  }
  return aten::sum(aten::diagonal(self));
}

constexpr author::kernel_row linear_rows[] = {author::define(aten::linear),
                                              caller_row<&linear, aten::linear>(key::CompositeExplicitAutograd)};

}  // namespace

void register_linalg() {
  register_forms(linalg_forms);
  register_composite<&dot, aten::dot>();
  register_composite<&vdot, aten::vdot>();
  register_composite<&mv, aten::mv>();
  register_composite<&addmv, aten::addmv>();
  register_composite<&addbmm, aten::addbmm>();
  register_composite<&outer<aten::outer>, aten::outer>();
  register_composite<&outer<aten::ger>, aten::ger>();
  register_composite<&addr, aten::addr>();
  register_composite<&matmul, aten::matmul>();
  register_composite<&linalg_matmul, aten::linalg_matmul>();
  author::register_rows(linear_rows);
  register_composite<&kron, aten::kron>();
  register_composite<&trace, aten::trace>();
  register_out_variants<aten::dot, aten::dot_out>();
  register_out_variants<aten::vdot, aten::vdot_out>();
  register_out_variants<aten::mv, aten::mv_out>();
  register_out_variants<aten::addmv, aten::addmv_, aten::addmv_out>();
  register_out_variants<aten::addbmm, aten::addbmm_, aten::addbmm_out>();
  register_out_variants<aten::outer, aten::outer_out>();
  register_out_variants<aten::ger, aten::ger_out>();
  register_out_variants<aten::addr, aten::addr_, aten::addr_out>();
  register_out_variants<aten::matmul, aten::matmul_out>();
  register_out_variants<aten::linalg_matmul, aten::linalg_matmul_out>();
  register_out_variants<aten::linear, aten::linear_out>();
  register_out_variants<aten::kron, aten::kron_out>();
}

}  // namespace topbit::detail
