#include "programs.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace programs {

namespace {

using std::to_string;

// A schema after its name, and the same in C++.
struct shape {
  std::string overload, schema, result, parameters;
};

// The kinds of schema that the reference's list of operators is made of.
const shape usual[] = {
    {"", "(Tensor self) -> Tensor", "tb::tensor", "const tb::tensor&"},
    {".Tensor", "(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "tb::tensor",
     "const tb::tensor&, const tb::tensor&, const tb::scalar&"},
    {".out", "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)", "tb::tensor&",
     "const tb::tensor&, const tb::tensor&, const tb::scalar&, tb::tensor&"},
    {"_.Tensor", "(Tensor(a!) self, Tensor other) -> Tensor(a!)", "tb::tensor&", "tb::tensor&, const tb::tensor&"},
    {".dim_IntList", "(Tensor self, int[1] dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", "tb::tensor",
     "const tb::tensor&, std::span<const std::int64_t>, bool, std::optional<tb::dtype>"},
    {"", "(Tensor input, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor", "tb::tensor",
     "const tb::tensor&, const std::optional<tb::tensor>&, const std::optional<tb::tensor>&, double"},
    {".dim", "(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     "std::tuple<tb::tensor, tb::tensor>", "const tb::tensor&, std::int64_t, bool"},
    {"",
     "(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
     "Tensor",
     "tb::tensor",
     "std::span<const std::int64_t>, std::optional<tb::dtype>, std::optional<tb::layout>, std::optional<tb::device>, "
     "std::optional<bool>"},
    {"", "(Tensor self, float p=0.5, bool train=True) -> Tensor", "tb::tensor", "const tb::tensor&, double, bool"},
    {"", "(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int groups=1) -> Tensor",
     "tb::tensor",
     "const tb::tensor&, const tb::tensor&, const std::optional<tb::tensor>&, std::span<const std::int64_t>, "
     "std::span<const std::int64_t>, std::int64_t"},
    {".Tensor_mode", "(Tensor self, Tensor other, *, str rounding_mode) -> Tensor", "tb::tensor",
     "const tb::tensor&, const tb::tensor&, std::string_view"},
};

// No two of the first 1,024 have the same signature.
shape distinct(std::size_t i) {
  static const std::array<std::array<const char*, 2>, 4> types{
      {{"int", "std::int64_t"}, {"float", "double"}, {"bool", "bool"}, {"Scalar", "const tb::scalar&"}}};
  shape made{"", "(Tensor self", "tb::tensor", "const tb::tensor&"};
  for (std::size_t place = 0; place < 5; ++place, i /= 4) {
    const auto& [schema, cpp] = types[i % 4];
    made.schema += std::string(", ") + schema + " a" + to_string(place);
    made.parameters += std::string(", ") + cpp;
  }
  made.schema += ") -> Tensor";
  return made;
}

enum class family { usual, distinct };

shape shape_of(family f, std::size_t i) { return f == family::usual ? usual[i % std::size(usual)] : distinct(i); }

const std::string with_std =
    "#include <cstdint>\n#include <optional>\n#include <span>\n#include <string_view>\n#include <tuple>\n";
const std::string with_topbit = with_std + "\nimport topbit;\nnamespace tb = topbit;\n\n";

struct place {
  const char *ending, *key;
};
constexpr place places[kernels_per_operator] = {{"_cpu", "CPU"},
                                                {"_cuda", "CUDA"},
                                                {"_meta", "Meta"},
                                                {"_sparse_cpu", "SparseCPU"},
                                                {"_sparse_cuda", "SparseCUDA"}};

std::string op(std::size_t i) { return "op" + to_string(i); }
std::string kernel(std::size_t i, const place& p) { return "k" + to_string(i) + p.ending; }

std::string operators(family f, std::size_t count) {
  std::string text = with_topbit;
  for (std::size_t i = 0; i < count; ++i) {
    const shape s = shape_of(f, i);
    text += "inline constexpr tb::op<\"fam::" + op(i) + s.overload + s.schema + "\"> " + op(i) + ";\n";
  }
  return text;
}

std::string with_kernels(family f, std::size_t count) {
  std::string text = operators(f, count);
  for (std::size_t i = 0; i < count; ++i) {
    const shape s = shape_of(f, i);
    for (const place& p : places) text += s.result + " " + kernel(i, p) + "(" + s.parameters + ");\n";
  }
  return text;
}

constexpr std::size_t operators_per_block = 20;

// Calls write(block, begin, end) for each run of operators that one block or one array registers.
template <class Write>
void in_blocks(std::size_t count, Write write) {
  for (std::size_t begin = 0, block = 0; begin < count; begin += operators_per_block, ++block) {
    write(to_string(block), begin, std::min(begin + operators_per_block, count));
  }
}

std::string defined(std::size_t count) {
  std::string text = operators(family::usual, count);
  in_blocks(count, [&](const std::string& block, std::size_t begin, std::size_t end) {
    text += "const auto block" + block + " = tb::fragment(\"fam\")";
    for (std::size_t i = begin; i < end; ++i) text += "\n    .def(" + op(i) + ")";
    text += ";\n";
  });
  return text;
}

// As users write it.
std::string chain(family f, std::size_t count) {
  std::string text = with_kernels(f, count);
  in_blocks(count, [&](const std::string& block, std::size_t begin, std::size_t end) {
    text += "const auto block" + block + " = tb::fragment(\"fam\")";
    for (std::size_t i = begin; i < end; ++i) {
      text += "\n    .def(" + op(i) + ")";
      for (const place& p : places) text += "\n    .impl<&" + kernel(i, p) + ">(" + op(i) + ", tb::key::" + p.key + ")";
    }
    text += ";\n";
  });
  return text;
}

// As authors of operator libraries and backends write it.
std::string rows(family f, std::size_t count) {
  std::string text = with_kernels(f, count), calls;
  in_blocks(count, [&](const std::string& block, std::size_t begin, std::size_t end) {
    text += "constexpr tb::author::kernel_row rows" + block + "[] = {\n";
    for (std::size_t i = begin; i < end; ++i) {
      text += "    tb::author::define(" + op(i) + "),\n";
      for (const place& p : places)
        text += "    tb::author::row<&" + kernel(i, p) + ">(" + op(i) + ", tb::key::" + p.key + "),\n";
    }
    text += "};\n";
    calls += "  tb::author::register_rows(rows" + block + ");\n";
  });
  return text + "const bool registered = [] {\n" + calls + "  return true;\n}();\n";
}

}  // namespace

std::vector<program> all(std::size_t many) {
  const std::size_t some = std::max<std::size_t>(many / 10, 1);
  std::vector<program> made{
      {"empty", "int nothing;\n"},
      {"std_headers", with_std},
      {"import_core", "import topbit.core;\n"},
      {"import_topbit", "import topbit;\n"},
      {"hello",
       "#include <cstdint>\n#include <cstdio>\n#include <string>\n\nimport topbit;\n\nint main() {\n"
       "  const std::int64_t shape[] = {2, 3};\n  std::puts(to_string(topbit::ops::ones(shape)).c_str());\n}\n"},
      {"operators/1", operators(family::usual, 1)},
  };
  const auto add = [&](const std::string& stem, std::size_t count, std::string text) {
    made.push_back({stem + "/" + to_string(count), std::move(text)});
  };
  if (some > 1) {
    add("operators", some, operators(family::usual, some));
    add("chain", some, chain(family::usual, some));
    add("rows", some, rows(family::usual, some));
  }
  add("operators_distinct", some, operators(family::distinct, some));
  add("chain_distinct", some, chain(family::distinct, some));
  add("rows_distinct", some, rows(family::distinct, some));
  add("operators", many, operators(family::usual, many));
  add("defined", many, defined(many));
  add("rows", many, rows(family::usual, many));
  add("chain", many, chain(family::usual, many));
  return made;
}

}  // namespace programs
