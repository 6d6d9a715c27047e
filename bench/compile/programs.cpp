#include "programs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace programs {

namespace {

using std::to_string;

// A schema after its name, and the same in C++.
struct shape {
  std::string overload, schema, result, parameters;
};

// The kinds of schema in PyTorch's list of operators.
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

// A signature of its own for each of the first 1,536, with as many arguments as such a one has in PyTorch's list,
// five, and of the types that are most frequent there.
shape distinct(std::size_t i) {
  static const std::array<std::array<const char*, 2>, 8> types{{{"Tensor", "const tb::tensor&"},
                                                                {"bool", "bool"},
                                                                {"int", "std::int64_t"},
                                                                {"int[]", "std::span<const std::int64_t>"},
                                                                {"Tensor?", "const std::optional<tb::tensor>&"},
                                                                {"Scalar", "const tb::scalar&"},
                                                                {"float", "double"},
                                                                {"ScalarType?", "std::optional<tb::dtype>"}}};
  const bool out = i % 3 == 2, two = !out && i % 7 == 3;
  shape made{"", "(Tensor self", two ? "std::tuple<tb::tensor, tb::tensor>" : "tb::tensor", "const tb::tensor&"};
  std::size_t digits = i * 1237;  // odd: no two share their last digits, and neighbours differ in several
  for (std::size_t place = 0; place < (out ? 3 : 4); ++place, digits /= 8) {
    const auto& [schema, cpp] = types[digits % 8];
    made.schema += std::string(", ") + schema + " a" + to_string(place);
    made.parameters += std::string(", ") + cpp;
  }
  if (out) {
    made.overload = ".out";
    made.schema += ", *, Tensor(a!) out) -> Tensor(a!)";
    made.parameters += ", tb::tensor&";
    made.result = "tb::tensor&";
  } else {
    made.schema += two ? ") -> (Tensor, Tensor)" : ") -> Tensor";
  }
  return made;
}

// Of 20 varied operators eight have a signature of their own: 411 signatures among 1,000 operators and 51 among 100,
// where the first of PyTorch's list have 393 and 48.
shape shape_of(mix m, std::size_t i) {
  const bool own = m == mix::distinct || (m == mix::varied && i % 20 >= 12);
  return own ? distinct(i) : usual[i % std::size(usual)];
}

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

std::string operators(mix m, std::size_t count) {
  std::string text = with_topbit;
  for (std::size_t i = 0; i < count; ++i) {
    const shape s = shape_of(m, i);
    text += "inline constexpr tb::op<\"fam::" + op(i) + s.overload + s.schema + "\"> " + op(i) + ";\n";
  }
  return text;
}

std::string with_kernels(mix m, std::size_t count) {
  std::string text = operators(m, count);
  for (std::size_t i = 0; i < count; ++i) {
    const shape s = shape_of(m, i);
    for (const place& p : places) text += s.result + " " + kernel(i, p) + "(" + s.parameters + ");\n";
  }
  return text;
}

constexpr std::size_t operators_per_block = 20;

// Calls write(block, begin, end) for each run of operators that one block or one array registers.
template <class Write>
void in_blocks(std::size_t count, std::size_t each, Write write) {
  for (std::size_t begin = 0, block = 0; begin < count; begin += each, ++block) {
    write(to_string(block), begin, std::min(begin + each, count));
  }
}

std::string defined(mix m, std::size_t count) {
  std::string text = operators(m, count);
  in_blocks(count, operators_per_block, [&](const std::string& block, std::size_t begin, std::size_t end) {
    text += "const auto block" + block + " = tb::fragment(\"fam\")";
    for (std::size_t i = begin; i < end; ++i) text += "\n    .def(" + op(i) + ")";
    text += ";\n";
  });
  return text;
}

// As users write it.
std::string chain(mix m, std::size_t count, std::size_t each = operators_per_block) {
  std::string text = with_kernels(m, count);
  in_blocks(count, each, [&](const std::string& block, std::size_t begin, std::size_t end) {
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
std::string rows(mix m, std::size_t count) {
  std::string text = with_kernels(m, count), calls;
  in_blocks(count, operators_per_block, [&](const std::string& block, std::size_t begin, std::size_t end) {
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

// A call: the function's name, the handle of the operator that is meant, and the arguments.
struct call_form {
  const char *function, *handle, *arguments;
};
const call_form call_forms[] = {
    {"add", "add_Tensor", "a, b"},
    {"add", "add_Scalar", "a, 2"},
    {"mul", "mul_Tensor", "a, b"},
    {"div", "div_Scalar", "a, 0.5"},
    {"eq", "eq_Tensor", "a, b"},
    {"where", "where_ScalarOther", "a, b, 0"},
    {"sum", "sum", "a"},
    {"sum", "sum_dim_IntList", "a, size, true"},
    {"mean", "mean_dim", "a, size"},
    {"max", "max_dim", "a, 1"},
    {"var", "var_dim", "a, 1"},
    {"matmul", "matmul", "a, b"},
    {"reshape", "reshape", "a, size"},
    {"transpose", "transpose_int", "a, 0, 1"},
    {"split", "split_Tensor", "a, 2"},
    {"clamp", "clamp", "a, 0, 1"},
    {"conv2d", "conv2d", "a, b, std::nullopt, 1, 1"},
    {"softmax", "softmax_int", "a, 1"},
    {"zeros", "zeros", "size"},
    {"arange", "arange_start", "0, 6"},
    {"exp", "exp", "a"},
    {"relu", "relu", "a"},
    {"index_select", "index_select", "a, 0, b"},
    {"rand_like", "rand_like", "a"},
};

// As many calls, each form in turn, in functions of some calls each.
std::string calls(std::size_t count, bool by_handle) {
  std::string text = with_topbit;
  for (std::size_t i = 0; i < count; ++i) {
    const call_form& f = call_forms[i % std::size(call_forms)];
    if (i % std::size(call_forms) == 0) {
      if (i != 0) text += "}\n";
      text += "void calls" + to_string(i) +
              "([[maybe_unused]] const tb::tensor& a, [[maybe_unused]] const tb::tensor& b, "
              "[[maybe_unused]] std::span<const std::int64_t> size) {\n";
    }
    text += std::string("  tb::") + (by_handle ? "aten::" : "") + (by_handle ? f.handle : f.function) + "(" +
            f.arguments + ");\n";
  }
  return text + "}\n";
}

}  // namespace

std::size_t signatures(mix m, std::size_t count) {
  std::set<std::string> found;
  for (std::size_t i = 0; i < count; ++i) {
    const shape s = shape_of(m, i);
    found.insert(s.result + " (" + s.parameters + ")");
  }
  return found.size();
}

std::vector<program> all(std::size_t many) {
  const std::size_t some = std::max<std::size_t>(many / 10, 1);
  std::vector<program> made{
      {"empty", "int nothing;\n"},
      {"std_headers", with_std},
      {"import_core", "import topbit.core;\n"},
      {"import_topbit", "import topbit;\n"},
      {"hello",
       "#include <cstdio>\n#include <string>\n\nimport topbit;\n\nint main() {\n"
       "  std::puts(to_string(topbit::ones({2, 3})).c_str());\n}\n"},
      {"operators/1", operators(mix::few, 1)},
  };
  const auto add = [&](const std::string& stem, std::size_t count, std::string text) {
    made.push_back({stem + "/" + to_string(count), std::move(text)});
  };
  for (const std::size_t count : {some, many}) {
    if (count == 1) continue;
    add("operators", count, operators(mix::few, count));
    add("rows", count, rows(mix::few, count));
    add("chain", count, chain(mix::few, count));
    add("operators_varied", count, operators(mix::varied, count));
    add("rows_varied", count, rows(mix::varied, count));
    add("chain_varied", count, chain(mix::varied, count));
  }
  add("operators_distinct", some, operators(mix::distinct, some));
  add("rows_distinct", some, rows(mix::distinct, some));
  add("chain_distinct", some, chain(mix::distinct, some));
  add("long_chain", some, chain(mix::few, some, some));
  add("defined", many, defined(mix::few, many));
  add("handle_calls", some, calls(some, true));
  add("function_calls", some, calls(some, false));
  return made;
}

}  // namespace programs
