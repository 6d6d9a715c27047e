// Pooling against plain loops that check of each window element whether it is inside the image.
#include "support.h"

using namespace kernel_tests;

namespace {

struct side {
  std::int64_t length, out, kernel, stride, padding, dilation;
};

struct pooling {
  side rows, columns;
  std::int64_t divisor = 0;
  bool count_padding = false;
};

// In the last one dilation leaves windows that have no element of the image.
const std::vector<pooling> poolings = {
    {{4, 2, 2, 2, 0, 1}, {6, 3, 2, 2, 0, 1}},          {{5, 5, 3, 1, 1, 1}, {4, 3, 2, 1, 0, 1}},
    {{7, 4, 3, 2, 1, 1}, {9, 5, 3, 2, 1, 1}, 0, true}, {{5, 3, 2, 2, 0, 1}, {5, 3, 2, 2, 0, 1}, 3},
    {{6, 4, 3, 1, 1, 2}, {5, 2, 2, 2, 0, 2}},          {{1, 1, 1, 1, 0, 1}, {1, 1, 1, 1, 0, 1}},
    {{6, 3, 3, 2, 1, 1}, {40, 20, 3, 2, 1, 1}},        {{5, 3, 3, 1, 0, 1}, {29, 27, 3, 1, 0, 1}},
    {{7, 2, 2, 3, 0, 2}, {33, 11, 3, 3, 1, 2}},        {{3, 2, 2, 1, 0, 1}, {600, 598, 5, 1, 1, 1}},
    {{2, 1, 2, 1, 0, 1}, {600, 81, 520, 1, 0, 1}},     {{9, 3, 1, 4, 0, 1}, {1300, 650, 2, 2, 0, 1}},
    {{6, 4, 3, 1, 1, 2}, {12, 10, 3, 1, 0, 1}},        {{4, 1, 2, 1, 1, 5}, {3, 3, 1, 1, 0, 1}},
};

tb_pool call_of(const pooling& p, std::int64_t images, tb_pool_op op, std::int32_t dtype) {
  tb_pool call{};
  call.images = images;
  call.height = p.rows.length;
  call.width = p.columns.length;
  call.out_height = p.rows.out;
  call.out_width = p.columns.out;
  call.kernel[0] = p.rows.kernel, call.kernel[1] = p.columns.kernel;
  call.stride[0] = p.rows.stride, call.stride[1] = p.columns.stride;
  call.padding[0] = p.rows.padding, call.padding[1] = p.columns.padding;
  call.dilation[0] = p.rows.dilation, call.dilation[1] = p.columns.dilation;
  call.divisor = p.divisor;
  call.count_padding = p.count_padding;
  call.op = op;
  call.dtype = dtype;
  return call;
}

// Calls visit(y, x, inside) for each place of a window that the padded image has.
template <typename Visit>
void each_place(const pooling& p, std::int64_t out_y, std::int64_t out_x, Visit visit) {
  for (std::int64_t i = 0; i < p.rows.kernel; ++i) {
    for (std::int64_t j = 0; j < p.columns.kernel; ++j) {
      const std::int64_t y = out_y * p.rows.stride - p.rows.padding + i * p.rows.dilation;
      const std::int64_t x = out_x * p.columns.stride - p.columns.padding + j * p.columns.dilation;
      if (y >= p.rows.length + p.rows.padding || x >= p.columns.length + p.columns.padding) continue;
      visit(y, x, y >= 0 && x >= 0 && y < p.rows.length && x < p.columns.length);
    }
  }
}

// Calls visit(image, place among the results, y, x) for each window.
template <typename Visit>
void each_result(const pooling& p, std::int64_t images, Visit visit) {
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t y = 0; y < p.rows.out; ++y) {
      for (std::int64_t x = 0; x < p.columns.out; ++x) visit(image, (image * p.rows.out + y) * p.columns.out + x, y, x);
    }
  }
}

constexpr std::int64_t images = 3;

template <typename T>
void try_max_pool(backend here, const pooling& p) {
  const std::int64_t area = p.rows.length * p.columns.length, outs = images * p.rows.out * p.columns.out;
  stage memory(here);
  const auto in = memory.make<T>(images * area);
  const auto out = memory.make<T>(outs);
  const auto index = memory.make<std::int64_t>(outs);
  fill_with_samples(in, 5);
  tb_pool call = call_of(p, images, TB_MAX_POOL, dtype_of<T>);
  call.out = out.seen_by_kernel();
  call.in = in.seen_by_kernel();
  call.index = index.seen_by_kernel();
  REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
  each_result(p, images, [&](std::int64_t image, std::int64_t at, std::int64_t out_y, std::int64_t out_x) {
    std::int64_t best = -1;
    each_place(p, out_y, out_x, [&](std::int64_t y, std::int64_t x, bool inside) {
      const std::int64_t place = y * p.columns.length + x;
      if (!inside) return;
      if (best < 0) best = place;
      const T value = in[image * area + place], top = in[image * area + best];
      if (value > top || (value != value && top == top)) best = place;
    });
    REQUIRE(index[at] == best);
    if (best < 0) {
      CHECK(out[at] < T(-1e18));
    } else {
      CHECK(meets<T>(out[at], {in[image * area + best]}));
    }
  });
}

