// Quantized tensors as tensors: parts, rows, copies, conversions, writes, files, and operators that have no kernel.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "quantized_values.h"
#include "support/raises.h"
#include "support/tensor_print.h"

namespace tb = topbit;
namespace q = topbit::quantized;
using namespace quantized_test;
using tb::arg, tb::dtype, tb::layout, tb::tensor;
using toy::text_of;

namespace {

tensor sample(const tb::shape& sizes = {6, 70}, dtype type = dtype::float32) {
  support::numbers random(8);
  return random.tensor(sizes, type);
}

// The parts of both are equal, bit for bit.
bool equal_parts(const tensor& a, const tensor& b) {
  const q::payload &p = a.payload<q::payload>(), &r = b.payload<q::payload>();
  const auto equal = [](const tensor& x, const tensor& y) {
    if (!x.defined() || !y.defined()) return x.defined() == y.defined();
    return x.dtype() == y.dtype() && x.sizes() == y.sizes() && support::bytes(x) == support::bytes(y);
  };
  return a.sizes() == b.sizes() && a.dtype() == b.dtype() && p.how == r.how && p.transposed == r.transposed &&
         equal(p.codes, r.codes) && equal(p.scales, r.scales) && equal(p.offsets, r.offsets);
}

}  // namespace

TEST_CASE("quantized: what a tensor consists of can be asked for", "[quantized][layout]") {
  const tensor w = q::quantize(sample(), q::int8);
  CHECK(tb::is_quantized(w));
  CHECK(!tb::is_quantized(sample()));
  CHECK(w.layout() == layout::quantized);
  CHECK(w.keys().has(tb::functionality::Quantized));
  CHECK(tb::q_scales(w).sizes() == tb::shape{6});
  CHECK(values(tb::q_zero_points(w)) == std::vector<double>(6, 0));
  CHECK(tb::q_axis(w) == 0);
  CHECK(tb::q_axis(tb::t(w)) == 1);
  CHECK(tb::q_group(q::quantize(sample(), q::int4)) == 32);
  CHECK(q::bytes_of(w) == 6 * 70 + 6 * 4);
  CHECK(q::bytes_of(q::quantize(sample(), q::int4)) == 6 * 35 + 6 * 3 * 4);
  CHECK(tb::int_repr(w).dtype() == dtype::int8);
  CHECK(values(tb::int_repr(tb::t(w))) == values(tb::t(tb::int_repr(w))));
  CHECK(text_of<tb::bad_argument>([&] { tb::q_group(w); }) ==
        "q_group: found per_channel axis=0 bits=8, wanted per_group");
  CHECK(text_of<tb::bad_argument>([&] { tb::q_axis(q::quantize(sample(), q::int4)); }) ==
        "q_axis: found per_group group=32 bits=4, wanted per_channel");
  CHECK(text_of<tb::layout_error>([&] { tb::q_scales(sample()); }).find("found layout strided") != std::string::npos);
  CHECK(tb::dequantize(sample()).layout() == layout::strided);
  const tensor x = sample();
  CHECK(tb::dequantize(x).same_as(x));
}

TEST_CASE("quantized: text shows codes, scales and the scheme", "[quantized][layout]") {
  const tensor w = q::quantize(tensor({{1.0, 2.0}, {-3.0, 4.0}}), {.scales = q::granularity::per_tensor});
  CHECK(to_string(w, {.one_line = true}) ==
        "codes [[32, 64], [-96, 127]]; scales 0.03137255; per_tensor bits=8; (float32 [2, 2] quantized)");
}

