// What every operator's refusals have in common, whatever the arguments: here numbers that no program means.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::tensor;
using toy::text_of;
using list = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t least = INT64_MIN, most = INT64_MAX;

// Texts of arguments, at random: each small enough to be computed with, or so large that no memory is asked for it.
class texts {
 public:
  explicit texts(unsigned seed, bool on_meta) : source_(seed), where_(on_meta ? " on meta" : "") {}

  std::string of(const tb::author::schema_item& argument) {
    std::size_t depth = 0;
    bool optional = false;
    for (tb::author::type_modifier m : argument.modifiers) {
      depth += m == tb::author::type_modifier::list;
      optional = optional || m == tb::author::type_modifier::optional;
    }
    if (argument.type == "Device") return where_.empty() ? "None" : "meta";
    if (argument.type == "Generator" || argument.type == "Layout") return "None";
    if (argument.type == "MemoryFormat") return "contiguous_format";
    if (optional && depth == 0 && one_of(4) == 0) return "None";
    if (depth == 0) return element(argument.type);
    std::string all = "[";
    for (std::size_t i = argument.type == "bool" ? 3 : one_of(12) == 0 ? 9 : one_of(5); i-- > 0;) {
      all += element(argument.type) + (i != 0 ? ", " : "");
    }
    return all + "]";
  }

 private:
  std::size_t one_of(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(source_); }

  std::string element(std::string_view type) {
    static const std::vector<std::string> integers{"-9223372036854775808",
                                                   "-9223372036854775807",
                                                   "-2305843009213693952",
                                                   "9223372036854775807",
                                                   "9223372036854775806",
                                                   "2305843009213693952",
                                                   "576460752303423488",
                                                   "-2",
                                                   "-1",
                                                   "0",
                                                   "0",
                                                   "1",
                                                   "1",
                                                   "1",
                                                   "2",
                                                   "2",
                                                   "3"};
    static const std::vector<std::string> numbers{"0.5", "1e308", "-1e308", "2.0", "-1.0"};
    static const std::vector<std::string> dtypes{"float32", "int64", "bool", "float16"};
    static const std::vector<std::string> sizes{"[2, 3]", "[3]", "[]", "[0, 3]", "[1, 2, 3, 4]", "[3, 3]", "[2, 2, 2]"};
    static const std::vector<std::string> words{"mean", "none", "ij", "ij,jk->ik", "constant", "same", "left", "trunc"};
    const auto any = [&](const auto& of) { return of[one_of(of.size())]; };
    if (type == "Tensor") return "(" + (one_of(3) == 0 ? any(dtypes) : "float32") + " " + any(sizes) + where_ + ")";
    if (type == "int" || type == "SymInt") return any(integers);
    if (type == "Scalar") return one_of(2) == 0 ? any(integers) : any(numbers);
    if (type == "float") return any(numbers);
    if (type == "bool") return one_of(2) == 0 ? "True" : "False";
    if (type == "ScalarType") return any(dtypes);
    if (type == "str") return "\"" + any(words) + "\"";
    return "None";
  }

  std::mt19937 source_;
  std::string where_;
};

// Operators that make as many results as they are told to.
bool makes_any_number(std::string_view op) {
  return op == "aten::chunk" || op.starts_with("aten::tensor_split") || op == "aten::tril_indices" ||
         op == "aten::triu_indices";
}

template <class F>
std::string refusal(F&& call) {
  return text_of<tb::shape_error>(call);
}

}  // namespace

TEST_CASE("rules: whatever the numbers, an error begins with the name of an operator", "[ops][rules]") {
  const std::vector<std::string> names = tb::registry::process().operators();
  const std::set<std::string> known(names.begin(), names.end());
  std::set<std::string> refused;
  unsigned seed = 0;
  for (const std::string& name : names) {
    const tb::operator_handle op = tb::registry::process().find(name);
    const tb::author::schema_view* schema = op.parsed_schema();
    const bool ours = name.starts_with("aten::") || name.starts_with("topbit::");
    if (!ours || schema == nullptr || makes_any_number(name)) continue;
    for (int round = 0; round < 60; ++round) {
      texts source(++seed, round % 2 == 0);
      std::vector<std::string> given;
      std::string shown = name;
      for (const tb::author::schema_item& argument : schema->arguments) {
        given.push_back((argument.keyword_only ? std::string(argument.name) + "=" : "") + source.of(argument));
        shown += " " + given.back();
      }
      INFO(shown);
      try {
        tb::call_text(op, std::vector<std::string_view>(given.begin(), given.end()));
      } catch (const tb::error& e) {
        const std::string text = e.what();
        INFO(text);
        REQUIRE(known.contains(text.substr(0, std::min(text.find(": "), text.find(", argument ")))));
        refused.insert(name);
      } catch (const std::bad_alloc&) {  // of memory that nobody has
      }
    }
  }
  CHECK(refused.size() > 500);
}

