// Files of tensors: their bytes, what comes back, and what is wrong with files that are not of this format.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/scale.h"
#include "support/tensor_values.h"
#include "training/file.h"
import topbit;

namespace tb = topbit;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<tb::named_tensor>;

namespace {

// What load_tensors() says of these bytes, without the beginning that names the file.
std::string refused(const std::string& bytes) {
  const training::file at("bad.safetensors");
  at.write(bytes);
  const std::string begin = "load_tensors: '" + at.path + "': ";
  const std::string text = text_of<tb::error>([&] { (void)tb::load_tensors(at.path); });
  return text.starts_with(begin) ? text.substr(begin.size()) : text;
}
std::string with_header(const std::string& header, std::size_t elements = 0) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(elements, '\1');
}
// A file of one tensor "x" whose header says this of it, with four bytes of elements.
std::string one(const std::string& said) { return with_header("{\"x\":" + said + "}", 4); }

}  // namespace

TEST_CASE("safetensors: the bytes of a file are those of the format", "[training][safetensors]") {
  const training::file at("bytes.safetensors");
  tb::save_tensors(
      at.path, list{{"b", tensor_of({1, 2}, {2}, tb::dtype::int8)}, {"a.w", tensor_of({1}, {}, tb::dtype::float32)}});
  const std::string header =
      R"({"b":{"dtype":"I8","shape":[2],"data_offsets":[0,2]},"a.w":{"dtype":"F32","shape":[],"data_offsets":[2,6]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  CHECK(at.read() == with_header(padded) + std::string("\x01\x02\x00\x00\x80\x3f", 6));
}

TEST_CASE("safetensors: every dtype round-trips bitwise, for any sizes and strides", "[training][safetensors]") {
  const training::file at("all.safetensors");
  support::numbers source(5);
  list all;
  for (const tb::dtype type : tb::all_dtypes) {
    for (const auto how : support::arrangements) {
      all.push_back({"\u00fc \"" + std::string(tb::name_of(type)) + "\" " + support::name_of(how),
                     source.tensor({3, 2, 4}, type, how)});
    }
    all.push_back({std::string(tb::name_of(type)) + " empty", tensor_of({}, {2, 0}, type)});
    all.push_back({std::string(tb::name_of(type)) + " one", tensor_of({1}, {}, type)});
  }
  tb::save_tensors(at.path, all);
  const list found = tb::load_tensors(at.path);
  REQUIRE(found.size() == all.size());
  for (const auto& wanted : all) {
    INFO(wanted.name);
    const auto back = std::ranges::find(found, wanted.name, &tb::named_tensor::name);
    REQUIRE(back != found.end());
    CHECK(back->value.sizes() == wanted.value.sizes());
    CHECK(back->value.dtype() == wanted.value.dtype());
    CHECK(values(back->value) == values(wanted.value));
  }
  CHECK_FALSE(std::filesystem::exists(at.path + ".tmp"));
}

TEST_CASE("safetensors: NaN payloads and other bit patterns round-trip", "[training][safetensors]") {
  const training::file at("nan.safetensors");
  const std::uint32_t payload = 0x7fc12345;
  float nan = 0;
  std::memcpy(&nan, &payload, sizeof nan);
  const tensor x = tb::from_values<float>({nan, -0.0F, 1e-45F}, {3});
  tb::save_tensors(at.path, list{{"x", x}});
  CHECK(support::bytes(tb::load_tensors(at.path)[0].value) == support::bytes(x));
}

TEST_CASE("safetensors: files of other programs can be read", "[training][safetensors]") {
  const training::file at("other.safetensors");
  // Metadata, members in any order, elements in another order than names.
  at.write(with_header(R"({"__metadata__":{"format":"pt"},"late":{"shape":[2],"data_offsets":[1,3],"dtype":"U8"},)"
                       R"("early":{"data_offsets":[0,1],"dtype":"BOOL","shape":[1,1]}}   )",
                       3));
  const list found = tb::load_tensors(at.path);
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "early");
  CHECK(found[0].value.sizes() == tb::shape{1, 1});
  CHECK(values(found[1].value) == std::vector<double>{1, 1});
  CHECK(tb::load_metadata(at.path) == tb::tensor_metadata{{"format", "pt"}});
  at.write(with_header("{}"));
  CHECK(tb::load_tensors(at.path).empty());
  CHECK(tb::load_metadata(at.path).empty());
}