template <typename T>
void try_average_pool(backend here, const pooling& p, bool backward) {
  const std::int64_t area = p.rows.length * p.columns.length, outs = images * p.rows.out * p.columns.out;
  stage memory(here);
  const auto image_values = memory.make<T>(images * area);
  const auto result_values = memory.make<T>(outs);
  fill_between(image_values, 5, -4, 4);
  fill_between(result_values, 6, -4, 4);
  tb_pool call = call_of(p, images, backward ? TB_AVG_POOL_BACKWARD : TB_AVG_POOL, dtype_of<T>);
  call.out = backward ? image_values.seen_by_kernel() : result_values.seen_by_kernel();
  call.in = backward ? result_values.seen_by_kernel() : image_values.seen_by_kernel();
  REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
  std::vector<long double> gradient(static_cast<std::size_t>(images * area));
  each_result(p, images, [&](std::int64_t image, std::int64_t at, std::int64_t out_y, std::int64_t out_x) {
    long double sum = 0;
    std::int64_t there = 0, inside_only = 0;
    each_place(p, out_y, out_x, [&](std::int64_t y, std::int64_t x, bool inside) {
      ++there;
      if (inside) ++inside_only, sum += backward ? 0 : image_values[image * area + y * p.columns.length + x];
    });
    const std::int64_t count = p.divisor != 0 ? p.divisor : p.count_padding ? there : inside_only;
    if (!backward) {
      CHECK(meets<T>(result_values[at], {sum / count, ulps<T>(4, 8)}));
      return;
    }
    each_place(p, out_y, out_x, [&](std::int64_t y, std::int64_t x, bool inside) {
      if (inside)
        gradient[std::size_t(image * area + y * p.columns.length + x)] += result_values[at] / (long double)count;
    });
  });
  if (!backward) return;
  for (std::int64_t i = 0; i < images * area; ++i) {
    CHECK(meets<T>(image_values[i], {gradient[std::size_t(i)], ulps<T>(16, 8)}));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("pool: the maximum of each window and its index", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const pooling& p : poolings) {
    try_max_pool<float>(here, p);
    try_max_pool<double>(here, p);
    try_max_pool<std::int64_t>(here, p);
  }
}

TEMPLATE_TEST_CASE("pool: averages and their gradients, with and without the padding", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const pooling& p : poolings) {
    if (p.rows.dilation != 1 || p.columns.dilation != 1) continue;
    for (const bool backward : {false, true}) {
      try_average_pool<float>(here, p, backward);
      try_average_pool<double>(here, p, backward);
    }
  }
}

TEMPLATE_TEST_CASE("pool: a gradient goes to its maximum, and windows that share it add", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const pooling p = {{2, 1, 1, 1, 0, 1}, {3, 2, 2, 1, 0, 1}};
  stage memory(here);
  const auto gradient = memory.make<float>(4), out = memory.make<float>(12);
  const auto index = memory.make<std::int64_t>(4);
  const auto run = [&](std::vector<std::int64_t> chosen) {
    std::copy(chosen.begin(), chosen.end(), index.begin());
    for (std::int64_t i = 0; i < 4; ++i) gradient[i] = float(1 << i);
    tb_pool call = call_of(p, 2, TB_MAX_POOL_BACKWARD, TB_F32);
    call.out = out.seen_by_kernel();
    call.in = gradient.seen_by_kernel();
    call.index = index.seen_by_kernel();
    return memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); });
  };
  REQUIRE(run({1, 1, 5, -1}) == TB_OK);
  CHECK(std::vector<float>(out.begin(), out.end()) == std::vector<float>{0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4});
  if (here.memory != nullptr) return;  // a device tells of bad indices later
  CHECK(run({1, 1, 6, -1}) == TB_BAD_INDEX);
  CHECK(run({1, 1, -2, -1}) == TB_BAD_INDEX);
}

