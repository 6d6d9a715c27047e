// Rules of convolve: every window, stride, padding, dilation and group, in every dtype, against a plain loop.
#include "oracle/convolution.h"
#include "products.h"
#include "support/scale.h"
#include "threads/parallel.h"

using namespace kernel_tests;

namespace {

using three = oracle::convolution::three;

struct shape : oracle::convolution {
  bool biased = true;
};

three out_size(const shape& s) {
  three out{};
  for (std::size_t d = 0; d < 3; ++d) {
    out[d] = (s.size[d] + 2 * s.padding[d] - s.dilation[d] * (s.kernel[d] - 1) - 1) / s.stride[d] + 1;
  }
  return out;
}

template <typename E>
std::string try_convolve(backend here, const shape& s) {
  using compute = typename element<E>::compute;
  stage memory(here);
  const three out_is = out_size(s);
  const std::int64_t terms = s.channels / s.groups * shape::volume(s.kernel);
  const auto image = memory.make<E>(s.images * s.channels * shape::volume(s.size));
  const auto weight = memory.make<E>(s.outputs * terms);
  const auto bias = memory.make<E>(s.outputs);
  const auto out = memory.make<E>(s.images * s.outputs * shape::volume(out_is));
  fill_elements(image, 1);
  fill_elements(weight, 2);
  fill_elements(bias, 3);
  tb_convolution call{};
  call.out = out.seen_by_kernel();
  call.image = image.seen_by_kernel();
  call.weight = weight.seen_by_kernel();
  call.bias = s.biased ? bias.seen_by_kernel() : nullptr;
  call.images = s.images;
  call.channels = s.channels;
  call.outputs = s.outputs;
  call.groups = s.groups;
  for (std::size_t d = 0; d < 3; ++d) {
    call.size[d] = s.size[d];
    call.out_size[d] = out_is[d];
    call.kernel[d] = s.kernel[d];
    call.stride[d] = s.stride[d];
    call.padding[d] = s.padding[d];
    call.dilation[d] = s.dilation[d];
  }
  call.dtype = element<E>::dtype;
  CHECK(memory.run([&](const tb_kernels& k) { return k.convolve(&call, nullptr); }) == TB_OK);

  differences<compute> found;
  const auto value_of = [](const array<E>& values, bool given = true) {
    return [&from = values, given](std::int64_t i) { return given ? element<E>::value(from[i]) : compute(0); };
  };
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const auto [sum, magnitude] = s.element(i, out_is, value_of(image), value_of(weight), value_of(bias, s.biased));
    found.add(i, element<E>::value(out[i]),
              {sum, ulps<compute>(4 + std::sqrt(double(terms)), magnitude) + element<E>::rounding * std::fabs(sum) +
                        (element<E>::rounding != 0 ? 0x1p-20L : 0)});
  }
  return found.text() == ""
             ? ""
             : found.text() + " in an image of " + std::to_string(s.size[1]) + "x" + std::to_string(s.size[2]) +
                   ", kernel " + std::to_string(s.kernel[1]) + "x" + std::to_string(s.kernel[2]) + "\n";
}

template <typename E>
std::string try_all(backend here, const std::vector<shape>& shapes) {
  std::string failures;
  static sampled_cases drawn;  // other shapes for each element type
  for (const shape& s : shapes) {
    if (drawn.is_drawn()) failures += try_convolve<E>(here, s);
  }
  return failures;
}

