#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/raises.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using tb::author::read_text;

namespace {
template <class T>
std::string written(const T& x) {
  return to_string(tb::value(x));
}
template <class T>
std::string refusal(std::string_view text) {
  return toy::text_of<tb::bad_argument>([&] { (void)read_text<T>(text); });
}
}  // namespace

TEST_CASE("schema_types: each type round-trips through a boxed layer", "[tensor][boxed_types][B7]") {
  using tensors = std::vector<std::optional<tb::tensor>>;
  using result = std::tuple<tb::tensor, tb::dtype, tb::device, tb::layout, tb::memory_format, tb::scalar, tensors,
                            std::optional<tb::device>, std::vector<tb::dtype>>;
  static constexpr tb::op<
      "schema_types::all(Tensor a, ScalarType t, Device d, Layout l, MemoryFormat m, Scalar s, Tensor?[] list, "
      "Device? where, ScalarType[] types) -> (Tensor, ScalarType, Device, Layout, MemoryFormat, Scalar, Tensor?[], "
      "Device?, ScalarType[])">
      all;
  const auto kernels = tb::library("schema_types")
                           .def(all)
                           .impl<[](const tb::tensor& a, tb::dtype t, tb::device d, tb::layout l, tb::memory_format m,
                                    const tb::scalar& s, std::span<const std::optional<tb::tensor>> list,
                                    std::optional<tb::device> where, std::span<const tb::dtype> types) {
                             return result(a, t, d, l, m, s, tensors(list.begin(), list.end()), where,
                                           std::vector(types.begin(), types.end()));
                           }>(all);
  static int passed = 0;
  constexpr auto call_on = [](const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) {
    ++passed;
    op.redispatch_boxed(keys & tb::below(tb::key::UserTop1), s);
  };
  const auto layer = tb::fallback<call_on>(tb::key::UserTop1);
  const tb::include_guard through(tb::key::UserTop1);
  const tb::tensor one = tb::from_values({1.0F}, {1});
  const tensors list{one, std::nullopt};
  const std::vector types{tb::dtype::boolean, tb::dtype::float64};
  const auto [a, t, d, l, m, s, listed, where, typed] =
      all(one, tb::dtype::int64, tb::cuda(3), tb::layout::sparse_csr, tb::memory_format::preserve, 2.5, list,
          std::optional(tb::meta), types);
  CHECK(passed == 1);
  CHECK(a.same_as(one));
  CHECK(t == tb::dtype::int64);
  CHECK(d == tb::cuda(3));
  CHECK(l == tb::layout::sparse_csr);
  CHECK(m == tb::memory_format::preserve);
  CHECK(s == tb::scalar(2.5));
  REQUIRE(listed.size() == 2);
  CHECK(listed[0]->same_as(one));
  CHECK_FALSE(listed[1]);
  CHECK(where == tb::meta);
  CHECK(typed == types);
  CHECK(tb::author::record_of(one).references == 4);  // a, list, listed and one itself
}

TEST_CASE("schema_types: a dtype is read by its name and by those of schemas", "[tensor][text]") {
  for (const tb::dtype t : tb::all_dtypes) {
    CHECK(written(t) == name_of(t));
    CHECK(read_text<tb::dtype>(written(t)) == t);
  }
  CHECK(read_text<tb::dtype>("long") == tb::dtype::int64);
  CHECK(read_text<tb::dtype>("half") == tb::dtype::float16);
  CHECK(refusal<tb::dtype>("complex64") ==
        "found 'complex64' at column 1, wanted one of bool, uint8, int8, int16, int32, int64, float16, bfloat16, "
        "float32, float64");
}

TEST_CASE("schema_types: a device parses as it prints", "[tensor][text]") {
  for (const tb::device d : {tb::cpu, tb::meta, tb::cuda(1), tb::device{tb::backend::PrivateUse1, 127}}) {
    CHECK(read_text<tb::device>(written(d)) == d);
  }
  CHECK(read_text<std::vector<tb::device>>("[cuda:0, cpu]") == std::vector<tb::device>{tb::cuda(0), tb::cpu});
  CHECK(refusal<tb::device>(" gpu:1") ==
        "found 'gpu:1' at column 2, wanted a device: cpu, cuda, cuda:N, meta, or another backend's name");
}