TEST_CASE("rules: sizes and counts that overflow 64 bits are refused, by operator and numbers", "[ops][rules]") {
  const tensor image = tb::author::make_tensor({1, 1, 4, 4}, tb::dtype::float32, tb::meta),
               kernel = tb::author::make_tensor({1, 1, 2, 2}, tb::dtype::float32, tb::meta),
               row = tb::author::make_tensor({3}, tb::dtype::float32, tb::meta);
  const std::optional<tensor> none;
  const std::string end = ", wanted a result within 64 bits";
  const auto convolved = [&](const list& padding, const list& dilation) {
    return refusal([&] { aten::conv2d(image, kernel, none, list{1}, padding, dilation, 1); });
  };
  CHECK(convolved({most}, {1}) == "aten::conv2d: found 9223372036854775807 * 2 for the padded size" + end);
  CHECK(convolved({most / 2}, {1}) == "aten::conv2d: found 4 + 9223372036854775806 for the padded size" + end);
  CHECK(convolved({0}, {most}) == "aten::conv2d: found 9223372036854775807 + 1 for the reach of the kernel" + end);
  CHECK(refusal([&] {
          aten::conv2d(image, kernel, none, list{1}, list{0}, list{1}, most);
        }).ends_with("wanted 9223372036854775807 channels of the input"));
  const tensor two = tb::author::make_tensor({1, 2, 2, 2}, tb::dtype::float32, tb::meta);
  CHECK(refusal([&] { aten::conv2d(image, two, none, list{1}, list{0}, list{1}, most); }) ==
        "aten::conv2d: found 2 * 9223372036854775807 for the channels" + end);
  const auto pooled = [&](const list& size, const list& stride, const list& padding, const list& dilation) {
    return refusal([&] { aten::max_pool2d_with_indices(image, size, stride, padding, dilation, true); });
  };
  CHECK(pooled({most}, {1}, {most / 2}, {1}) ==
        "aten::max_pool2d_with_indices: found 4 + 9223372036854775806 for the padded size" + end);
  CHECK(pooled({3}, {1}, {0}, {most}) ==
        "aten::max_pool2d_with_indices: found 9223372036854775807 * 2 for the reach of the kernel" + end);
  CHECK(pooled({1}, {most}, {0}, {1}) ==
        "aten::max_pool2d_with_indices: found 3 + 9223372036854775806 for the positions of windows" + end);
  CHECK(refusal([&] { aten::constant_pad_nd(row, list{most, 0}, 0); }) ==
        "aten::constant_pad_nd: found 3 + 9223372036854775807 for the padded size" + end);
  CHECK(refusal([&] { aten::constant_pad_nd(row, list{least, most}, 0); }) ==
        "aten::constant_pad_nd: found -9223372036854775808 * -1 for the padding" + end);
  CHECK(refusal([&] { aten::diag(row, least); }) == "aten::diag: found -9223372036854775808 * -1 for the size" + end);
  CHECK(refusal([&] { aten::diag(row, most); }) == "aten::diag: found 3 + 9223372036854775807 for the size" + end);
  const tensor wide = tb::author::make_tensor({std::int64_t{1} << 59}, tb::dtype::int8, tb::meta);
  const std::vector<tensor> many(16, wide);
  CHECK(refusal([&] { aten::cat(many, 0); }) ==
        "aten::cat: found 8646911284551352320 + 576460752303423488 for the size" + end);
  CHECK(refusal([&] { aten::kron(wide, wide); }) ==
        "aten::kron: found 576460752303423488 * 576460752303423488 for the size" + end);
  const tensor hollow = tb::author::make_view(row, {0, 2}, {1, std::int64_t{1} << 62}, 0);
  CHECK(refusal([&] { aten::slice_Tensor(hollow, 1, 2, 2, 1); }) ==
        "aten::slice.Tensor: found 2 * 4611686018427387904 for the offset" + end);
  CHECK(refusal([&] { aten::unsqueeze(hollow, 1); }) ==
        "aten::unsqueeze: found 2 * 4611686018427387904 for the stride" + end);
  CHECK(refusal([&] { aten::unfold(hollow, 1, 0, 2); }) ==
        "aten::unfold: found 4611686018427387904 * 2 for the stride" + end);
}

