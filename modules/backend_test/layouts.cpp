// Level 15: kernels that a library registers once for a layout, at AnySparse, AnySparseCsr or AnyQuantized, reach
// tensors of that layout on this device, and compute on their strided parts there.
module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

namespace {

inline constexpr op<"topbit_backend_test::doubled(Tensor self) -> Tensor", tensor(const tensor&)> doubled;

template <layout L>
struct parts final : tensor_extension {
  static constexpr layout of_layout = L;
  explicit parts(tensor v) : values(std::move(v)) {}
  tensor values;
};

template <layout L>
tensor with_layout(const tensor& values) {
  return author::make_opaque(values.sizes(), values.dtype(), values.device(),
                             keys_of(L, values.device(), values.dtype()),
                             intrusive_ptr<tensor_extension>(new parts<L>(values)), L);
}

template <layout L>
tensor doubled_parts(const tensor& self) {
  return with_layout<L>(self.payload<parts<L>>().values * 2);
}

tensor doubled_strided(const tensor& self) { return self + self; }

// While a test runs, so that a program with the kit has no operator more.
library_block kernels() {
  return std::move(library("topbit_backend_test")
                       .def(doubled)
                       .impl<&doubled_strided>(doubled, key::CompositeExplicitAutograd)
                       .impl<&doubled_parts<layout::sparse_coo>>(doubled, key::AnySparse)
                       .impl<&doubled_parts<layout::sparse_csr>>(doubled, key::AnySparseCsr)
                       .impl<&doubled_parts<layout::quantized>>(doubled, key::AnyQuantized));
}

template <layout L>
void test_layout(session& s) {
  s.part(name_of(L), [&] {
    const tensor here = arranged(s, {30}, dtype::float32, 0);
    const tensor x = with_layout<L>(s.there(here));
    const tensor y = doubled(x);
    s.check(y.layout() == L && y.device() == s.where(),
            "a kernel for " + std::string(name_of(L)) + ": found a result of another layout or device");
    s.compare("a kernel for " + std::string(name_of(L)), y.payload<parts<L>>().values, here * 2, elementwise);
  });
}

}  // namespace

void test_layouts(session& s) {
  const library_block registered = kernels();
  test_layout<layout::sparse_coo>(s);
  test_layout<layout::sparse_csr>(s);
  test_layout<layout::quantized>(s);
  s.part("strided", [&] {
    const tensor here = arranged(s, {30}, dtype::float32, 0);
    s.compare("its kernel for strided tensors", doubled(s.there(here)), here * 2, elementwise);
  });
}

}  // namespace topbit::backend_test
