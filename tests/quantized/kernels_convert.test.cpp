// Rules of conversions: by definition, element for element, whatever the arrangement; blocks as the format's tools
// write them.
#include <fstream>
#include <iterator>

#include "kernel_cases.h"

using namespace quantized_tests;

namespace {

constexpr std::int32_t floating[] = {TB_F32, TB_F64, TB_F16, TB_BF16};

// The code of x, in T: clamp(zero point + round(x * (1 / scale))).
template <class T>
int code_of(T x, T scale, T shift, int zero_point, int lowest, int highest) {
  const T inverse = T(1) / scale, product = (x - shift) * inverse;
  if (std::isnan(product) || scale == 0) return std::clamp(zero_point, lowest, highest);
  const T code = std::nearbyint(product) + static_cast<T>(zero_point);
  return static_cast<int>(std::clamp(code, static_cast<T>(lowest), static_cast<T>(highest)));
}

int wanted_code(const weights& w, std::int64_t row, std::int64_t column, const numbers& x, std::int64_t i, int lowest,
                int highest) {
  const double scale = w.scales.get(w.parameter(row, column));
  const double shift = w.how.offset == TB_OFFSET_MINIMUM ? w.offsets.get(w.parameter(row, column)) : 0;
  const int zero_point = w.zero_point(row, column);
  if (x.dtype == TB_F64) return code_of(x.get(i), scale, shift, zero_point, lowest, highest);
  return code_of(static_cast<float>(x.get(i)), static_cast<float>(scale), static_cast<float>(shift), zero_point, lowest,
                 highest);
}

double interesting_number(const weights& w, std::int64_t row, std::int64_t column, random_numbers& random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double scale = w.scales.get(w.parameter(row, column));
  switch (random.below(12)) {
    case 0: return infinity;
    case 1: return -infinity;
    case 2: return std::numeric_limits<double>::quiet_NaN();
    case 3: return 1e30 * random.unit();
    case 4:
    case 5: return scale * (static_cast<double>(random.below(300) - 150) + 0.5);
    case 6: return 0;
    default: return scale * 150 * random.unit();
  }
}

std::string try_quantize(const tb_quantized_kernels& table, const form& how, std::int32_t dtype,
                         random_numbers& random) {
  weights w(how, random);
  const std::int64_t x_row = how.columns + random.below(3);
  numbers x(dtype, (how.rows - 1) * x_row + how.columns);
  for (std::int64_t i = 0; i < how.rows; ++i) {
    for (std::int64_t j = 0; j < how.columns; ++j) x.set(i * x_row + j, interesting_number(w, i, j, random));
  }
  if (random.below(4) == 0) w.scales.set(0, 0);
  tb_quantize call{};
  call.to = w.described();
  call.x = x.bytes.data();
  call.x_row = x_row;
  call.dtype = dtype;
  call.lowest = how.bits == 8 ? random.one_of({-128, -127, -64}) : random.one_of({0, 1});
  call.highest = how.bits == 8 ? random.one_of({127, 63}) : 15;
  const std::int64_t middle = random.below(how.rows + 1);
  table.quantize(&call, 0, middle);
  table.quantize(&call, middle, how.rows);
  for (std::int64_t i = 0; i < how.rows; ++i) {
    for (std::int64_t j = 0; j < how.columns; ++j) {
      const int wanted = wanted_code(w, i, j, x, i * x_row + j, call.lowest, call.highest);
      if (w.code(i, j) == wanted) continue;
      return std::string(table.isa) + ": " + text(how) + " dtype " + std::to_string(dtype) + ": row " +
             std::to_string(i) + " column " + std::to_string(j) + " of " + std::to_string(x.get(i * x_row + j)) +
             " found " + std::to_string(w.code(i, j)) + ", wanted " + std::to_string(wanted) + "; ";
    }
  }
  return "";
}

std::string try_dequantize(const tb_quantized_kernels& table, const form& how, std::int32_t dtype,
                           random_numbers& random) {
  weights w(how, random);
  const std::int64_t out_row = how.columns + random.below(3), count = 1 + random.below(2 * how.rows);
  std::vector<std::int64_t> index(static_cast<std::size_t>(count));
  for (std::int64_t& i : index) i = random.below(how.rows);
  numbers out(dtype, (how.rows - 1) * out_row + how.columns), rows(dtype, (count - 1) * out_row + how.columns);
  for (unsigned char& b : out.bytes) b = 1;
  for (unsigned char& b : rows.bytes) b = 1;
  numbers wanted = out, wanted_rows = rows;
  const auto value = [&](std::int64_t i, std::int64_t j) {
    return dtype == TB_F64 ? w.value<double>(i, j) : double{w.value<float>(i, j)};
  };
  for (std::int64_t j = 0; j < how.columns; ++j) {
    for (std::int64_t i = 0; i < how.rows; ++i) wanted.set(i * out_row + j, value(i, j));
    for (std::int64_t i = 0; i < count; ++i) {
      wanted_rows.set(i * out_row + j, value(index[static_cast<std::size_t>(i)], j));
    }
  }
  tb_dequantize call{};
  call.from = w.described();
  call.out = out.bytes.data();
  call.out_row = out_row;
  call.dtype = dtype;
  const std::int64_t middle = random.below(how.rows + 1);
  table.dequantize(&call, middle, how.rows);
  table.dequantize(&call, 0, middle);
  tb_dequantize_rows gather{};
  gather.call = call;
  gather.call.out = rows.bytes.data();
  gather.index = index.data();
  table.dequantize_rows(&gather, 0, count / 2);
  table.dequantize_rows(&gather, count / 2, count);
  const std::string differs = difference(out, wanted) + difference(rows, wanted_rows);
  return differs.empty() ? "" : std::string(table.isa) + ": " + text(how) + ": " + differs;
}

}  // namespace