TEST_CASE("quantized: rows are views, other slices copies or errors", "[quantized][layout]") {
  for (const q::scheme& s : schemes()) {
    for (const bool symmetric : {true, false}) {
      INFO(to_string(s) << " symmetric " << symmetric);
      const tensor w = q::quantize(sample(), s, symmetric), d = tb::dequantize(w);
      CHECK(values(tb::dequantize(tb::slice(w, 0, 1, 5))) == values(tb::slice(d, 0, 1, 5)));
      CHECK(values(tb::dequantize(tb::narrow(w, 0, -2, 2))) == values(tb::narrow(d, 0, -2, 2)));
      CHECK(values(tb::dequantize(w[3])) == values(d[3]));
      CHECK(values(tb::dequantize(tb::select(w, 0, -1))) == values(tb::select(d, 0, -1)));
      CHECK(values(tb::dequantize(tb::slice(tb::t(w), 1, 2, 4))) == values(tb::slice(tb::t(d), 1, 2, 4)));
      CHECK(values(tb::dequantize(tb::select(tb::t(w), 1, 2))) == values(tb::select(tb::t(d), 1, 2)));
      const tensor rows({4, 0, 4});
      CHECK(values(tb::dequantize(tb::index_select(w, 0, rows))) == values(tb::index_select(d, 0, rows)));
      CHECK(values(tb::dequantize(tb::cat({w, tb::slice(w, 0, 0, 2)}))) == values(tb::cat({d, tb::slice(d, 0, 0, 2)})));
      CHECK(values(tb::dequantize(tb::cat({tb::t(w), tb::t(w)}, 1))) == values(tb::cat({tb::t(d), tb::t(d)}, 1)));
      const tensor first = tb::slice(w, 0, 0, 1);
      CHECK(first.payload<q::payload>().codes.data() == w.payload<q::payload>().codes.data());
      const std::vector<tensor> parts = tb::split(w, 4);
      CHECK(parts.size() == 2);
      CHECK(values(tb::dequantize(parts[1])) == values(tb::slice(d, 0, 4, 6)));
    }
  }
  const tensor w = q::quantize(sample(), q::int8), d = tb::dequantize(w);
  const tensor columns({69, 3});
  CHECK(values(tb::dequantize(tb::index_select(w, 1, columns))) == values(tb::index_select(d, 1, columns)));
  const tensor by_column = q::quantize(sample(), {.scales = q::granularity::per_channel, .axis = 1});
  CHECK(values(tb::dequantize(tb::index_select(by_column, 1, columns))) ==
        values(tb::index_select(tb::dequantize(by_column), 1, columns)));
  const tensor deep = q::quantize(sample({3, 4, 8}), {.scales = q::granularity::per_channel, .axis = 1});
  CHECK(tb::q_axis(deep[1]) == 0);
  CHECK(values(tb::dequantize(deep[1])) == values(tb::dequantize(deep)[1]));
  CHECK(values(tb::dequantize(tb::slice(deep, 0, 1, 3))) == values(tb::slice(tb::dequantize(deep), 0, 1, 3)));
  CHECK(
      text_of<tb::layout_error>([&] { tb::slice(w, 1, 0, 3); }) ==
      "aten::slice.Tensor: found a slice of a quantized tensor that is not consecutive in memory, of which there is no "
      "view; index_select(x, dim, indices) copies");
  CHECK(text_of<tb::layout_error>([&] { tb::slice(w, 0, 0, 5, 2); }).find("index_select") != std::string::npos);
  CHECK(
      text_of<tb::layout_error>([&] { tb::index_select(q::quantize(sample(), q::int4), 1, columns); }) ==
      "aten::index_select: found dimension 1 of a quantized tensor (per_group group=32 bits=4), wanted one whose codes "
      "have bytes and scales of their own; any part of dequantize(x) can be selected");
  CHECK(text_of<tb::shape_error>([&] { tb::select(w, 0, 6); }).starts_with("aten::select.int: "));
  CHECK(text_of<tb::layout_error>([&] { tb::cat({w, d}); }) ==
        "aten::cat: found quantized and strided tensors, wanted one layout; dequantize(x) gives float32");
  CHECK(text_of<tb::layout_error>([&] { tb::cat({w, q::quantize(sample(), q::int4)}); }).find("different schemes") !=
        std::string::npos);
  CHECK(text_of<tb::layout_error>([&] {
          tb::cat({tb::quantize_per_tensor(d, 0.5, 0), tb::quantize_per_tensor(d, 0.25, 0)});
        }).find("different schemes or scales") != std::string::npos);
}