TEST_CASE("safetensors: metadata round-trip beside the tensors", "[training][safetensors]") {
  const training::file at("metadata.safetensors");
  const tb::tensor_metadata metadata{{"a \"name\"", "two\nlines"}, {"empty", ""}, {"\u00fc", "\u00e4"}};
  tb::save_tensors(at.path, list{{"x", tensor_of({1, 2}, {2})}}, metadata);
  CHECK(tb::load_metadata(at.path) == metadata);
  CHECK(values(tb::load_tensors(at.path)[0].value) == std::vector<double>{1, 2});
  CHECK(text_of<tb::error>([&] {
          tb::save_tensors(at.path, list{}, {{"x", "\xff"}});
        }).ends_with("found metadata that are not UTF-8, wanted UTF-8"));
  CHECK(tb::load_metadata(at.path) == metadata);
}

TEST_CASE("safetensors: files of another format are refused with a reason", "[training][safetensors]") {
  CHECK(refused("abc") == "found 3 bytes, wanted at least 8, the length of the header");
  CHECK(refused(std::string("\x10\0\0\0\0\0\0\0{}", 10)) ==
        "found a header of 16 bytes in a file of 10; it is truncated, or not a safetensors file");
  CHECK(refused(std::string(16, '\x7f')) ==
        "found a header of 9187201950435737471 bytes in a file of 16; it is truncated, or not a safetensors file");
  CHECK(refused(with_header("{\"x\":")) == "the header is not JSON, at its byte 6 of 5");
  CHECK(refused(with_header("{\"x\" 1}")) == "the header is not JSON, at its byte 6 of 7");
  const std::string deep =
      "found a header nested more than 127 deep, wanted a name, dtype, shape and data_offsets for each "
      "tensor";
  CHECK(refused(with_header("{\"x\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}")) == deep);
  CHECK(refused(with_header("{\"x\":\"" + std::string(5'000, 'y') + "\"}")).size() < 400);
  CHECK(refused(with_header("[]")) == "found a header that does not begin with '{'");
  CHECK(refused(with_header("")) == "found a header that does not begin with '{'");
  const std::string x = R"("x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  CHECK(refused(with_header("{" + x + "," + x + "}", 1)) == "found 'x' twice in the header");
}

TEST_CASE("safetensors: invalid tensor descriptions are refused with a reason", "[training][safetensors]") {
  CHECK(refused(one("3")) == "'x': found 3, wanted the members dtype, shape and data_offsets");
  CHECK(refused(one(R"([["F32"],{"a":[{}],"b":null},-1,true])")) ==
        R"('x': found [["F32"],{"a":[{}],"b":null},-1,true], wanted the members dtype, shape and data_offsets)");
  CHECK(refused(one(R"({"dtype":"F32","shape":[1]})")) ==
        "'x': found no data_offsets, wanted the members dtype, shape and data_offsets");
  CHECK(refused(one(R"({"shape":[1],"data_offsets":[0,4],"dtype":"F32","shape":[1]})")) == "'x': found 'shape' twice");
  CHECK(refused(one(R"({"dtype":["F32"],"shape":[1],"data_offsets":[0,4]})")) ==
        "'x': found the dtype [\"F32\"], wanted one of BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64");
  CHECK(refused(one(R"({"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]})")) ==
        "'x': found the dtype \"F8_E4M3\", wanted one of BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64");
  CHECK(refused(one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})")) ==
        "'x': found the shape [-1], wanted a list of at most 8 sizes from 0 up");
  CHECK(refused(one(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]})")) ==
        "'x': found the shape [1,1,1,1,1,1,1,1,1], wanted a list of at most 8 sizes from 0 up");
  CHECK(refused(one(R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})")) ==
        "'x': found the shape [1.0], wanted a list of at most 8 sizes from 0 up");
  CHECK(refused(one(R"({"dtype":"F32","shape":[[1]],"data_offsets":[0,4]})")) ==
        "'x': found the shape [[1]], wanted a list of at most 8 sizes from 0 up");
  CHECK(refused(one(R"({"dtype":"F32","shape":{"a":1},"data_offsets":[0,4]})")) ==
        "'x': found the shape {\"a\":1}, wanted a list of at most 8 sizes from 0 up");
  CHECK(refused(one(R"({"dtype":"F32","shape":[1,"1"],"data_offsets":[0,4]})")) ==
        "'x': found the shape [1,\"1\"], wanted a list of at most 8 sizes from 0 up");
  CHECK(refused(one(R"({"dtype":"F32","shape":[9223372036854775808,0],"data_offsets":[0,0]})")) ==
        "'x': found the shape [9223372036854775808,0], wanted a list of at most 8 sizes from 0 up");
  CHECK(refused(one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})")) ==
        "'x': found the data_offsets [4,0], wanted where its elements begin and end");
  CHECK(refused(one(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})")) ==
        "'x': found the data_offsets [0], wanted where its elements begin and end");
  CHECK(refused(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})")) ==
        "'x': its elements end at 8, but the file has 4 bytes of them; it is truncated");
  CHECK(refused(one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})")) ==
        "'x': found 4 bytes of elements for float32 [2], which do not match");
  // Their product is 2^64 + 4.
  CHECK(refused(one(R"({"dtype":"U8","shape":[2147418113,2147549185,4],"data_offsets":[0,4]})")) ==
        "'x': found 4 bytes of elements for uint8 [2147418113, 2147549185, 4], which do not match");
  // There is no element, but no tensor has such strides either.
  CHECK(refused(with_header(R"({"x":{"dtype":"U8","shape":[4611686018427387904,0,4],"data_offsets":[0,0]}})")) ==
        "'x': found 0 bytes of elements for uint8 [4611686018427387904, 0, 4], which do not match");
  CHECK(refused(with_header(R"({"x":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})") + "\x02") ==
        "'x': found a bool that is neither 0 nor 1");
}

