// The elements of a tensor at the places of a sparse one.
module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :product;
import :registrations;

namespace topbit::sparse {

namespace {

tensor mask_kernel(const tensor& self, const tensor& mask) {
  const std::string_view op = aten::sparse_mask.name();
  author::check_one_device(aten::sparse_mask, self, mask);
  check_sparse(op, mask);
  if (!self.defined() || !is_sparse(self)) check_layout(op, "argument 1 'self'", self, layout::strided);
  if (self.sizes() != mask.sizes()) {
    refuse<shape_error>(op, "found sizes " + to_string(self.sizes()) + " and a mask of sizes " +
                                to_string(mask.sizes()) + ", wanted equal ones");
  }
  return with_values(mask, values_at(self, mask));
}

constexpr author::kernel_row rows[] = {
    author::define(aten::sparse_mask),
    author::row<&mask_kernel>(aten::sparse_mask, key::CompositeImplicitAutograd),
};

}  // namespace

void register_mask() { author::register_rows(rows); }

}  // namespace topbit::sparse
