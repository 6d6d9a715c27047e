// Rules of products: close to the float64 product of the dequantized matrix, or exact for codes; every element the same
// however the work is divided.
#include "kernel_cases.h"

using namespace quantized_tests;

namespace {

// Memory aligned to 64 bytes.
class aligned_memory {
 public:
  explicit aligned_memory(std::size_t bytes) : all_(bytes + 64, 0xff) {}
  void* begin() {
    const auto address = reinterpret_cast<std::uintptr_t>(all_.data());
    return all_.data() + (64 - address % 64) % 64;
  }

 private:
  std::vector<unsigned char> all_;
};

struct problem {
  weights w;
  std::int64_t m, x_row, out_row;
  numbers x;                // [m][columns], unless there are codes
  std::vector<float> bias;  // none if empty
  std::int32_t input = TB_INPUT_FLOAT;
  std::vector<std::int8_t> codes;
  std::vector<float> x_scales;
  std::vector<std::int32_t> x_zero_points;

  problem(const form& how, std::int64_t rows_of_x, std::int32_t dtype, random_numbers& random)
      : w(how, random),
        m(rows_of_x),
        x_row(how.columns + random.below(3)),
        out_row(how.rows + random.below(3)),
        x(dtype, (m - 1) * x_row + how.columns),
        codes(static_cast<std::size_t>((m - 1) * x_row + how.columns)) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(codes.size()); ++i) {
      x.set(i, random.unit());
      codes[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(random.below(256) - 128);
    }
    for (std::int64_t j = 0; j < how.rows && random.below(2) == 0; ++j) bias.push_back(random.unit());
    if (bias.size() != static_cast<std::size_t>(how.rows)) bias.clear();
    const std::int64_t parameters = random.one_of<std::int64_t>({1, m});
    for (std::int64_t i = 0; i < parameters; ++i) {
      x_scales.push_back(0.01f + 0.01f * std::fabs(random.unit()));
      x_zero_points.push_back(static_cast<std::int32_t>(random.below(256) - 128));
    }
    if (random.below(3) == 0) x_zero_points.clear();
  }

  tb_quantized_matmul call() {
    tb_quantized_matmul c{};
    c.w = w.described();
    c.x = input == TB_INPUT_CODES ? static_cast<const void*>(codes.data()) : x.bytes.data();
    c.bias = bias.empty() ? nullptr : bias.data();
    c.m = m;
    c.x_row = x_row;
    c.out_row = out_row;
    c.x_scales = x_scales.data();
    c.x_zero_points = x_zero_points.empty() ? nullptr : x_zero_points.data();
    c.x_parameters = static_cast<std::int64_t>(x_scales.size());
    c.input = input;
    c.dtype = x.dtype;
    return c;
  }

  // The result, with the work divided before these rows of x and of w.
  numbers run(const tb_quantized_kernels& table, std::int64_t x_middle, std::int64_t w_middle) {
    numbers out(x.dtype, (m - 1) * out_row + w.how.rows);
    tb_quantized_matmul c = call();
    c.out = out.bytes.data();
    aligned_memory workspace(table.matmul_workspace(&c));
    c.workspace = workspace.begin();
    table.matmul_prepare(&c, x_middle, m);
    table.matmul_prepare(&c, 0, x_middle);
    table.matmul(&c, w_middle, w.how.rows);
    table.matmul(&c, 0, w_middle);
    return out;
  }
};

std::string text(const problem& p) {
  return text(p.w.how) + " m " + std::to_string(p.m) + " dtype " + std::to_string(p.x.dtype) + " input " +
         std::to_string(p.input) + ": ";
}

// Half an ulp of the results' type, relative.
double rounding(std::int32_t dtype) { return dtype == TB_F16 ? 0x1p-11 : dtype == TB_BF16 ? 0x1p-8 : 0x1p-24; }