const std::vector<shape> shapes = {
    {{1, 1, 1, 1, {1, 1, 5}, {1, 1, 3}}},
    {{2, 3, 5, 1, {1, 7, 9}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{1, 4, 6, 2, {1, 6, 5}, {1, 2, 3}, {1, 2, 1}, {0, 1, 2}, {1, 1, 2}}},
    {{2, 6, 6, 6, {1, 8, 8}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{1, 2, 3, 1, {1, 20, 37}, {1, 5, 5}, {1, 3, 2}, {0, 4, 3}, {1, 2, 1}}, false},
    {{1, 3, 4, 1, {3, 4, 5}, {2, 3, 2}, {1, 2, 2}, {1, 1, 0}, {1, 1, 3}}},
    {{2, 40, 33, 1, {1, 10, 11}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{3, 20, 40, 1, {1, 9, 9}, {1, 1, 1}}},
    {{1, 20, 10, 2, {1, 9, 9}, {1, 1, 1}, {1, 2, 2}}},
    {{1, 1, 2, 1, {1, 2, 2}, {1, 2, 2}, {1, 1, 1}, {0, 5, 5}, {1, 3, 4}}},  // windows wholly in the padding
    {{1, 2, 3, 1, {1, 40, 40}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{3, 30, 70, 1, {1, 8, 9}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{5, 12, 20, 1, {1, 12, 12}, {1, 5, 5}}},
    // Far beyond the image, with few outputs and with more.
    {{1, 1, 2, 1, {1, 1, 3}, {1, 1, 2}, {1, 1, 150000000}, {0, 0, 200000000}, {1, 1, 200000000}}},
    {{1, 1, 5, 1, {1, 1, 3}, {1, 1, 2}, {1, 1, 150000000}, {0, 0, 200000000}, {1, 1, 200000000}}},
    // Strides that divide windows among lines of the copy.
    {{1, 4, 5, 1, {1, 21, 75}, {1, 3, 3}, {1, 2, 2}, {0, 1, 1}}},
    {{1, 4, 5, 1, {1, 21, 45}, {1, 4, 5}, {1, 4, 6}, {0, 1, 3}, {1, 2, 4}}},
    // Long rows, and more than a copy holds.
    {{1, 4, 5, 1, {1, 2, 1100}, {1, 2, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{1, 300, 4, 1, {1, 32, 33}, {1, 1, 2}}},
    {{1, 21, 5, 1, {1, 7, 9}, {1, 1, 1}}},
    {{1, 100, 5, 1, {1, 9, 11}, {1, 3, 3}}},
    // Several blocks of sums, and rows of weights that are a multiple of a page apart.
    {{1, 5, 7, 1, {1, 30, 31}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{1, 64, 14, 1, {1, 9, 9}, {1, 4, 4}}},
    // Few outputs per group: depthwise, several planes, several blocks of rows and of columns.
    {{2, 5, 5, 5, {1, 20, 37}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{1, 3, 9, 3, {1, 13, 70}, {1, 5, 5}, {1, 2, 2}, {0, 2, 2}}, false},
    {{1, 4, 4, 2, {3, 9, 9}, {2, 3, 3}, {1, 1, 3}, {1, 0, 2}, {1, 2, 2}}},
    {{1, 2, 2, 2, {1, 150, 60}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{1, 2, 2, 2, {1, 2, 2100}, {1, 1, 3}}},
    // Square windows whose rows slide: one and two registers wide, tiles of 7 and of 8 rows, strides and dilations.
    {{1, 2, 2, 2, {1, 14, 14}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
    {{2, 4, 4, 4, {1, 15, 37}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}}},
    {{1, 6, 6, 3, {2, 16, 20}, {2, 5, 5}, {1, 1, 2}, {0, 2, 1}}},
    {{1, 3, 3, 3, {1, 21, 40}, {1, 7, 7}, {1, 1, 1}, {0, 3, 3}, {1, 1, 2}}},
    {{1, 2, 2, 2, {1, 14, 14}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 2, 1}}},
    // Windows longer than the result, as in the gradient of a weight.
    {{1, 6, 3, 3, {1, 16, 40}, {1, 14, 38}}},
    {{1, 2, 4, 2, {1, 33, 50}, {1, 16, 24}, {1, 1, 1}, {0, 1, 1}, {1, 2, 2}}},
    {{2, 2, 2, 2, {1, 30, 40}, {1, 20, 30}, {1, 2, 2}, {0, 3, 3}}, false},
    {{12, 2, 5, 1, {1, 12, 13}, {1, 11, 10}, {1, 1, 1}, {0, 1, 0}}},
    {{3, 4, 40, 2, {3, 21, 32}, {2, 9, 14}, {1, 1, 1}, {0, 1, 1}, {1, 2, 2}}, false},
    {{22, 1, 6, 1, {1, 1, 900}, {1, 1, 898}}},
    {{1, 2, 2, 2, {1, 1, 9000}, {1, 1, 8999}, {1, 1, 1}, {0, 0, 1}}},
};

}  // namespace

TEMPLATE_TEST_CASE("convolve: windows, strides, padding, dilation and groups in every dtype", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::convolve);
  CHECK(try_all<float>(here, shapes) == "");
  CHECK(try_all<double>(here, shapes) == "");
  CHECK(try_all<tb_kernel::half>(here, shapes) == "");
  CHECK(try_all<tb_kernel::bfloat16>(here, shapes) == "");
}

TEMPLATE_TEST_CASE("convolve: other types are not supported", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>(&tb_kernels::convolve);
  tb_convolution call{};
  call.groups = 1;
  call.dtype = TB_I64;
  CHECK(here.kernels->convolve(&call, nullptr) == TB_UNSUPPORTED_DTYPE);
}

TEMPLATE_TEST_CASE("convolve: results do not depend on the number of threads", "[kernels]", scalar, sse2, avx2,
                   avx512) {
  const backend here = need<TestType>(&tb_kernels::convolve);
  const int32_t before = tb_cpu_threads();
  std::vector<float> image(2 * 64 * 40 * 40), weight(64 * 40 * 40), first, now;
  random_numbers random(1);
  for (float& x : image) x = float(random.between(-1, 1));
  for (float& x : weight) x = float(random.between(-1, 1));
  // A product of matrices, depthwise with short and with long windows, and long windows with several outputs.
  const shape convolutions[] = {{{2, 16, 24, 1, {1, 40, 40}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
                                {{2, 64, 64, 64, {1, 40, 40}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}}},
                                {{1, 64, 64, 64, {1, 40, 40}, {1, 40, 40}, {1, 1, 1}, {0, 1, 1}}},
                                {{64, 1, 40, 1, {1, 40, 40}, {1, 40, 40}, {1, 1, 1}, {0, 1, 1}}}};
  for (const shape& s : convolutions) {
    const three out = out_size(s);
    tb_convolution call{};
    call.image = image.data();
    call.weight = weight.data();
    call.images = s.images;
    call.channels = s.channels;
    call.outputs = s.outputs;
    call.groups = s.groups;
    for (std::size_t d = 0; d < 3; ++d) {
      call.size[d] = s.size[d];
      call.out_size[d] = out[d];
      call.kernel[d] = s.kernel[d];
      call.stride[d] = call.dilation[d] = 1;
      call.padding[d] = s.padding[d];
    }
    call.dtype = TB_F32;
    first.clear();
    for (const int32_t threads : {1, 2, 3, 5}) {
      now.assign(std::size_t(s.images * s.outputs * shape::volume(out)), 0.0f);
      call.out = now.data();
      tb_cpu_set_threads(threads);
      REQUIRE(here.kernels->convolve(&call, nullptr) == TB_OK);
      if (first.empty()) first = now;
      CHECK(std::memcmp(first.data(), now.data(), now.size() * sizeof(float)) == 0);
    }
  }
  tb_cpu_set_threads(before);
}
