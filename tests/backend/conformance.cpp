// The conformance test of topbit.backend_test, on the device that the first word names: a device of this folder, or
// "npu_without_<entry>", the npu whose kernel table lacks an entry, "npu_without_all" any; "queued", which works
// asynchronously.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "npu/kernels.h"

#include "queued.h"

import topbit;
import topbit.backend;
import topbit.backend_test;
import topbit.cuda;

namespace {

tb_kernels without(std::string_view entry) {
  tb_kernels t = npu::kernels;
  const auto take_out = [&](std::string_view name, auto& kernel) {
    if (entry == name || entry == "all") kernel = nullptr;
  };
  take_out("copy", t.copy);
  take_out("arange", t.arange);
  take_out("elementwise", t.elementwise);
  take_out("reduce", t.reduce);
  take_out("rowwise", t.rowwise);
  take_out("matmul", t.matmul);
  take_out("take", t.take);
  take_out("random", t.random);
  take_out("nonzero", t.nonzero);
  take_out("pool", t.pool);
  take_out("convolve", t.convolve);
  take_out("update", t.update);
  take_out("attention", t.attention);
  take_out("channel_norm", t.channel_norm);
  return t;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const std::string device = words[1];
  constexpr std::string_view partial = "npu_without_";
  static tb_kernels kernels;
  if (device.starts_with(partial)) {
    kernels = without(std::string_view(device).substr(partial.size()));
    topbit::author::register_backend(device, {.memory = far_memory::hook, .kernels = &kernels});
  }
  if (device == "queued") queued::device();
  words[1] = words[0];
  return topbit::backend_test::run(device, count - 1, words + 1);
}