std::string compare_with_float64(const problem& p, const numbers& found) {
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.w.how.rows; ++j) {
      double sum = 0, magnitude = 0;
      for (std::int64_t c = 0; c < p.w.how.columns; ++c) {
        const double term = p.x.get(i * p.x_row + c) * p.w.value<double>(j, c);
        sum += term;
        magnitude += std::fabs(term) + (p.w.how.offset == TB_OFFSET_MINIMUM ? 0.1 : 0.0);
      }
      if (!p.bias.empty()) sum += double{p.bias[static_cast<std::size_t>(j)]};
      const double bound = 0x1p-24 * (static_cast<double>(p.w.how.columns) + 8) * magnitude +
                           2 * rounding(p.x.dtype) * (std::fabs(sum) + 0x1p-14);
      const double error = std::fabs(found.get(i * p.out_row + j) - sum);
      if (error <= bound) continue;
      return "row " + std::to_string(i) + " column " + std::to_string(j) + ": found " +
             std::to_string(found.get(i * p.out_row + j)) + ", wanted " + std::to_string(sum) + " within " +
             std::to_string(bound) + "; ";
    }
  }
  return "";
}

// A sum of products of codes and its scaling, by definition.
struct exact {
  const problem& p;

  float x_scale(std::int64_t i) const {
    if (p.input == TB_INPUT_CODES) return p.x_scales[static_cast<std::size_t>(p.x_scales.size() == 1 ? 0 : i)];
    float greatest = 0;
    for (std::int64_t c = 0; c < p.w.how.columns; ++c) {
      greatest = std::max(greatest, std::fabs(static_cast<float>(p.x.get(i * p.x_row + c))));
    }
    return greatest / 127;
  }
  int x_code(std::int64_t i, std::int64_t c, float scale) const {
    if (p.input == TB_INPUT_CODES) {
      const std::size_t parameter = p.x_scales.size() == 1 ? 0 : static_cast<std::size_t>(i);
      return p.codes[static_cast<std::size_t>(i * p.x_row + c)] -
             (p.x_zero_points.empty() ? 0 : p.x_zero_points[parameter]);
    }
    const float q = static_cast<float>(p.x.get(i * p.x_row + c)) / scale;
    return std::isnan(q) ? 0 : static_cast<int>(std::nearbyint(std::clamp(q, -127.0f, 127.0f)));
  }
  float element(std::int64_t i, std::int64_t j) const {
    const form& how = p.w.how;
    const float scale = x_scale(i);
    float sum = 0;
    for (std::int64_t first = 0; first < how.columns;) {
      const std::int64_t group = first / how.group * how.group;
      const std::int64_t last =
          std::min({how.columns, group + how.group, group + ((first - group) / 32768 + 1) * 32768});
      std::int64_t products = 0, codes = 0;
      for (std::int64_t c = first; c < last; ++c) {
        products += x_code(i, c, scale) * (p.w.code(j, c) - p.w.zero_point(j, c));
        codes += x_code(i, c, scale);
      }
      const std::int64_t parameter = p.w.parameter(j, first);
      float scaled = static_cast<float>(products) * static_cast<float>(p.w.scales.get(parameter));
      if (how.offset == TB_OFFSET_MINIMUM) {
        const float term = static_cast<float>(p.w.offsets.get(parameter)) * static_cast<float>(codes);
        scaled += term;
      }
      sum += scaled;
      first = last;
    }
    sum *= scale;
    if (!p.bias.empty()) sum += p.bias[static_cast<std::size_t>(j)];
    return sum;
  }
  numbers all() const {
    numbers out(p.x.dtype, (p.m - 1) * p.out_row + p.w.how.rows);
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.w.how.rows; ++j) out.set(i * p.out_row + j, double{element(i, j)});
    }
    return out;
  }
};

}  // namespace

TEST_CASE("quantized kernels: a product is within k * 2^-24 of the float64 product", "[quantized]") {
  std::string failures;
  for (const tb_quantized_kernels* table : tables()) {
    random_numbers random(11);
    for (int n = 0; n < scaled(120) && failures.empty(); ++n) {
      const form how = random_form(random, 11, random.one_of({40, 300, 1300}));
      const std::int64_t m = random.one_of<std::int64_t>({1, 1, 2, 3, 4, 5, 8, 13});
      problem p(how, m, random.one_of({TB_F32, TB_F32, TB_F16, TB_BF16}), random);
      const numbers whole = p.run(*table, 0, 0);
      failures += compare_with_float64(p, whole);
      failures += difference(p.run(*table, random.below(m + 1), random.below(how.rows + 1)), whole);
      if (!failures.empty()) failures = std::string(table->isa) + ": " + text(p) + failures;
    }
  }
  CHECK(failures == "");
}