// What max_pool chose, whatever windows overlap.
TEMPLATE_TEST_CASE("pool: the gradient of max pooling sums the windows that selected an element", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const pooling& p : poolings) {
    const std::int64_t area = p.rows.length * p.columns.length, places = p.rows.out * p.columns.out;
    stage memory(here);
    const auto in = memory.make<double>(images * area), top = memory.make<double>(images * places);
    const auto gradient = memory.make<double>(images * places), out = memory.make<double>(images * area);
    const auto index = memory.make<std::int64_t>(images * places);
    fill_between(in, 5, -4, 4);
    fill_between(gradient, 6, -4, 4);
    tb_pool call = call_of(p, images, TB_MAX_POOL, TB_F64);
    call.in = in.seen_by_kernel(), call.out = top.seen_by_kernel(), call.index = index.seen_by_kernel();
    REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
    call.op = TB_MAX_POOL_BACKWARD;
    call.in = gradient.seen_by_kernel(), call.out = out.seen_by_kernel();
    REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
    std::vector<double> want(std::size_t(images * area));
    for (std::int64_t i = 0; i < images * places; ++i) {
      if (index[i] >= 0) want[std::size_t(i / places * area + index[i])] += gradient[i];
    }
    for (std::int64_t i = 0; i < images * area; ++i) CHECK(std::fabs(out[i] - want[std::size_t(i)]) < 1e-13);
  }
}

TEMPLATE_TEST_CASE("pool: adaptive windows cover the image and overlap where it is not divisible", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  stage memory(here);
  const auto image = memory.make<double>(5), averages = memory.make<double>(3);
  for (std::int64_t i = 0; i < 5; ++i) image[i] = double(i + 1);
  tb_pool call = call_of({{1, 1, 0, 1, 0, 1}, {5, 3, 0, 1, 0, 1}}, 1, TB_AVG_POOL, TB_F64);
  call.out = averages.seen_by_kernel();
  call.in = image.seen_by_kernel();
  REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
  CHECK(std::vector<double>(averages.begin(), averages.end()) ==
        std::vector<double>{1.5, 3, 4.5});  // 0 to 2, 1 to 4, 3 to 5
  for (std::int64_t i = 0; i < 3; ++i) averages[i] = double(6 * (i + 1));
  call.op = TB_AVG_POOL_BACKWARD;
  call.out = image.seen_by_kernel();
  call.in = averages.seen_by_kernel();
  REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
  CHECK(std::vector<double>(image.begin(), image.end()) == std::vector<double>{3, 7, 4, 13, 9});
}

TEMPLATE_TEST_CASE("pool: averages of long rows and of whole images are those of their elements", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const std::int64_t width : {1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 63, 64, 71, 100, 129}) {
    for (const std::int64_t height : {1, 2, 5}) {
      const side rows{height, 1, height, 1, 0, 1};
      const side one_row{height, height, 1, 1, 0, 1};
      std::vector<pooling> windows = {{rows, {width, 1, width, 1, 0, 1}}, {one_row, {width, 1, width, 1, 0, 1}}};
      if (width > 2) windows.push_back({rows, {width, 3, width - 2, 1, 0, 1}});
      if (width > 2) windows.push_back({rows, {width, 3, width, 1, 1, 1}});
      for (const pooling& p : windows) {
        INFO("height " << height << ", width " << width << ", kernel width " << p.columns.kernel);
        try_average_pool<float>(here, p, false);
        try_average_pool<double>(here, p, false);
        try_average_pool<float>(here, p, true);
      }
    }
  }
}

TEMPLATE_TEST_CASE("pool: adaptive windows with long rows are those of plain loops, and there may be none", "[kernels]",
                   EVERY_TABLE) {
  const backend here = need<TestType>();
  constexpr std::int64_t height = 5, width = 100, down = 2;
  for (const std::int64_t across : {0, 1, 3, 6, 7}) {
    stage memory(here);
    const auto image = memory.make<float>(height * width), results = memory.make<float>(down * across);
    fill_between(image, 8, -4, 4);
    tb_pool call = call_of({{height, down, 0, 1, 0, 1}, {width, across, 0, 1, 0, 1}}, 1, TB_AVG_POOL, TB_F32);
    call.out = results.seen_by_kernel();
    call.in = image.seen_by_kernel();
    REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
    std::vector<double> gradient(height * width);
    for (std::int64_t i = 0; i < down * across; ++i) {
      const std::int64_t y = i / across, x = i % across;
      const std::int64_t top = y * height / down, bottom = ((y + 1) * height + down - 1) / down;
      const std::int64_t left = x * width / across, right = ((x + 1) * width + across - 1) / across;
      const auto count = static_cast<double>((bottom - top) * (right - left));
      double sum = 0;
      for (std::int64_t at = top * width; at < bottom * width; ++at) {
        if (at % width < left || at % width >= right) continue;
        sum += double(image[at]);
        gradient[std::size_t(at)] += double(results[i]) / count;
      }
      CHECK(std::fabs(double(results[i]) - sum / count) < 1e-6);
    }
    call.op = TB_AVG_POOL_BACKWARD;
    call.out = image.seen_by_kernel();
    call.in = results.seen_by_kernel();
    REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
    for (std::int64_t i = 0; i < height * width; ++i) {
      CHECK(std::fabs(double(image[i]) - gradient[std::size_t(i)]) < 1e-6);
    }
  }
}