TEST_CASE("safetensors: overlapping or unassigned elements are refused", "[training][safetensors]") {
  const auto two = [](const std::string& a, const std::string& b, std::size_t bytes) {
    return refused(with_header(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":)" + a +
                                   R"(},"b":{"dtype":"U8","shape":[2],"data_offsets":)" + b + "}}",
                               bytes));
  };
  CHECK(two("[0,2]", "[1,3]", 3) == "'b': its elements begin at 1, wanted them at 2, behind those of 'a'");
  CHECK(two("[0,2]", "[0,2]", 2) == "'b': its elements begin at 0, wanted them at 2, behind those of 'a'");
  CHECK(two("[3,5]", "[0,2]", 5) == "'a': its elements begin at 3, wanted them at 2, behind those of 'b'");
  CHECK(two("[1,3]", "[3,5]", 5) == "'a': its elements begin at 1, wanted them at 0, behind the header");
  CHECK(two("[0,2]", "[2,4]", 5) == "found 5 bytes of elements, but the tensors have 4");
}

TEST_CASE("safetensors: every truncated file is refused", "[training][safetensors]") {
  const training::file at("whole.safetensors"), part("part.safetensors");
  tb::save_tensors(at.path, list{{"x", tensor_of({1, 2}, {2})}, {"y", tensor_of({3}, {1}, tb::dtype::float32)}});
  const std::string whole = at.read();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    INFO(n << " bytes of " << whole.size());
    CHECK(refused(whole.substr(0, n)) != "nothing was thrown");
  }
}

TEST_CASE("safetensors: tensors that cannot be written are refused, and an existing file stays",
          "[training][safetensors]") {
  const training::file at("kept.safetensors");
  at.write("kept");
  const tensor x = tensor_of({1}, {1});
  const std::string begin = "save_tensors: '" + at.path + "': ";
  const auto saving = [&](const list& all) { return text_of<tb::error>([&] { tb::save_tensors(at.path, all); }); };
  CHECK(saving({{"x", x}, {"x", x}}) == begin + "found 'x' twice, wanted a name for each tensor");
  CHECK(saving({{"x", {}}}) == begin + "found an undefined tensor, 'x', wanted one with elements");
  CHECK(saving({{"__metadata__", x}}) == begin + "found the name '__metadata__', which the format reserves");
  CHECK(saving({{"\xff", x}}) == begin + "found a name that is not UTF-8, wanted UTF-8");
  CHECK(at.read() == "kept");
  CHECK(text_of<tb::error>([&] { tb::save_tensors(at.path + "/no/x", list{{"x", x}}); }) ==
        "save_tensors: '" + at.path + "/no/x': its folder cannot be opened: Not a directory");
  CHECK(text_of<tb::error>([&] {
          (void)tb::load_tensors(at.path + ".none");
        }).starts_with("load_tensors: '" + at.path + ".none': cannot be read"));
}

TEST_CASE("safetensors: only regular files are opened", "[training][safetensors]") {
  const training::file pipe("pipe");
  REQUIRE(mkfifo(pipe.path.c_str(), 0600) == 0);
  const auto loading = [](const std::string& path) {
    return text_of<tb::error>([&] { (void)tb::load_tensors(path); });
  };
  CHECK(loading(pipe.path) == "load_tensors: '" + pipe.path + "': found no regular file, wanted one");
  const std::string folder = std::filesystem::temp_directory_path().string();
  CHECK(loading(folder) == "load_tensors: '" + folder + "': found no regular file, wanted one");
}