TEST_CASE("quantized: the transpose is a mark", "[quantized][layout]") {
  const tensor w = q::quantize(sample(), q::int4), d = tb::dequantize(w), turned = tb::t(w);
  CHECK(turned.sizes() == tb::shape{70, 6});
  CHECK(turned.payload<q::payload>().codes.same_as(w.payload<q::payload>().codes));
  CHECK(values(tb::dequantize(turned)) == values(tb::t(d)));
  CHECK(values(tb::dequantize(tb::transpose(turned, 0, -1))) == values(d));
  CHECK(values(tb::dequantize(tb::permute(w, {1, 0}))) == values(tb::t(d)));
  CHECK(values(tb::dequantize(tb::permute(w, {0, 1}))) == values(d));
  CHECK(text_of<tb::layout_error>([&] { tb::transpose(q::quantize(sample({2, 3, 4}), q::int8), 0, 1); }) ==
        "aten::transpose.int: found another order of the dimensions of a quantized tensor [2, 3, 4], wanted the "
        "transpose "
        "of a matrix; dequantize(x) gives float32");
}

TEST_CASE("quantized: copies, aliases and conversions keep the codes", "[quantized][layout]") {
  for (const q::scheme& s : schemes()) {
    for (const bool symmetric : {true, false}) {
      const tensor w = tb::t(q::quantize(sample(), s, symmetric));
      CHECK(equal_parts(tb::clone(w), w));
      CHECK(tb::clone(w).payload<q::payload>().codes.data() != w.payload<q::payload>().codes.data());
      CHECK(equal_parts(tb::detach(w), w));
      CHECK(tb::detach(w).payload<q::payload>().codes.same_as(w.payload<q::payload>().codes));
      for (const tb::device where : devices()) {
        const tensor there = tb::to(w, where);
        CHECK(there.device() == where);
        CHECK(equal_parts(tb::to(there, tb::cpu), w));
        CHECK(values(tb::dequantize(there)) == values(tb::dequantize(w)));
      }
      for (const dtype type : dtypes()) {
        const tensor converted = tb::to(w, type);
        CHECK(converted.dtype() == type);
        CHECK(values(tb::int_repr(converted)) == values(tb::int_repr(w)));
        CHECK(tb::dequantize(converted).dtype() == type);
      }
      CHECK(values(tb::to_dense(w, arg<"dtype"> = dtype::float64)) ==
            values(tb::to(tb::dequantize(w), dtype::float64)));
    }
  }
  const tensor w = q::quantize(sample(), q::int8);
  CHECK(
      text_of<tb::dtype_error>([&] { tb::to(w, dtype::int32); }) ==
      "aten::_to_copy: found int32 for the values of a quantized tensor, wanted a floating-point type; int_repr(x) has "
      "the codes, dequantize(x) the values");
  CHECK(support::difference(values(tb::dequantize(q::requantize(w, q::int8))), values(tb::dequantize(w)), 0.03) == "");
  CHECK(tb::q_scheme(q::requantize(w, q::int4)) == q::int4);
}

TEST_CASE("quantized: writes round to the codes of the scales that are there", "[quantized][layout]") {
  for (const tb::device where : devices()) {
    for (const q::scheme& s : schemes()) {
      for (const bool symmetric : {true, false}) {
        INFO(to_string(s) << " symmetric " << symmetric << " on " << to_string(where));
        const tensor x = sample();
        tensor w = tb::to(q::quantize(x, s, symmetric), where);
        const std::vector<double> before = values(tb::dequantize(w));
        const std::uint32_t version = w.version();
        tb::zero_(w);
        CHECK(w.version() == version + 1);
        CHECK(values(tb::dequantize(w)) == std::vector<double>(before.size(), 0));
        tensor same = tb::to(q::quantize(x, s, symmetric), where);
        tb::copy_(same, tb::to(x, where));
        CHECK(values(tb::dequantize(same)) == before);
        tb::copy_(w, same);
        CHECK(equal_parts(tb::to(w, tb::cpu), tb::to(same, tb::cpu)));
        tensor turned = tb::t(same);
        tb::copy_(turned, tb::t(tb::to(x, where)));
        CHECK(values(tb::dequantize(same)) == before);
        tensor dense = tb::zeros({6, 70}, arg<"device"> = where);
        tb::copy_(dense, same);
        CHECK(values(dense) == before);
      }
    }
  }
  // A row is a view: what is written to it is written to the tensor.
  tensor w = q::quantize(sample(), q::int8);
  tensor row = w[2];
  tb::zero_(row);
  CHECK(values(tb::dequantize(w)[2]) == std::vector<double>(70, 0));
  CHECK(values(tb::dequantize(w)[3]) != std::vector<double>(70, 0));
  tb::copy_(w, tensor(0.25));
  CHECK(std::abs(values(tb::dequantize(w))[0] - 0.25) < 0.02);
  CHECK(text_of<tb::shape_error>([&] { tb::copy_(w, tb::ones({5})); }).starts_with("aten::copy_: "));
}

