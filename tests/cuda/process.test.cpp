// What a process sees once: each case is run alone, since the others would see it too.
#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

namespace {

void* nowhere(tb::device, std::size_t) { return reinterpret_cast<void*>(std::uintptr_t{4096}); }
void leave(tb::device, void*) noexcept {}

}  // namespace

TEST_CASE("process: an illegal address makes the device unusable, and the error lists recent operators", "[.][lost]") {
  const tb::device where = cuda_tests::need();
  tb::memory_hook wild;
  wild.allocate = nowhere;
  wild.release = leave;
  const tb::tensor good = cuda_tests::filled({1 << 16}, 1, where);
  const tb::tensor bad = tb::author::make_tensor({1 << 16}, tb::dtype::float32, where, wild);
  const tb::tensor sum = aten::exp(bad) + good;  // no error yet
  const std::string text = toy::text_of<tb::device_error>([&] { tb::synchronize(where); });
  INFO(text);
  CHECK(text.starts_with("waiting for work on cuda:0: "));
  CHECK(text.find("(cudaErrorIllegalAddress); the CUDA context of this process is unusable") != std::string::npos);
  CHECK(text.find("the error is of one of aten::add.Tensor, aten::exp, ") != std::string::npos);
  // Every call says so from now on, and none hangs or ends the process.
  for (const std::string& later :
       {toy::text_of<tb::device_error>([&] { (void)tb::to(good, tb::cpu); }), toy::text_of<tb::device_error>([&] {
          (void)(good + 1);
          tb::synchronize(where);
        }),
        toy::text_of<tb::device_error>([&] {
          (void)cuda_tests::filled({1 << 24}, 1, where);
          tb::synchronize(where);
        })}) {
    INFO(later);
    CHECK(later.find("the CUDA context of this process is unusable") != std::string::npos);
  }
  CHECK(support::values(aten::full(tb::shape{2}, 3.0)) == std::vector<double>{3, 3});
}

TEST_CASE("process: with TOPBIT_CUDA_BLOCKING=1 the call itself throws what its kernel found", "[.][blocking]") {
  const tb::device where = cuda_tests::need();
  const tb::tensor x = cuda_tests::filled({4}, 1, where);
  const tb::tensor bad = tb::to(tb::from_values<std::int64_t>({9}, {1}), where);
  CHECK_THROWS_AS(aten::index_select(x, 0, bad), tb::shape_error);
  CHECK(tb::stream::current(where).done());
  tb::synchronize(where);  // told once
  CHECK(cuda_tests::values(x + 1) == std::vector<double>(4, 2));
}