TEST_CASE("quantized kernels: quantize rounds by definition, also ties, NaN and infinity", "[quantized]") {
  std::string failures;
  for (const tb_quantized_kernels* table : tables()) {
    random_numbers random(1);
    for (int i = 0; i < scaled(80) && failures.empty(); ++i) {
      failures += try_quantize(*table, random_form(random, 5, 600), floating[i % 4], random);
    }
  }
  CHECK(failures == "");
}

TEST_CASE("quantized kernels: dequantize, of all rows and of some, is exact", "[quantized]") {
  std::string failures;
  for (const tb_quantized_kernels* table : tables()) {
    random_numbers random(2);
    for (int i = 0; i < scaled(80) && failures.empty(); ++i) {
      failures += try_dequantize(*table, random_form(random, 5, 600), floating[i % 4], random);
    }
  }
  CHECK(failures == "");
}

TEST_CASE("quantized kernels: a number in range comes back within half a scale", "[quantized]") {
  random_numbers random(3);
  for (const tb_quantized_kernels* table : tables()) {
    for (const int bits : {8, 4}) {
      constexpr std::int64_t count = 4096;
      const double scale = 0x1p-5, half_range = bits == 8 ? 127.5 : 7.5;
      weights w({.rows = 1, .columns = count, .group = count, .bits = bits}, random);
      w.scales.set(0, scale);
      numbers x(TB_F32, count), back(TB_F32, count);
      for (std::int64_t i = 0; i < count; ++i) x.set(i, (random.unit() * half_range - 0.5) * scale);
      tb_quantize to{};
      to.to = w.described();
      to.x = x.bytes.data();
      to.x_row = count;
      to.dtype = TB_F32;
      to.lowest = bits == 8 ? -128 : 0;
      to.highest = bits == 8 ? 127 : 15;
      table->quantize(&to, 0, 1);
      tb_dequantize from{};
      from.from = to.to;
      from.out = back.bytes.data();
      from.out_row = count;
      from.dtype = TB_F32;
      table->dequantize(&from, 0, 1);
      double worst = 0;
      for (std::int64_t i = 0; i < count; ++i) worst = std::max(worst, std::fabs(x.get(i) - back.get(i)));
      CHECK(worst <= scale / 2);
    }
  }
}