TEMPLATE_TEST_CASE("pool: averages are bitwise those of the scalar build", "[kernels]", sse2, avx2, avx512) {
  const backend here = need<TestType>();
  for (const std::int64_t width : {5, 16, 39, 64, 203}) {
    const pooling p = {{9, 2, 5, 4, 0, 1}, {width, 1, width, 1, 0, 1}};
    stage memory(here);
    const auto in = memory.make<double>(images * 9 * width), out = memory.make<double>(images * 2);
    fill_between(in, 7, -1, 1);
    tb_pool call = call_of(p, images, TB_AVG_POOL, TB_F64);
    call.in = in.seen_by_kernel();
    call.out = out.seen_by_kernel();
    REQUIRE(here.kernels->pool(&call, nullptr) == TB_OK);
    const std::vector<double> found(out.begin(), out.end());
    REQUIRE(tb_cpu_kernels_for("scalar")->pool(&call, nullptr) == TB_OK);
    CHECK(found == std::vector<double>(out.begin(), out.end()));
  }
}

TEMPLATE_TEST_CASE("pool: the maximum of a window with NaN is its first NaN", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  const pooling p = {{2, 1, 2, 2, 0, 1}, {6, 3, 2, 2, 0, 1}};
  stage memory(here);
  const auto in = memory.make<float>(12), out = memory.make<float>(3);
  const auto index = memory.make<std::int64_t>(3);
  const float nan = std::nanf(""), values[] = {1, nan, nan, 4, 2, 2, nan, 7, 5, 6, 2, 2};
  std::copy(values, values + 12, in.begin());
  tb_pool call = call_of(p, 1, TB_MAX_POOL, TB_F32);
  call.in = in.seen_by_kernel(), call.out = out.seen_by_kernel(), call.index = index.seen_by_kernel();
  REQUIRE(memory.run([&](const tb_kernels& k) { return k.pool(&call, nullptr); }) == TB_OK);
  CHECK((std::isnan(out[0]) && std::isnan(out[1]) && out[2] == 2));
  CHECK(std::vector<std::int64_t>(index.begin(), index.end()) == std::vector<std::int64_t>{1, 2, 4});
}

TEMPLATE_TEST_CASE("pool: images in tasks are those of one thread, for every operation", "[kernels]", scalar, sse2,
                   avx2, avx512) {
  const backend here = need<TestType>();
  const pooling p = {{61, 30, 3, 2, 0, 1}, {67, 33, 3, 2, 0, 1}};
  constexpr std::int64_t many = 37, area = 61 * 67, places = 30 * 33;
  stage memory(here);
  const auto in = memory.make<float>(many * area), top = memory.make<float>(many * places);
  const auto index = memory.make<std::int64_t>(many * places);
  std::vector<float> before[4];
  for (const std::int32_t count : {1, 3}) {
    const with_threads now(count);
    for (const tb_pool_op op : {TB_MAX_POOL, TB_MAX_POOL_BACKWARD, TB_AVG_POOL, TB_AVG_POOL_BACKWARD}) {
      const bool backward = op == TB_MAX_POOL_BACKWARD || op == TB_AVG_POOL_BACKWARD;
      const auto& from = backward ? top : in;
      const auto& to = backward ? in : top;
      fill_between(from, 9, -4, 4);
      tb_pool call = call_of(p, many, op, TB_F32);
      call.in = from.seen_by_kernel(), call.out = to.seen_by_kernel(), call.index = index.seen_by_kernel();
      REQUIRE(here.kernels->pool(&call, nullptr) == TB_OK);
      std::vector<float> found(to.begin(), to.end());
      std::vector<float>& single = before[op];
      if (count == 1) single = found;
      CHECK(found == single);
    }
  }
}

TEMPLATE_TEST_CASE("pool: types without a loop are refused", "[kernels]", EVERY_TABLE) {
  const backend here = need<TestType>();
  for (const auto& [op, type] : {std::pair{TB_AVG_POOL, TB_I64}, {TB_MAX_POOL, TB_F16}, {TB_MAX_POOL, TB_BOOL}}) {
    const tb_pool call = call_of(poolings[0], 0, op, type);
    CHECK(here.kernels->pool(&call, nullptr) == TB_UNSUPPORTED_DTYPE);
  }
}
