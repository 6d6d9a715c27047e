// Devices, and what is said of those that are not there.
#include "cuda.h"
import topbit;
import topbit.cuda;

namespace tb = topbit;
namespace aten = topbit::aten;

TEST_CASE("runtime: properties of a device", "[cuda][runtime]") {
  const tb::cuda_properties p = tb::properties_of(cuda_tests::need());
  CHECK_FALSE(p.name.empty());
  CHECK(p.memory_bytes > 1 << 20);
  CHECK(p.major >= 7);
  CHECK(p.multiprocessors > 0);
  CHECK(p.runtime_version >= 13000);
}

TEST_CASE("runtime: a program without a device starts, and using one reports what is missing", "[cuda][runtime]") {
  if (tb::cuda_available()) {
    CHECK(tb::cuda_unavailable_reason().empty());
    return;
  }
  CHECK(tb::cuda_unavailable_reason().starts_with("no CUDA device: "));
  for (const std::string& text :
       {toy::text_of<tb::device_error>([] { (void)aten::zeros(tb::shape{2}, tb::arg<"device"> = tb::cuda()); }),
        toy::text_of<tb::device_error>([] { (void)tb::properties_of(tb::cuda()); }),
        toy::text_of<tb::device_error>([] { (void)tb::stream::current(tb::cuda()); }),
        toy::text_of<tb::device_error>([] { (void)tb::device_memory(tb::cuda()); }),
        toy::text_of<tb::device_error>([] { (void)tb::pin_memory(aten::zeros(tb::shape{2})); }),
        toy::text_of<tb::device_error>([] { (void)tb::cuda_graph::capture([] {}); })}) {
    const bool says = text.find("cuda:0") != std::string::npos || text.find("no CUDA device") != std::string::npos;
    INFO(text);
    CHECK(says);
  }
}

TEST_CASE("runtime: a missing device is named, with the available ones", "[cuda][runtime]") {
  cuda_tests::need();
  const tb::device none = tb::cuda(100);
  const int count = tb::cuda_device_count();
  const std::string wanted =
      "found cuda:100, wanted cuda:0" + (count == 1 ? std::string() : " to cuda:" + std::to_string(count - 1));
  CHECK(toy::text_of<tb::device_error>([&] { (void)tb::properties_of(none); }) == wanted);
  CHECK(toy::text_of<tb::device_error>([&] { tb::synchronize(none); }) == wanted);
  CHECK(toy::text_of<tb::device_error>([&] { (void)aten::zeros(tb::shape{2}, tb::arg<"device"> = none); }) ==
        "aten::zeros: in aten::empty.memory_format: " + wanted);
  CHECK(toy::text_of<tb::device_error>([] { (void)tb::properties_of(tb::cpu); }) == "found cpu, wanted a CUDA device");
}

TEST_CASE("runtime: tensors of two devices in one call are refused", "[cuda][runtime]") {
  const tb::device second = cuda_tests::need(1);
  const tb::tensor a = cuda_tests::filled({3}, 1, tb::cuda(0)), b = cuda_tests::filled({3}, 2, second);
  CHECK(toy::text_of<tb::device_error>([&] { (void)(a + b); }) ==
        "aten::add.Tensor: found argument 1 'self' on cuda:0 and argument 2 'other' on cuda:1, wanted one device; move "
        "one "
        "with to()");
  const tb::tensor moved = tb::to(b, tb::cuda(0));
  CHECK(moved.device() == tb::cuda(0));
  CHECK(cuda_tests::values(a + moved) == std::vector<double>(3, 3));
}