TEST_CASE("quantized kernels: the range of each group, without NaN", "[quantized]") {
  random_numbers random(4);
  for (const tb_quantized_kernels* table : tables()) {
    for (int n = 0; n < scaled(60); ++n) {
      const std::int64_t rows = 1 + random.below(4), columns = 1 + random.below(700);
      const std::int64_t group = random.one_of<std::int64_t>({1, 32, 100, 300, 1000});
      const std::int64_t groups = (columns + group - 1) / group;
      numbers x(floating[n % 4], rows * columns);
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        x.set(i, random.below(5) == 0 ? std::numeric_limits<double>::quiet_NaN() : random.unit());
      }
      std::vector<float> least(static_cast<std::size_t>(rows * groups)), greatest(least);
      tb_group_range call{};
      call.x = x.bytes.data();
      call.least = least.data();
      call.greatest = greatest.data();
      call.columns = call.x_row = columns;
      call.group = group;
      call.dtype = x.dtype;
      table->group_range(&call, 0, rows);
      for (std::int64_t g = 0; g < rows * groups; ++g) {
        float low = 0, high = 0;
        bool found = false;
        for (std::int64_t j = g % groups * group; j < std::min(columns, (g % groups + 1) * group); ++j) {
          const auto value = static_cast<float>(x.get(g / groups * columns + j));
          if (std::isnan(value)) continue;
          low = found ? std::min(low, value) : value;
          high = found ? std::max(high, value) : value;
          found = true;
        }
        REQUIRE(least[static_cast<std::size_t>(g)] == low);
        REQUIRE(greatest[static_cast<std::size_t>(g)] == high);
      }
    }
  }
}

// ---- Blocks

namespace {

constexpr int block_count = 64;

// The numbers whose blocks reference_blocks.bin has, as the quantizer of ggml d99724f2b141 wrote them: q4_0, then q8_0.
std::vector<float> reference_numbers() {
  random_numbers random(42);
  std::vector<float> x;
  for (int b = 0; b < block_count; ++b) {
    for (int j = 0; j < 32; ++j) {
      const std::uint32_t bits = random.bits();
      const float unit = static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-31f;
      switch (b % 8) {
        case 0:
        case 1: x.push_back(unit); break;
        case 2: x.push_back(unit * 0x1p-10f); break;
        case 3: x.push_back(unit * 0x1p-20f); break;
        case 4: x.push_back(unit * 3000); break;
        case 5: x.push_back(static_cast<float>(static_cast<int>(bits >> 24) - 128) * 0.0625f); break;
        case 6: x.push_back(static_cast<float>(static_cast<int>(bits >> 28) - 8) * 0.5f); break;
        default: x.push_back(b == 7 ? 0.0f : b == 15 ? 1.0f : unit * unit * unit);
      }
    }
  }
  return x;
}

std::vector<unsigned char> blocks_of(const tb_quantized_kernels& table, const std::vector<float>& x,
                                     std::int32_t type) {
  const std::int64_t count = static_cast<std::int64_t>(x.size()) / 32, codes_of_block = type == TB_BLOCK_Q8_0 ? 32 : 16;
  std::vector<unsigned char> codes(static_cast<std::size_t>(count * codes_of_block));
  std::vector<std::uint16_t> scales(static_cast<std::size_t>(count));
  const tb_quantize_blocks quantize{x.data(), codes.data(), scales.data(), type, 0};
  table.quantize_blocks(&quantize, 0, count / 2);
  table.quantize_blocks(&quantize, count / 2, count);
  std::vector<unsigned char> blocks(static_cast<std::size_t>(count * (codes_of_block + 2)));
  const tb_blocks write{blocks.data(), codes.data(), scales.data(), nullptr, type, 0};
  table.write_blocks(&write, 0, count);
  return blocks;
}

}  // namespace