TEST_CASE("quantized kernels: rows of many groups", "[quantized]") {
  for (const tb_quantized_kernels* table : tables()) {
    random_numbers random(18);
    for (const std::int64_t m : {1, 5}) {
      for (const int bits : {8, 4}) {
        for (const std::int64_t group : {32, 64, 128}) {
          problem p({.rows = 2, .columns = 8201, .group = group, .scale_rows = 2, .bits = bits}, m, TB_F32, random);
          CHECK(compare_with_float64(p, p.run(*table, 0, 1)) == "");
        }
      }
    }
  }
}

TEST_CASE("quantized kernels: a row of a product is the same beside other rows", "[quantized]") {
  for (const tb_quantized_kernels* table : tables()) {
    random_numbers random(12);
    const form how{.rows = 37, .columns = 700, .group = 32, .scale_rows = 37, .bits = 4};
    problem one(how, 200, TB_F32, random);
    const numbers all = one.run(*table, 0, 0);
    // Rows 190 to 199 alone.
    problem some = one;
    some.m = 10;
    some.x.bytes.erase(some.x.bytes.begin(), some.x.bytes.begin() + 190 * one.x_row * 4);
    const numbers found = some.run(*table, 0, 0);
    bool same = true;
    for (std::int64_t i = 0; i < 10; ++i) {
      for (std::int64_t j = 0; j < how.rows; ++j) {
        same = same && found.get(i * one.out_row + j) == all.get((190 + i) * one.out_row + j);
      }
    }
    CHECK(same);
  }
}

TEST_CASE("quantized kernels: products of codes are exact, with the same bits on every instruction set",
          "[quantized]") {
  std::string failures;
  random_numbers random(13);
  for (int n = 0; n < scaled(70) && failures.empty(); ++n) {
    const form how = random_form(random, 40, random.one_of({40, 300, 1300}));
    const std::int64_t m = random.one_of<std::int64_t>({1, 2, 5, 9, 17});
    problem p(how, m, random.one_of({TB_F32, TB_F32, TB_F16, TB_BF16}), random);
    p.input = n % 2 == 0 ? TB_INPUT_DYNAMIC : TB_INPUT_CODES;
    const numbers wanted = exact{p}.all();
    for (const tb_quantized_kernels* table : tables()) {
      const std::string differs = difference(p.run(*table, random.below(m + 1), random.below(how.rows + 1)), wanted);
      if (!differs.empty()) failures += std::string(table->isa) + ": " + text(p) + differs;
    }
  }
  CHECK(failures == "");
}

TEST_CASE("quantized kernels: the greatest products of codes do not overflow", "[quantized]") {
  random_numbers random(14);
  for (const int sign : {-1, 1}) {
    for (const std::int64_t m : {1, 5}) {
      problem p({.rows = 2, .columns = 70001, .group = 70001, .bits = 8, .offset = TB_OFFSET_ZERO_POINT}, m, TB_F32,
                random);
      p.input = TB_INPUT_CODES;
      std::ranges::fill(p.w.codes, static_cast<unsigned char>(0x80));
      p.w.zero_points.assign(1, 127);
      std::ranges::fill(p.codes, static_cast<std::int8_t>(sign > 0 ? -128 : 127));
      p.x_scales.assign(1, 1);
      p.x_zero_points.assign(1, sign > 0 ? 127 : -128);
      const numbers wanted = exact{p}.all();
      for (const tb_quantized_kernels* table : tables()) CHECK(difference(p.run(*table, 0, 0), wanted) == "");
    }
  }
}

TEST_CASE("quantized kernels: a row with NaN or infinity gives NaN, and no other does", "[quantized]") {
  random_numbers random(15);
  for (const double special : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    problem p({.rows = 5, .columns = 100, .group = 32, .scale_rows = 5, .bits = 4}, 6, TB_F32, random);
    p.input = TB_INPUT_DYNAMIC;
    p.x.set(2 * p.x_row + 50, special);
    for (std::int64_t c = 0; c < 100; ++c) p.x.set(3 * p.x_row + c, c == 0 ? 1e-44 : 0);
    for (const tb_quantized_kernels* table : tables()) {
      const numbers found = p.run(*table, 0, 0);
      for (std::int64_t i = 0; i < 6; ++i) {
        for (std::int64_t j = 0; j < 5; ++j) CHECK(std::isnan(found.get(i * p.out_row + j)) == (i == 2));
      }
    }
  }
}