TEST_CASE("quantized: parts of files are checked", "[quantized][layout]") {
  const tensor w = q::quantize(sample({4, 6}), {.scales = q::granularity::per_group, .bits = 4, .group = 4}, false);
  const q::payload& p = w.payload<q::payload>();
  const auto from = [&](const tensor& codes, const tensor& scales, const tensor& offsets, q::scheme s,
                        const tb::shape& sizes = {4, 6}, dtype type = dtype::float32) {
    return text_of<tb::error>([&] { q::from_parts(s, sizes, type, codes, scales, offsets); });
  };
  CHECK(equal_parts(q::from_parts(p.how, {4, 6}, dtype::float32, p.codes, p.scales, p.offsets), w));
  const std::string op = "quantized::from_parts: ";
  CHECK(from(p.codes, p.scales, p.offsets, {.bits = 5}) == op + "found bits 5, wanted 8 or 4");
  CHECK(from(p.codes, p.scales, p.offsets, p.how, {4, 8}) == op + "found codes [4, 3], wanted [4, 4]");
  CHECK(from(tensor(), p.scales, {}, p.how) == op + "found no codes, wanted a tensor");
  CHECK(from(p.codes, tensor(), {}, p.how) == op + "found no scales, wanted a tensor");
  CHECK(from(tb::to(p.codes, dtype::int8), p.scales, {}, p.how) == op + "found codes of int8, wanted uint8");
  CHECK(from(p.codes, tb::ones({4, 3}), {}, p.how) == op + "found scales [4, 3], wanted [4, 2]");
  CHECK(from(p.codes, tb::to(p.scales, dtype::int32), {}, p.how) ==
        op + "found scales of int32, wanted a floating-point type");
  CHECK(from(p.codes, p.scales * std::numeric_limits<double>::infinity(), {}, p.how) ==
        op + "found NaN or infinity among the scales, wanted finite numbers");
  CHECK(from(p.codes, p.scales, tb::to(p.scales * 0 + 16, dtype::int32), p.how) ==
        op + "found a zero point out of range, wanted 0 to 15");
  CHECK(from(p.codes, p.scales, tb::to(p.scales, dtype::int64), p.how) ==
        op + "found offsets of int64, wanted int32 zero points or floating-point numbers");
  CHECK(from(p.codes, tb::to(p.scales, tb::meta), {}, p.how) ==
        op + "found scales on meta and codes on cpu, wanted one device");
  CHECK(from(p.codes, p.scales, {}, p.how, {4, 6}, dtype::int8) ==
        op + "found values of int8, wanted a floating-point type");
  CHECK(from(p.codes, p.scales, {}, p.how, {-4, 6}) == op + "found sizes [-4, 6], wanted none below 0");
  CHECK(
      from(p.codes, p.scales, {}, {.scales = q::granularity::per_channel, .axis = 2}).starts_with(op + "found axis 2"));
  CHECK(from(w, p.scales, {}, p.how).find("layout quantized") != std::string::npos);
  // Scales of 0 and below are those of some files.
  const tensor odd = q::from_parts({}, {2}, dtype::float32, tb::to(tensor({1, 2}), dtype::int8), tensor(-0.5), {});
  CHECK(values(tb::dequantize(odd)) == std::vector<double>{-0.5, -1});
  for (const tb::device where : devices()) {
    tensor zero = tb::to(q::from_parts({}, {3}, dtype::float32, tb::to(tensor({5, 5, 5}), dtype::int8), tensor(0.0),
                                       tb::to(tensor(2), dtype::int32)),
                         where);
    tb::copy_(zero, tb::to(tensor({1.0, 0.0, -3.0}), where));
    CHECK(values(tb::int_repr(zero)) == std::vector<double>{2, 2, 2});
    CHECK(values(tb::dequantize(zero)) == std::vector<double>{0, 0, 0});
  }
}

