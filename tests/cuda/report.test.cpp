// What kernels find wrong with elements: told to who waits, with the operator; the device goes on.
#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

namespace {

template <class Error, class Call>
std::string told(tb::device where, Call call) {
  return toy::text_of<Error>([&] {
    call();
    tb::synchronize(where);
  });
}

}  // namespace

TEST_CASE("report: an index out of range is reported with its operator and value", "[cuda][report]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({4, 5}, 1, where);
  const auto indices = [&](std::initializer_list<std::int64_t> v) {
    return tb::to(tb::from_values(v, {static_cast<std::int64_t>(v.size())}), where);
  };
  const std::string select = told<tb::shape_error>(where, [&] { (void)aten::index_select(x, 0, indices({1, 7})); });
  CHECK(select.starts_with("aten::index_select"));
  CHECK(select.find("found index 7, which is out of range") != std::string::npos);
  const std::string gather = told<tb::shape_error>(where, [&] {
    (void)aten::gather(x, 0, tb::to(aten::full(tb::shape{1, 5}, -1, tb::arg<"dtype"> = tb::dtype::int64), where));
  });
  CHECK(gather.find("index -1") != std::string::npos);
  // Told once; what comes next works.
  tb::synchronize(where);
  CHECK(cuda_tests::values(aten::index_select(x, 0, indices({1, 3}))) == std::vector<double>(10, 1));
}

TEST_CASE("report: a copy to the host reports too, before the elements are visible", "[cuda][report]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({4}, 1, where);
  const tb::tensor bad = tb::to(tb::from_values<std::int64_t>({9}, {1}), where);
  CHECK(toy::text_of<tb::shape_error>([&] {
          (void)tb::to(aten::index_select(x, 0, bad), tb::cpu);
        }).find("found index 9") != std::string::npos);
}

TEST_CASE("report: integers are not divided by zero", "[cuda][report]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor a = tb::to(tb::from_values<std::int64_t>({1, 2, 3}, {3}), where);
  const tb::tensor b = tb::to(tb::from_values<std::int64_t>({1, 0, 2}, {3}), where);
  CHECK(told<tb::error>(where, [&] { (void)aten::remainder_Tensor(a, b); }).find("found a divisor of 0 for integers") !=
        std::string::npos);
  CHECK(cuda_tests::values(aten::remainder_Tensor(a, a)) == std::vector<double>(3, 0));
}