TEST_CASE("safetensors: files that the format's own reader refuses are refused", "[training][safetensors]") {
  const std::string blank = "found a header that does not begin with '{'",
                    metadata = "found a '__metadata__' that is not an object of strings";
  // The description of the format wants no blanks before the header; its reader takes them.
  CHECK(refused(with_header(" {}")) == blank);
  CHECK(refused(with_header("\xef\xbb\xbf{}")) == blank);
  CHECK(refused(with_header(std::string("{}\0", 3))) == "the header is not JSON, at its byte 3 of 3");
  CHECK(refused(with_header(std::string("{}\0 text", 8))) == "the header is not JSON, at its byte 3 of 8");
  CHECK(refused(with_header("{} x")) == "the header is not JSON, at its byte 4 of 4");
  CHECK(refused(with_header("{'x':1}")) == "the header is not JSON, at its byte 2 of 7");
  CHECK(refused(with_header("{\"x\xff\":1}")) == "the header is not JSON, at its byte 4 of 8");
  CHECK(refused(with_header(R"({"\ud800":1})")) == "the header is not JSON, at its byte 9 of 12");
  CHECK(refused(with_header(R"({"a":1e999})")) ==
        "the header has a number outside the range of float64, at its byte 10 of 11");
  CHECK(refused(with_header(R"({"a":[-1e999]})")) ==
        "the header has a number outside the range of float64, at its byte 12 of 14");
  for (const std::string said :
       {"1", "true", "\"x\"", "[]", R"({"a":1})", R"({"a":null})", R"({"a":{}})", R"({"a":[]})"}) {
    INFO(said);
    CHECK(refused(with_header("{\"__metadata__\":" + said + "}")) == metadata);
  }
  CHECK(refused(with_header(R"({"__metadata__":{},"__metadata__":{}})")) == "found '__metadata__' twice in the header");
}

TEST_CASE("safetensors: files that the format's own reader accepts are accepted", "[training][safetensors]") {
  const training::file at("taken.safetensors");
  const auto taken = [&](const std::string& header) {
    at.write(with_header(header, 1));
    return tb::load_tensors(at.path).at(0).name;
  };
  const auto described = [](const std::string& more) {
    return R"("x":{"dtype":"U8","shape":[1],"data_offsets":[0,1])" + more + "}";
  };
  CHECK(taken("{" + described("") + "} \n\r\t") == "x");
  CHECK(taken(R"({"__metadata__":null,)" + described("") + "}") == "x");
  CHECK(taken("{" + described("") + R"(,"__metadata__":{"a":"\ud83d\ude00","a":"","b":"x"}})") == "x");
  CHECK(taken("{" + described(R"(,"more":1.5e300,"more":[{"shape":[2],"dtype":"F64"},null,true,-1,"x"])") + "}") ==
        "x");
  CHECK(taken("{" + described(",\"deep\":" + std::string(125, '[') + std::string(125, ']')) + "}") == "x");
  CHECK(taken(R"({"\u00e9\n\ud83d\ude00\u0000":{"data_offsets":[0,1],"shape":[1,1],"dtype":"U8"}})") ==
        std::string("\u00e9\n\U0001F600\0", 8));
  // Tensors without elements stand anywhere.
  CHECK(taken(R"({"z":{"dtype":"F64","shape":[0,3],"data_offsets":[1,1]},)" + described("") +
              R"(,"y":{"dtype":"F64","shape":[3,0],"data_offsets":[0,0]}})") == "y");
}