TEST_CASE("quantized: the module's reader makes a tensor of parts and attributes", "[quantized][layout]") {
  const tb::author::layout_reader read = tb::author::reader_of(layout::quantized);
  std::vector<tb::named_tensor> all;
  for (const q::scheme& s : schemes()) {
    for (const bool symmetric : {true, false}) {
      const tensor w = tb::t(q::quantize(sample(), s, symmetric));
      const q::payload& p = w.payload<q::payload>();
      CHECK(equal_parts(read(w.sizes(), w.dtype(), p.parts(), p.attributes()), w));
      all.push_back({std::to_string(all.size()), w});
    }
  }
  const tensor w = q::quantize(sample(), q::int8);
  const std::vector<tb::author::layout_payload::part> parts = w.payload<q::payload>().parts();
  const auto error_of = [&](const tb::shape& sizes, std::string_view attributes) {
    return text_of<tb::error>([&] { read(sizes, dtype::float32, parts, attributes); });
  };
  CHECK(error_of({6, 71}, "per_channel axis=0 bits=8") == "a quantized tensor: found codes [6, 70], wanted [6, 71]");
  CHECK(error_of({6, 70}, "").starts_with("a quantized tensor: found '', wanted") == false);
  CHECK(error_of({6, 70}, "").starts_with("a quantization scheme: found ''"));
  CHECK(error_of({6, 7, 10}, "per_tensor bits=8 transposed").find("wanted a matrix") != std::string::npos);
  const tb::author::layout_payload::part other[] = {{"bits", w}};
  CHECK(text_of<tb::bad_argument>([&] { read({6, 70}, dtype::float32, other, "per_tensor bits=8"); }) ==
        "a quantized tensor: found a part 'bits', wanted codes, scales and offsets");

  const std::string path = (std::filesystem::temp_directory_path() / "topbit_quantized.safetensors").string();
  tb::save_tensors(path, all);
  const std::vector<tb::named_tensor> loaded = tb::load_tensors(path);
  std::filesystem::remove(path);
  REQUIRE(loaded.size() == all.size());
  for (const tb::named_tensor& one : loaded) {
    CHECK(equal_parts(one.value, all[static_cast<std::size_t>(std::stoi(one.name))].value));
  }
}

TEST_CASE("quantized: an operator without a kernel throws, and says how to convert", "[quantized][fallback]") {
  const tensor w = q::quantize(sample(), q::int8), x = sample();
  const std::string rule = " of layout quantized, wanted strided: no rule for quantized; dequantize(x) gives float32";
  CHECK(text_of<tb::layout_error>([&] { tb::exp(w); }) == "aten::exp: found argument 1 'self'" + rule);
  CHECK(text_of<tb::layout_error>([&] { x + w; }) == "aten::add.Tensor: found argument 2 'other'" + rule);
  CHECK(text_of<tb::layout_error>([&] { tb::sum(w); }) == "aten::sum: found argument 1 'self'" + rule);
  CHECK(text_of<tb::layout_error>([&] { tb::exp(tb::to(w, dtype::bfloat16)); }).ends_with("gives bfloat16"));
  CHECK(text_of<tb::layout_error>([&] { tb::exp(tb::to(w, tb::meta)); }) ==
        "aten::exp: found argument 1 'self'" + rule);
  CHECK(text_of<tb::layout_error>([&] { tb::exp(tb::to(w, tb::parse_device("npu"))); }) ==
        "aten::exp: found argument 1 'self'" + rule);
  CHECK(text_of<tb::layout_error>([&] { w.data(); }).find("dequantize(x)") != std::string::npos);
  tensor y = tb::clone(x);
  CHECK(text_of<tb::layout_error>([&] { tb::mul_(y, w); }) == "aten::mul_.Tensor: found argument 2 'other'" + rule);
  CHECK(values(y) == values(x));
}

