#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
import topbit;

namespace tb = topbit;
using tb::dtype, tb::layout, tb::tensor;
using toy::text_of;

namespace {

// A layout of two tensors, as another library would write it.
struct pair final : tb::author::layout_payload {
  static constexpr layout of_layout = layout::sparse_csr;
  static bool has_layout(layout l) { return l == layout::sparse_csr || l == layout::sparse_csc; }
  pair(tensor a, tensor b, std::string n) : first(std::move(a)), second(std::move(b)), note(std::move(n)) {}
  std::vector<part> parts() const override { return {{"first", first}, {"second", second}}; }
  std::string attributes() const override { return note; }
  tb::intrusive_ptr<tb::tensor_extension> with_parts(std::span<const tensor> p) const override {
    return tb::intrusive_ptr<tb::tensor_extension>(new pair(p[0], p[1], note));
  }
  tensor first, second;
  std::string note;
};

tensor made(const tensor& a, const tensor& b, std::string note = {}, layout how = layout::sparse_csr) {
  return tb::author::make_opaque({2, 3}, dtype::float32, tb::cpu, tb::keys_of(how, tb::cpu, dtype::float32),
                                 tb::intrusive_ptr<tb::tensor_extension>(new pair(a, b, std::move(note))), how);
}

tensor read_pair(const tb::shape&, dtype, std::span<const tb::author::layout_payload::part> parts,
                 std::string_view note) {
  return made(parts[0].value, parts[1].value, std::string(note));
}

}  // namespace

TEST_CASE("layout_payload: a tensor shows its parts, their attributes and its layout", "[tensor][layout]") {
  const tensor t = made(tensor({1, 2}), tensor({0.5}), "step=3");
  CHECK(to_string(t, {.one_line = true}) == "first [1, 2]; second [0.5]; step=3; (float32 [2, 3] sparse_csr)");
  CHECK(to_string(t) == "first:\n[1, 2]\nsecond:\n[0.5]\nstep=3\n(float32 [2, 3] sparse_csr)");
  CHECK(to_string(made(tensor({1}), tensor()), {.one_line = true}) == "first [1]; (float32 [2, 3] sparse_csr)");
}

TEST_CASE("layout_payload: one class may serve several layouts", "[tensor][layout]") {
  CHECK(made(tensor({1}), tensor(), {}, layout::sparse_csc).payload<pair>().first.numel() == 1);
  const tensor other = tb::author::make_opaque({2}, dtype::float32, tb::cpu, {}, {}, layout::quantized);
  CHECK(text_of<tb::layout_error>([&] { other.payload<pair>(); }) ==
        "payload of a tensor: found layout quantized, wanted sparse_csr; dequantize(x) makes one");
}

TEST_CASE("layout_payload: parts can be replaced, and the layout stays", "[tensor][layout]") {
  const tensor t = made(tensor({1}), tensor({2}), "n=1");
  const tensor parts[] = {tensor({3}), tensor({4})};
  const tensor there = tb::author::with_parts(t, parts, dtype::float64, tb::meta);
  CHECK(there.layout() == layout::sparse_csr);
  CHECK(there.dtype() == dtype::float64);
  CHECK(there.device() == tb::meta);
  CHECK(there.keys() == tb::keys_of(layout::sparse_csr, tb::meta, dtype::float64));
  CHECK(there.payload<pair>().second.same_as(parts[1]));
  CHECK(there.payload<pair>().note == "n=1");
  CHECK(text_of<tb::layout_error>([] { tb::author::with_parts(tensor({1}), {}, dtype::float32, tb::cpu); }) ==
        "with_parts: found layout strided, wanted one whose payload consists of tensors");
}

TEST_CASE("layout_payload: a layout has one reader, and none before it is registered", "[tensor][layout]") {
  CHECK(text_of<tb::layout_error>([] { tb::author::reader_of(layout::sparse_bsc); }) ==
        "found a tensor of layout sparse_bsc, wanted one of a layout that a module of this program reads; import the "
        "module of the layout");
  tb::author::register_layout(layout::sparse_csr, &read_pair);
  const tb::author::layout_payload::part parts[] = {{"first", tensor({1})}, {"second", tensor({2})}};
  CHECK(tb::author::reader_of(layout::sparse_csr)({2, 3}, dtype::float32, parts, "n=2").payload<pair>().note == "n=2");
  tb::author::register_layout(layout::sparse_csr, nullptr);
}