TEST_CASE("safetensors: no name reaches a message as a control character", "[training][safetensors]") {
  // The last is one character of UTF-8, which a terminal may obey.
  const std::string name = "\x1b[2J\n\r\x7f\xc2\x9b", shown = R"(\x1b[2J\n\x0d\x7f\xc2\x9b)",
                    in_header = "\"\\u001b[2J\\n\\r\x7f\xc2\x9b\"";
  const auto of_header = [&](const std::string& said) {
    return refused(with_header("{" + in_header + ":" + said + "}", 4));
  };
  const std::string u8 = R"({"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  CHECK(of_header("3").starts_with("'" + shown + "': found 3, wanted"));
  CHECK(of_header(u8 + "," + in_header + ":" + u8) == "found '" + shown + "' twice in the header");
  CHECK(of_header(u8 + ",\"y\":" + u8).find(shown) != std::string::npos);
  CHECK(of_header("{\"dtype\":" + in_header + "}").starts_with("'" + shown + "': found the dtype \"" + shown + "\""));
  CHECK(of_header("{\"shape\":[{" + in_header + ":0}]}")
            .starts_with("'" + shown + "': found the shape [{\"" + shown + "\":0}]"));

  const tensor x = tensor_of({1}, {1});
  const training::file at("\x1b[2J.safetensors");
  const std::string path = at.path.substr(0, at.path.size() - 16) + R"(\x1b[2J.safetensors)";
  CHECK(text_of<tb::error>([&] { tb::save_tensors(at.path, list{{name, x}, {name, x}}); }) ==
        "save_tensors: '" + path + "': found '" + shown + "' twice, wanted a name for each tensor");
  CHECK(text_of<tb::error>([&] { tb::save_tensors(at.path, list{{name, {}}}); }) ==
        "save_tensors: '" + path + "': found an undefined tensor, '" + shown + "', wanted one with elements");
  tb::save_tensors(at.path, list{{name, x}});
  CHECK(tb::load_tensors(at.path).at(0).name == name);
  tb::sgd optimizer({tb::require_grad(tb::aten::clone(x))});
  CHECK(text_of<tb::error>([&] { optimizer.load_state(list{{name, x}, {name, x}}); }) ==
        "sgd: found '" + shown + "' twice");
  auto state = optimizer.state();
  state.push_back({name, x});
  CHECK(text_of<tb::error>([&] { optimizer.load_state(state); }) ==
        "sgd: found '" + shown + "', which is not expected here");
}

// No time is measured: where each name is compared with all others, this takes many minutes.
TEST_CASE("safetensors: parsing time is not quadratic in the number of names", "[training][safetensors]") {
  const training::file at("many.safetensors");
  const std::size_t count = static_cast<std::size_t>(scaled(200'000, 40'000));
  const tensor x = tensor_of({1}, {1}, tb::dtype::uint8);
  list all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({"blocks." + std::to_string(i), x});
  tb::save_tensors(at.path, all);
  const list found = tb::load_tensors(at.path);
  REQUIRE(found.size() == count);
  CHECK(found.back().name == all.back().name);
}

TEST_CASE("safetensors: a header that is refused takes memory in proportion to its length", "[training][safetensors]") {
  constexpr std::size_t length = 1'000'000;
  const auto repeated = [](const std::string& begin, const auto& piece, const std::string& end) {
    std::string text = begin;
    for (std::size_t i = 0; text.size() < length; ++i) text += piece(i);
    return text + end;
  };
  const auto always = [](const std::string& piece) { return [piece](std::size_t) { return piece; }; };
  const std::string headers[] = {repeated(
                                     "{",
                                     [](std::size_t i) {
                                       return "\"" + std::to_string(i) +
                                              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
                                     },
                                     "\"x\":1}"),
                                 repeated("{\"x", always("x"), "\":1}"),
                                 repeated("{\"x", always("\\u0001"), "\":1}"),
                                 repeated("{\"x\":[", always("1,"), "1]}"),
                                 repeated(R"({"x":{"shape":[)", always("1,"), "1]}}"),
                                 repeated("{\"x\":", always("["), ""),
                                 repeated("{\"x\":{", always("\"y\":{},"), "\"y\":{}}}"),
                                 repeated("{\"x\":1", always("1"), "}")};
  if (toy::allocations() == 0) SKIP("a sanitizer keeps operator new to itself");
  for (const std::string& header : headers) {
    INFO(header.substr(0, 40));
    const training::file at("hostile.safetensors");
    at.write(with_header(header));
    std::string text;
    toy::begin_peak();
    const std::ptrdiff_t before = toy::live_bytes();
    text = text_of<tb::error>([&] { (void)tb::load_tensors(at.path); });
    const auto taken = static_cast<std::size_t>(toy::peak_bytes() - before);
    CHECK(text.starts_with("load_tensors: "));
    CHECK(text.size() < 5000);
    CHECK(taken < 12 * header.size());
  }
}

TEST_CASE("safetensors: invalid names are refused", "[training][safetensors]") {
  const training::file at("long.safetensors");
  CHECK(text_of<tb::error>([&] {
          tb::save_tensors(at.path, list{{std::string(100'000'000, 'n'), tensor_of({1}, {1})}});
        }) == "save_tensors: '" + at.path +
                  "': found names and metadata that need a header of 100000056 bytes, wanted at most 100000000, the "
                  "format's own limit; "
                  "save to several files");
  CHECK_FALSE(std::filesystem::exists(at.path));
}
