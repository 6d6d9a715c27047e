// GGUF files: what is listed, tensors without loss, and errors that name the byte for damaged and hostile files.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gguf_bytes.h"
#include "support/raises.h"
#include "support/scale.h"

import topbit;
import topbit.quantized;

namespace tb = topbit;
namespace q = topbit::quantized;
using quantized_test::gguf_bytes;
using tb::dtype, tb::tensor;
using toy::text_of;

namespace {

struct file {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("topbit-" + std::to_string(getpid()) + "-" + std::to_string(made++) + ".gguf"))
                         .string();
  static inline int made = 0;

  file() = default;
  explicit file(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  file(const file&) = delete;
  file& operator=(const file&) = delete;
  ~file() { std::filesystem::remove(path); }

  std::string read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

// What a function says of a file, behind its name.
template <class F>
std::string said_of(const std::string& bytes, F f) {
  const file written(bytes);
  const std::string text = text_of<tb::error>([&] { f(written.path); });
  const std::size_t name = text.find(written.path);
  return name == std::string::npos ? text : text.substr(name + written.path.size() + 3);
}
std::string list_error(const gguf_bytes& bytes) {
  return said_of(bytes.all, [](const std::string& path) { q::list_gguf(path); });
}

std::string reference_blocks() {
  std::ifstream in(REFERENCE_BLOCKS, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
constexpr std::size_t reference_count = 64;

// Element i of blocks, by definition.
float block_value(const std::string& blocks, std::size_t i, std::size_t bytes, bool has_minimum, bool has_bytes) {
  const unsigned char* const b = reinterpret_cast<const unsigned char*>(blocks.data()) + i / 32 * bytes;
  const auto half_at = [&](int at) {
    std::uint16_t bits;
    std::memcpy(&bits, b + at, sizeof bits);
    return static_cast<float>(std::bit_cast<tb::half>(bits));
  };
  if (has_bytes) return static_cast<float>(static_cast<std::int8_t>(b[2 + i % 32])) * half_at(0);
  const int code = b[bytes - 16 + i % 16] >> (i % 32 / 16 * 4) & 15;
  return has_minimum ? static_cast<float>(code) * half_at(0) + half_at(2) : static_cast<float>(code - 8) * half_at(0);
}

std::vector<float> elements(const tensor& t) {
  const tensor dense = tb::aten::contiguous(tb::to(t, dtype::float32));
  return {dense.data_ptr<float>(), dense.data_ptr<float>() + dense.numel()};
}

// A file with a tensor of each type that is supported, and with values.
std::string small_file() {
  gguf_bytes b;
  b.begin(2, 2).string("general.name").u32(8).string("small").string("n").u32(4).u32(7);
  b.tensor("w", {32, 2}, 8, 0).tensor("bias", {2}, 0, 96).align();
  b.bytes(reference_blocks().substr(reference_count * 18, 68)).align().number(1.5F).number(-2.0F);
  return b.all;
}

}  // namespace

TEST_CASE("list_gguf: values of every type, in the order of the file", "[quantized][gguf]") {
  gguf_bytes b;
  b.begin(0, 14, 2);
  b.string("u8").u32(0).number(std::uint8_t{255}).string("i8").u32(1).number(std::int8_t{-1});
  b.string("u16").u32(2).number(std::uint16_t{65535}).string("i16").u32(3).number(std::int16_t{-2});
  b.string("u32").u32(4).number(std::uint32_t{7}).string("i32").u32(5).number(std::int32_t{-3});
  b.string("f32").u32(6).number(0.5F).string("bool").u32(7).number(std::uint8_t{1});
  b.string("text").u32(8).string("a\nb").string("u64").u32(10).u64(~std::uint64_t{0});
  b.string("i64").u32(11).number(std::int64_t{-4}).string("f64").u32(12).number(0.1);
  b.string("texts").u32(9).u32(8).u64(2).string("x").string("");
  b.string("flags").u32(9).u32(7).u64(2).number(std::uint8_t{0}).number(std::uint8_t{1});
  const file f(b.all);
  const q::gguf_contents c = q::list_gguf(f.path);
  CHECK(c.version == 2);
  CHECK(c.alignment == 32);
  CHECK(c.tensors.empty());
  REQUIRE(c.metadata.size() == 14);
  CHECK(c.metadata.front().first == "u8");
  const auto holds = [&](const char* name, const q::gguf_value& value) {
    const q::gguf_value* const found = c.find(name);
    return found != nullptr && *found == value;
  };
  CHECK(holds("u8", std::uint64_t{255}));
  CHECK(holds("i8", std::int64_t{-1}));
  CHECK(holds("u16", std::uint64_t{65535}));
  CHECK(holds("i16", std::int64_t{-2}));
  CHECK(holds("u32", std::uint64_t{7}));
  CHECK(holds("i32", std::int64_t{-3}));
  CHECK(holds("f32", 0.5));
  CHECK(holds("bool", true));
  CHECK(holds("text", std::string("a\nb")));
  CHECK(holds("u64", ~std::uint64_t{0}));
  CHECK(holds("i64", std::int64_t{-4}));
  CHECK(holds("f64", 0.1));
  CHECK(holds("texts", q::gguf_array(std::vector<std::string>{"x", ""})));
  CHECK(holds("flags", q::gguf_array(std::vector<bool>{false, true})));
  CHECK(c.find("no") == nullptr);
}

TEST_CASE("list_gguf: tensors of every type are listed, sizes with rows last", "[quantized][gguf]") {
  gguf_bytes b;
  b.begin(2, 1).string("general.alignment").u32(4).u32(64);
  b.tensor("a", {256, 3}, 12, 0).tensor("b", {2, 3, 5}, 30, 448).align(64);
  const std::size_t start = b.all.size();
  b.bytes(std::string(448 + 60, '\0'));
  const file f(b.all);
  const q::gguf_contents c = q::list_gguf(f.path);
  CHECK(c.alignment == 64);
  REQUIRE(c.tensors.size() == 2);
  CHECK(c.tensors[0].type == "q4_K");
  CHECK(c.tensors[0].sizes == tb::shape{3, 256});
  CHECK(c.tensors[0].bytes == 3 * 144);
  CHECK(c.tensors[0].offset == start);
  CHECK_FALSE(c.tensors[0].is_supported);
  CHECK(c.tensors[1].type == "bf16");
  CHECK(c.tensors[1].sizes == tb::shape{5, 3, 2});
  CHECK(c.tensors[1].offset == start + 448);
  CHECK(c.tensors[1].is_supported);

  CHECK(said_of(b.all, [](const std::string& path) { q::load_gguf(path); }) ==
        "found 'a' of type q4_K, which is not supported, wanted f32, f16, bf16, q8_0, q4_0 or q4_1; convert the file "
        "with the format's tools, or load other tensors by load_gguf_tensor()");
  CHECK(q::load_gguf_tensor(f.path, "b").dtype() == dtype::bfloat16);
  CHECK(said_of(b.all, [](const std::string& path) { q::load_gguf_tensor(path, "no"); }) ==
        "found no tensor 'no', wanted one of those that list_gguf() gives");
}

TEST_CASE("load_gguf: blocks lose nothing", "[quantized][gguf]") {
  const std::string all = reference_blocks(), four = all.substr(0, reference_count * 18),
                    eight = all.substr(reference_count * 18);
  std::string with_minima;
  for (std::size_t i = 0; i < reference_count; ++i) {
    const std::string b = four.substr(i * 18, 18);
    with_minima += b.substr(0, 2) + std::string("\x00\xB8", 2) + b.substr(2);  // float16 -0.5
  }
  gguf_bytes b;
  b.begin(3, 0).tensor("q4_0", {64, 32}, 2, 0).tensor("q4_1", {64, 32}, 3, 1152).tensor("q8_0", {64, 4, 8}, 8, 2432);
  b.align().bytes(four).bytes(with_minima).bytes(eight);
  const file f(b.all);
  for (const dtype type : {dtype::float32, dtype::bfloat16}) {
    const std::map<std::string, tensor> loaded = q::load_gguf(f.path, type);
    REQUIRE(loaded.size() == 3);
    for (const auto& [name, t] : loaded) {
      const std::string& blocks = name == "q4_0" ? four : name == "q4_1" ? with_minima : eight;
      CHECK(tb::is_quantized(t));
      CHECK(t.dtype() == type);
      CHECK(t.sizes() == (name == "q8_0" ? tb::shape{8, 4, 64} : tb::shape{32, 64}));
      CHECK(tb::q_scales(t).dtype() == dtype::float16);
      if (type != dtype::float32) continue;
      std::vector<float> wanted;
      for (std::size_t i = 0; i < reference_count * 32; ++i) {
        wanted.push_back(block_value(blocks, i, blocks.size() / reference_count, name == "q4_1", name == "q8_0"));
      }
      CHECK(elements(tb::dequantize(t)) == wanted);
    }
  }
  const tensor w = q::load_gguf_tensor(f.path, "q4_0"), x = tb::ones({3, 64});
  CHECK(tb::allclose(tb::linear(x, w), tb::linear(x, tb::dequantize(w))));
}

TEST_CASE("save_gguf: what is written is read back, and quantize_gguf gives the format's blocks", "[quantized][gguf]") {
  std::vector<std::pair<std::string, tensor>> tensors;
  tb::manual_seed(3);
  const tensor x = tb::randn({6, 64});
  for (const dtype type : {dtype::float32, dtype::float16, dtype::bfloat16, dtype::float64}) {
    tensors.emplace_back(std::string(tb::name_of(type)), tb::to(x, type));
  }
  tensors.emplace_back("int8", tb::to(tb::mul(x, 10), dtype::int8));
  tensors.emplace_back("scalar", tb::full({}, 2.5));
  tensors.emplace_back("empty", tb::zeros({0, 32}));
  tensors.emplace_back("transposed", tb::transpose(x, 0, 1));
  tensors.emplace_back("four", q::quantize_gguf(x, 4));
  tensors.emplace_back("eight", q::quantize_gguf(x, 8));
  const std::vector<std::pair<std::string, q::gguf_value>> metadata = {
      {"general.alignment", std::uint64_t{64}},
      {"i", std::int64_t{-1}},
      {"f", 0.5},
      {"b", true},
      {"s", std::string("text")},
      {"list", q::gguf_array(std::vector<std::int64_t>{1, -2})},
      {"flags", q::gguf_array(std::vector<bool>{true, false})}};
  const file f;
  q::save_gguf(f.path, tensors, metadata);
  const q::gguf_contents c = q::list_gguf(f.path);
  CHECK(c.metadata == metadata);
  CHECK(c.alignment == 64);
  const std::map<std::string, tensor> loaded = q::load_gguf(f.path);
  REQUIRE(loaded.size() == tensors.size());
  for (const auto& [name, t] : tensors) {
    const tensor& found = loaded.at(name);
    CHECK(found.dtype() == t.dtype());
    CHECK(found.sizes() == t.sizes());
    CHECK(tb::equal(tb::dequantize(found), tb::dequantize(t)));
  }
  // A file with the same contents has the same bytes.
  const std::string first = f.read();
  q::save_gguf(f.path, tensors, metadata);
  CHECK(f.read() == first);
  CHECK_FALSE(std::filesystem::exists(f.path + ".part"));
}

TEST_CASE("save_gguf and quantize_gguf: what they refuse", "[quantized][gguf]") {
  const auto save_error = [](const tensor& t) {
    const file f;
    return said_of("", [&](const std::string& path) {
      q::save_gguf(path, std::vector<std::pair<std::string, tensor>>{{"w", t}});
    });
  };
  CHECK(save_error({}) == "'w': found an undefined tensor, wanted one with elements");
  CHECK(save_error(tb::ones({1, 1, 1, 1, 2})) == "'w': found 5 dimensions, wanted at most 4");
  CHECK(save_error(tb::full({2}, true)) == "'w': found the dtype bool, which the format does not have");
  CHECK(save_error(q::quantize(tb::ones({2, 32}), q::int4)) ==
        "'w': found per_group group=32 bits=4, scales of float32, wanted groups of 32 that fill each row, with float16 "
        "scales, symmetric or of 4 bits; quantize_gguf(dequantize(x), bits) gives such a tensor");
  CHECK(text_of<tb::shape_error>([] { q::quantize_gguf(tb::ones({2, 33}), 4); }) ==
        "quantize_gguf: found [2, 33], wanted rows of a multiple of 32 elements");
  CHECK(text_of<tb::bad_argument>([] { q::quantize_gguf(tb::ones({2, 32}), 5); }) ==
        "quantize_gguf: found bits=5, wanted 8 (q8_0) or 4 (q4_0)");
  CHECK(text_of<tb::dtype_error>([] { q::quantize_gguf(tb::to(tb::ones({32}), dtype::int32), 4); }) ==
        "quantize_gguf: found int32, wanted a floating-point tensor");
}

TEST_CASE("list_gguf: errors name the byte, what was found and what was wanted", "[quantized][gguf]") {
  const auto b = [] { return gguf_bytes(); };
  constexpr std::uint64_t huge = ~std::uint64_t{0};
  CHECK(list_error(b().bytes("GG")) ==
        "at byte 0: found 2 bytes up to the end of the file, wanted 4 for the letters GGUF; the file is truncated or "
        "damaged");
  CHECK(list_error(b().bytes("GGML____")) ==
        "at byte 0: found 'GGML', wanted the letters GGUF; this is a file of another format");
  CHECK(list_error(b().begin(0, 0, 1)) ==
        "at byte 4: found version 1, wanted 2 or 3; convert the file with the format's tools");
  CHECK(list_error(b().begin(0, 0, 3U << 24)) ==
        "at byte 4: found version 50331648, wanted 2 or 3; the file is for machines of the other byte order, which is "
        "not supported");
  CHECK(list_error(b().begin(huge, 0)) ==
        "at byte 8: found 18446744073709551615 tensors, wanted at most 0, as many as "
        "the rest of the file can hold");
  CHECK(list_error(b().begin(0, 5).bytes(std::string(30, 'x'))) ==
        "at byte 16: found 5 named values, wanted at most 2, as many as the rest of the file can hold");
  CHECK(list_error(b().begin(0, 1).u64(huge).bytes(std::string(20, 'x'))) ==
        "at byte 24: found 18446744073709551615 bytes for the name of a value, wanted at most 20");
  CHECK(list_error(b().begin(0, 1).string("a").u32(13).u64(0)) == "at byte 33: found type 13 for 'a', wanted 0 to 12");
  CHECK(list_error(b().begin(0, 1).string("a").u32(8).u64(huge)) ==
        "at byte 37: found 18446744073709551615 bytes for a string, wanted at most 0");
  CHECK(list_error(b().begin(0, 1).string("a").u32(7).u32(2)) ==
        "at byte 37: found the truth value 2 for 'a', wanted 0 or 1");
  CHECK(list_error(b().begin(0, 1).string("a").u32(9).u32(9).u64(1)) ==
        "at byte 37: found an array of arrays for 'a', wanted an array of numbers, truth values or strings");
  CHECK(list_error(b().begin(0, 1).string("a").u32(9).u32(0).u64(huge).u32(0)) ==
        "at byte 41: found 18446744073709551615 elements of 'a', wanted at most 4, as many as the rest of the file can "
        "hold");
  CHECK(list_error(b().begin(0, 2).string("a").u32(4).u32(4).string("a").u32(4).u32(4)) ==
        "at byte 41: found the name of a value 'a' twice, wanted each one once");
  CHECK(list_error(b().begin(0, 1).string("general.alignment").u32(4).u32(48)) ==
        "at byte 53: found an alignment of 48 bytes, wanted a power of two, at most 65536");
  CHECK(list_error(b().begin(0, 1).string("general.alignment").u32(4).u32(0)) ==
        "at byte 53: found an alignment of 0 bytes, wanted a power of two, at most 65536");
  CHECK(list_error(b().begin(0, 1).string("general.alignment").u32(4).u32(1U << 30)) ==
        "at byte 53: found an alignment of 1073741824 bytes, wanted a power of two, at most 65536");
  CHECK(list_error(b().begin(0, 1).string("general.alignment").u32(10).u64(32)) ==
        "found a general.alignment of another type, wanted uint32");
  CHECK(list_error(b().begin(1, 0).tensor("t", {1, 1, 1, 1, 1}, 0, 0)) ==
        "at byte 33: found 5 dimensions for 't', wanted at most 4");
  CHECK(list_error(b().begin(1, 0).tensor("t", {1ULL << 32, 1ULL << 32}, 0, 0)) ==
        "at byte 45: found a size of 4294967296 for 't', wanted sizes whose product is at most 1152921504606846975");
  CHECK(list_error(b().begin(1, 0).tensor("t", {0, huge}, 0, 0)) ==
        "at byte 45: found a size of 18446744073709551615 for 't', wanted sizes whose product is at most "
        "1152921504606846975");
  CHECK(list_error(b().begin(1, 0).tensor("t", {1}, 4, 0)) ==
        "at byte 45: found type 4 for 't', wanted a type that is in use");
  CHECK(list_error(b().begin(1, 0).tensor("t", {33}, 2, 0)) ==
        "at byte 33: found rows of 33 elements for 't', wanted a multiple of 32, since its type is q4_0");
  CHECK(list_error(b().begin(1, 0).tensor("t", {1}, 0, 4).align().u64(0)) ==
        "at byte 49: found the offset 4 for 't', wanted a multiple of the alignment, 32");
  CHECK(list_error(b().begin(1, 0).tensor("t", {3}, 0, 0).align().u64(0)) ==
        "at byte 49: found 12 bytes at the offset 0 for 't', wanted them within the 8 bytes of elements; the file is "
        "truncated or damaged");
  CHECK(list_error(b().begin(1, 0).tensor("t", {1}, 0, huge - 31).align().u64(0)) ==
        "at byte 49: found 4 bytes at the offset 18446744073709551584 for 't', wanted them within the 8 bytes of "
        "elements; the file is truncated or damaged");
  CHECK(list_error(b().begin(2, 0).tensor("t", {1}, 0, 0).tensor("t", {1}, 0, 0).align().u64(0)) ==
        "at byte 57: found the name of a tensor 't' twice, wanted each one once");
  CHECK(
      list_error(b().begin(2, 0).tensor("s", {9}, 0, 0).tensor("t", {1}, 0, 32).align().bytes(std::string(64, 'x'))) ==
      "at byte 82: found elements of 't' among those of 's', wanted each byte in one tensor");
  CHECK(text_of<tb::error>([] {
          q::list_gguf("/no/such/file");
        }).starts_with("list_gguf: '/no/such/file': cannot be read: "));
  CHECK(text_of<tb::error>([] { q::list_gguf("/tmp"); }) == "list_gguf: '/tmp': found no regular file, wanted one");
}

TEST_CASE("load_gguf: every truncation and every damaged byte is an error or a file", "[quantized][gguf]") {
  const std::string whole = small_file();
  {
    const file f(whole);
    CHECK(elements(q::load_gguf(f.path).at("bias")) == std::vector<float>{1.5F, -2.0F});
  }
  const auto load = [](const std::string& bytes) {
    const file f(bytes);
    try {
      return q::load_gguf(f.path).empty() ? std::string("empty") : std::string("loaded");
    } catch (const tb::error&) {
      return std::string("refused");
    }
  };
  for (std::size_t n = 0; n < whole.size(); ++n) REQUIRE(load(whole.substr(0, n)) == "refused");
  std::mt19937 random(5);
  for (int i = 0; i < scaled(500); ++i) {
    std::string damaged = whole;
    for (unsigned k = random() % 3 + 1; k > 0; --k) damaged[random() % 180] = static_cast<char>(random());
    load(damaged);
  }
}

TEST_CASE("load_gguf: scales that are not finite are refused", "[quantized][gguf]") {
  std::string bytes = small_file();
  const file whole(bytes);
  const std::uint64_t at = q::list_gguf(whole.path).tensors[0].offset;
  bytes[at] = 0;
  bytes[at + 1] = 0x7c;
  CHECK(said_of(bytes, [](const std::string& path) { q::load_gguf(path); }).starts_with("'w': "));
}