TEST_CASE("schema_types: layouts and memory formats have their names", "[tensor][text]") {
  for (const tb::layout l : {tb::layout::strided, tb::layout::sparse_coo, tb::layout::sparse_csr, tb::layout::opaque}) {
    CHECK(read_text<tb::layout>(written(l)) == l);
  }
  CHECK(written(tb::layout::strided) == "strided");
  CHECK(written(tb::memory_format::preserve) == "preserve_format");
  CHECK(read_text<tb::memory_format>("contiguous_format") == tb::memory_format::contiguous);
  CHECK(written(static_cast<tb::layout>(9)) == "9");
  CHECK(refusal<tb::layout>("9") ==
        "found '9' at column 1, wanted one of strided, sparse_coo, sparse_csr, "
        "sparse_csc, sparse_bsr, sparse_bsc, quantized, mkldnn, opaque");
}

TEST_CASE("schema_types: a scalar keeps its category", "[tensor][text]") {
  for (const tb::scalar s : {tb::scalar(true), tb::scalar(2), tb::scalar(2.0), tb::scalar(0.1),
                             tb::scalar(std::numeric_limits<std::int64_t>::min())}) {
    CHECK(read_text<tb::scalar>(written(s)) == s);
  }
  CHECK(written(tb::scalar(2.0)) == "2.0");
  CHECK(written(tb::scalar(true)) == "True");
  CHECK(refusal<tb::scalar>("two") == "found 'two' at column 1, wanted a number");
}

TEST_CASE("schema_types: a default has the value it is written as", "[tensor][schema_types]") {
  using topbit::author::schema_default;
  STATIC_REQUIRE(schema_default<topbit::scalar>::from("2").type() == topbit::dtype::int64);
  STATIC_REQUIRE(schema_default<topbit::scalar>::from("1E5").to_double() == 1e5);
  STATIC_REQUIRE(schema_default<topbit::scalar>::from("-inf").to_double() < -1e300);
  STATIC_REQUIRE(schema_default<topbit::scalar>::from("nan").type() == topbit::dtype::float64);
  STATIC_REQUIRE(schema_default<topbit::scalar>::from("True").type() == topbit::dtype::boolean);
  STATIC_REQUIRE_FALSE(schema_default<topbit::scalar>::accepts("2j"));
  STATIC_REQUIRE(schema_default<topbit::dtype>::from("long") == topbit::dtype::int64);
  STATIC_REQUIRE_FALSE(schema_default<topbit::dtype>::accepts("complex64"));
  STATIC_REQUIRE(schema_default<topbit::layout>::from("sparse_coo") == topbit::layout::sparse_coo);
  STATIC_REQUIRE(schema_default<topbit::memory_format>::from("preserve_format") == topbit::memory_format::preserve);
  STATIC_REQUIRE(schema_default<topbit::device>::from("'cpu'") == topbit::cpu);
  STATIC_REQUIRE(schema_default<topbit::device>::from("\"cuda\"") == topbit::cuda());
  STATIC_REQUIRE(schema_default<topbit::device>::from("'cuda:127'") == topbit::cuda(127));
  STATIC_REQUIRE(schema_default<topbit::device>::from("\"privateuse3:5\"") ==
                 topbit::device{topbit::backend::PrivateUse3, 5});
  STATIC_REQUIRE_FALSE(schema_default<topbit::device>::accepts("\"cuda:128\""));
}

TEST_CASE("schema_types: an omitted device is the schema's default", "[tensor][schema_types][call]") {
  static constexpr tb::op<
      "schema_types::where(int n, Device device='meta', Device? other=\"cuda:1\", Device? none=None) -> str">
      where;
  static constexpr auto kernel = [](std::int64_t, tb::device d, std::optional<tb::device> other,
                                    std::optional<tb::device> none) {
    return to_string(d) + " " + to_string(other.value()) + (none ? " and one more" : "");
  };
  const auto kernels = tb::library("schema_types").def(where).impl<kernel>(where, tb::key::Meta);
  CHECK(where(1, tb::arg<"other"> = tb::cpu) == "meta cpu");
  CHECK(where(1, tb::meta, tb::cpu) == "meta cpu");
  CHECK(where(1) == "meta cuda:1");
  CHECK(tb::explain(where, 1).placed == (tb::key_set(tb::key::Meta) | tb::key_set(tb::key::CUDA) | tb::key::CPU));
}