TEST_CASE("quantized kernels: blocks are those of the format's own quantizer", "[quantized]") {
  std::ifstream file(REFERENCE_BLOCKS, std::ios::binary);
  const std::vector<char> all{std::istreambuf_iterator<char>(file), {}};
  const std::vector<unsigned char> wanted(all.begin(), all.end());
  REQUIRE(wanted.size() == block_count * (TB_BLOCK_Q4_0_BYTES + TB_BLOCK_Q8_0_BYTES));
  const std::vector<float> x = reference_numbers();
  for (const tb_quantized_kernels* table : tables()) {
    std::vector<unsigned char> found = blocks_of(*table, x, TB_BLOCK_Q4_0);
    const std::vector<unsigned char> second = blocks_of(*table, x, TB_BLOCK_Q8_0);
    found.insert(found.end(), second.begin(), second.end());
    CHECK(found == wanted);
  }
}

TEST_CASE("quantized kernels: a block that is read and written again is the same", "[quantized]") {
  struct sizes {
    std::int32_t type;
    std::int64_t block, codes;
  };
  random_numbers random(6);
  for (const tb_quantized_kernels* table : tables()) {
    for (const sizes s : {sizes{TB_BLOCK_Q4_0, 18, 16}, sizes{TB_BLOCK_Q4_1, 20, 16}, sizes{TB_BLOCK_Q8_0, 34, 32}}) {
      constexpr std::int64_t count = 37;
      std::vector<unsigned char> blocks(static_cast<std::size_t>(count * s.block));
      for (unsigned char& b : blocks) b = static_cast<unsigned char>(random.bits() >> 24);
      std::vector<unsigned char> codes(static_cast<std::size_t>(count * s.codes)), again(blocks.size());
      std::vector<std::uint16_t> scales(count), minima(count);
      tb_blocks call{blocks.data(), codes.data(), scales.data(), minima.data(), s.type, 0};
      table->read_blocks(&call, 0, 5);
      table->read_blocks(&call, 5, count);
      call.blocks = again.data();
      table->write_blocks(&call, 0, count);
      CHECK(again == blocks);
      // Codes in the order of elements: j in the low bits of byte j of the block, j + 16 in its high bits.
      for (std::int64_t j = 0; j < 32 && s.codes == 16; ++j) {
        const int code = codes[static_cast<std::size_t>(j / 2)] >> (j % 2 * 4) & 15;
        const int stored = blocks[static_cast<std::size_t>(s.block - 16 + j % 16)] >> (j / 16 * 4) & 15;
        REQUIRE(code == stored);
      }
    }
  }
}

TEST_CASE("quantized kernels: blocks of NaN, infinity and tiny numbers have codes", "[quantized]") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const tb_quantized_kernels* table : tables()) {
    std::vector<float> x(32 * 3);
    x[3] = std::numeric_limits<float>::quiet_NaN();
    x[5] = 1;
    x[32 + 7] = -infinity;
    x[32 + 8] = 2;
    x[64] = 1e-44f;
    x[65] = -1e-44f;
    const std::vector<unsigned char> eight = blocks_of(*table, x, TB_BLOCK_Q8_0),
                                     four = blocks_of(*table, x, TB_BLOCK_Q4_0);
    CHECK(eight[2 + 3] == 0);
    CHECK(eight[2 + 5] == 127);
    CHECK((four[2 + 3] & 15) == 8);
    CHECK((four[2 + 5] & 15) == 0);
    CHECK(eight[34 + 2 + 8] == 0);
    CHECK((four[18 + 2 + 8] & 15) == 8);
    CHECK(eight[68 + 2] == 0);
    CHECK((four[36 + 2] & 15) == 8);
  }
}