TEST_CASE("rules: labels and counts at the limits of 64 bits are refused, by operator", "[ops][rules]") {
  const tensor last = tb::from_values<std::int64_t>({most}, {1});
  const std::string end = ", wanted a result within 64 bits";
  CHECK(refusal([&] { aten::one_hot(last); }) ==
        "aten::one_hot: found 9223372036854775807 + 1 for the number of classes" + end);
  CHECK(refusal([&] { aten::bincount(last); }) ==
        "aten::bincount: found 9223372036854775807 + 1 for the number of bins" + end);
  const std::string large = " a tensor of sizes [9223372036854775807]: more elements than 64 bits can count";
  CHECK(refusal([&] { aten::bincount(tb::from_values<std::int64_t>({1}, {1}), std::nullopt, most); }) ==
        "aten::bincount:" + large);
  CHECK(refusal([&] { aten::repeat(tb::from_values<float>({1}, {1}), list{most}); }) == "aten::repeat:" + large);
  const tensor gradient = support::tensor_of({1, 2}, {1, 2}), index = tb::from_values<std::int64_t>({0}, {1});
  CHECK(refusal([&] { aten::embedding_dense_backward(gradient, index, -1, -1, false); }) ==
        "aten::embedding_dense_backward: found num_weights -1, wanted 0 or more");
}

TEST_CASE("rules: a diagonal offset at the limits of 64 bits keeps all of a matrix, or nothing", "[ops][rules]") {
  const tensor m = support::tensor_of({1, 2, 3, 4}, {2, 2});
  for (std::int64_t offset : {least, most}) {
    CHECK(aten::diagonal(m, offset).numel() == 0);
    CHECK(aten::diag(m, offset).numel() == 0);
    CHECK(support::values(aten::tril(m, offset)) == (offset > 0 ? support::values(m) : std::vector<double>(4, 0)));
    CHECK(support::values(aten::triu(m, offset)) == (offset < 0 ? support::values(m) : std::vector<double>(4, 0)));
    CHECK(aten::tril_indices(most, 0, offset).numel() == 0);
    CHECK(aten::triu_indices(most, 0, offset).numel() == 0);
  }
  CHECK(support::values(aten::roll(m, list{least}, list{1})) == support::values(m));
  CHECK(support::values(aten::roll(m, list{most}, list{1})) == std::vector<double>{2, 1, 4, 3});
}

TEST_CASE("rules: more dimensions than a tensor has are refused by the operator", "[ops][rules]") {
  const tensor five = tb::author::make_tensor({1, 1, 1, 1, 1}, tb::dtype::float32, tb::cpu);
  CHECK(refusal([&] { aten::tensordot(five, five, list{}, list{}); }) ==
        "aten::tensordot: found a product of 10 dimensions, wanted at most 8");
  const std::vector<tensor> pair{five, five};
  CHECK(refusal([&] { aten::einsum("abcde,fghij->abcdefghij", pair); }) ==
        "aten::einsum: found a product of 10 dimensions, wanted at most 8");
  const list nine(9, 1);
  CHECK(text_of<tb::error>([&] { aten::avg_pool2d(five, nine); }).starts_with("aten::avg_pool2d: "));
  const tensor image = tb::author::make_tensor({1, 1, 4, 4}, tb::dtype::float32, tb::cpu);
  CHECK(text_of<tb::error>([&] { aten::avg_pool2d(image, nine); }) ==
        "aten::avg_pool2d: found kernel_size [1, 1, 1, 1, 1, 1, 1, 1, 1], wanted one number or two");
  CHECK(text_of<tb::error>([&] {
          aten::convolution(image, image, std::nullopt, nine, list{0}, list{1}, false, list{0}, 1);
        }) == "aten::convolution: found stride [1, 1, 1, 1, 1, 1, 1, 1, 1], wanted one number or 2");
}