TEST_CASE("dequantize_guard: operators without a kernel take values, and are counted", "[quantized][fallback]") {
  q::reset_dequantize_report();
  const tensor w = q::quantize(sample(), q::int8), d = tb::dequantize(w);
  {
    const q::dequantize_guard outer;
    {
      const q::dequantize_guard inner;
      CHECK(values(tb::exp(w)) == values(tb::exp(d)));
    }
    CHECK(values(tb::exp(w)) == values(tb::exp(d)));
    CHECK(values(tb::stack({w, d})) == values(tb::stack({d, d})));
    tensor x = tb::clone(d);
    tb::add_(x, w);
    CHECK(values(x) == values(d + d));
    tensor written = tb::clone(w);
    CHECK(text_of<tb::layout_error>([&] { tb::exp_(written); }) ==
          "aten::exp_: found argument 1 'self' of layout quantized, wanted strided, since it would be written to; "
          "dequantize_guard lends values to read");
    CHECK(values(tb::dequantize(written)) == values(d));
    // A gradient passes through the strided argument.
    const tensor leaf = tb::require_grad(sample());
    tb::backward(tb::sum(leaf * w));
    CHECK(values(tb::leaf_grad(leaf)) == values(d));
    // The switch is this thread's.
    std::string there;
    std::thread([&] { there = text_of<tb::layout_error>([&] { tb::exp(w); }); }).join();
    CHECK(there.starts_with("aten::exp: found argument 1"));
  }
  CHECK(text_of<tb::layout_error>([&] { tb::exp(w); }).starts_with("aten::exp: found argument 1"));
  const std::vector<tb::author::call_count> report = q::dequantize_report();
  REQUIRE(!report.empty());
  CHECK(report[0].op == "aten::exp");
  CHECK(report[0].calls == 2);
  CHECK(to_string(std::span(report).first(1)) == "operator   calls\naten::exp      2\n");
  q::reset_dequantize_report();
  CHECK(q::dequantize_report().empty());
}

TEST_CASE("quantized: a write to some rows leaves the scales of the others alone", "[quantized][layout]") {
  for (const bool symmetric : {true, false}) {
    const tensor x = sample({2, 4});
    tensor w = q::quantize(x, {}, symmetric), row = tb::select(w, 0, 0);
    const std::vector<double> other = values(tb::dequantize(tb::select(w, 0, 1)));
    tb::copy_(row, q::quantize(tb::mul(tb::select(x, 0, 0), 50), {}, symmetric));
    CHECK(values(tb::dequantize(tb::select(w, 0, 1))) == other);
    tb::zero_(row);
    CHECK(values(tb::dequantize(row)) == std::vector<double>(4, 0));
    CHECK(values(tb::dequantize(tb::select(w, 0, 1))) == other);
    const tensor source = q::quantize(tb::mul(x, 50), {}, symmetric);
    tb::copy_(w, source);
    CHECK(equal_parts(w, source));
  }
}

TEST_CASE("quantized: tensors of other widths are not joined", "[quantized][layout]") {
  const tensor list[] = {q::quantize(sample({2, 5}), q::int4), q::quantize(sample({2, 6}), q::int4)};
  CHECK(text_of<tb::shape_error>([&] { tb::cat(list, 0); }) ==
        "aten::cat: found sizes [2, 6] after [2, 5], wanted equal ones except in dimension 0");
}

TEST_CASE("quantized: a tensor that requires a gradient is an error wherever its values are read",
          "[quantized][layout]") {
  tensor w = q::quantize(sample(), q::int8);
  tb::require_grad(w);
  CHECK_THROWS_AS(tb::dequantize(w), tb::error);
  CHECK_THROWS_AS(tb::embedding(w, tb::tensor({1, 2})), tb::error);
  const q::dequantize_guard guard;
  CHECK_THROWS_AS(tb::exp(w), tb::error);
  const tb::no_grad off;
  CHECK(tb::dequantize(w).sizes() == w.sizes());
}