TEST_CASE("quantized kernels: many rows of codes, in several blocks", "[quantized]") {
  random_numbers random(16);
  for (const form& how : {form{.rows = 35, .columns = 1100, .group = 1100, .scale_rows = 35, .bits = 8},
                          form{.rows = 33, .columns = 550, .group = 32, .scale_rows = 33, .bits = 4}}) {
    problem p(how, 141, TB_F32, random);
    p.input = TB_INPUT_CODES;
    const numbers wanted = exact{p}.all();
    for (const tb_quantized_kernels* table : tables()) CHECK(difference(p.run(*table, 70, 32), wanted) == "");
  }
}

TEST_CASE("quantized kernels: a product with the matrix as it lies", "[quantized]") {
  std::string failures;
  for (const tb_quantized_kernels* table : tables()) {
    random_numbers random(17);
    for (int n = 0; n < scaled(40) && failures.empty(); ++n) {
      const form how = random_form(random, 40, 500);
      const std::int64_t m = random.one_of<std::int64_t>({1, 2, 7, 17}), out_row = how.columns + random.below(3);
      const std::int64_t x_row = how.rows + random.below(3);
      const std::int32_t dtype = random.one_of({TB_F32, TB_F32, TB_F16, TB_BF16});
      weights w(how, random);
      numbers x(dtype, (m - 1) * x_row + how.rows);
      for (std::int64_t i = 0; i < m * x_row - (x_row - how.rows); ++i) x.set(i, random.unit());
      const auto run = [&](std::int64_t middle) {
        numbers out(dtype, (m - 1) * out_row + how.columns);
        tb_quantized_matmul_plain call{};
        call.w = w.described();
        call.x = x.bytes.data();
        call.out = out.bytes.data();
        call.m = m;
        call.x_row = x_row;
        call.out_row = out_row;
        call.dtype = dtype;
        table->matmul_plain(&call, middle, how.columns);
        table->matmul_plain(&call, 0, middle);
        return out;
      };
      const numbers whole = run(0);
      failures += difference(run(random.below(how.columns / 2 + 1) * 2 % (how.columns + 1)), whole);
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t c = random.below(5); c < how.columns && failures.empty(); c += 5) {
          double sum = 0, magnitude = 0;
          for (std::int64_t j = 0; j < how.rows; ++j) {
            const double term = x.get(i * x_row + j) * w.value<double>(j, c);
            sum += term;
            magnitude += std::fabs(term) + 0.1;
          }
          const double bound = 0x1p-24 * (static_cast<double>(how.rows) + 8) * magnitude +
                               2 * rounding(dtype) * (std::fabs(sum) + 0x1p-14);
          if (std::fabs(whole.get(i * out_row + c) - sum) > bound) failures += "row " + std::to_string(i) + " wrong; ";
        }
      }
      if (!failures.empty()) failures = std::string(table->isa) + ": " + text(how) + ": " + failures;
    }
  }
  CHECK(failures == "");
}

TEST_CASE("quantized kernels: an infinite scale concerns its row of the matrix alone", "[quantized]") {
  for (const tb_quantized_kernels* table : tables()) {
    random_numbers random(19);
    weights w({.rows = 9, .columns = 40, .group = 40, .scale_rows = 9, .bits = 8}, random);
    std::ranges::fill(w.codes, static_cast<unsigned char>(1));
    w.scales.set(3, std::numeric_limits<double>::infinity());
    std::vector<float> x(9, 1), out(40);
    tb_quantized_matmul_plain call{};
    call.w = w.described();
    call.x = x.data();
    call.out = out.data();
    call.m = 1;
    call.x_row = 9;
    call.out_row = 40;
    call.dtype = TB_F32;
    table->matmul_plain(&call, 0, 40);
    CHECK(std::ranges::all_of(out, [](float y) { return y == std::numeric_limits<float>::infinity(); }));
  }
}
