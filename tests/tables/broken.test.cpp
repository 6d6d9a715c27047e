// Tables with one mistake each: the sentence names its line and column, what was found, what was wanted.
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

import topbit.core;
import topbit.tables;

namespace tb = topbit;
namespace tables = topbit::tables;

namespace {

std::int64_t one(std::int64_t a) { return a; }
double other(double a) { return a; }

struct broken {
  std::string_view text, sentence;
};

// Each line is one table; `$` stands for the end of a line.
constexpr broken all[] = {
    // Not the YAML of tables.
    {"- func: f(int a) -> int$\tdispatch:$", "ops.yaml:2:1: found a tab, wanted spaces"},
    {"- func: f(int a) -> int\r$",
     "ops.yaml:1:24: found a carriage return, wanted lines that end with a line feed alone"},
    {"---$- func: f(int a) -> int$",
     "ops.yaml:1:1: found '---', wanted an entry: a table is one document without marks"},
    {"- func: f(int a) -> int$...$",
     "ops.yaml:2:1: found '...', wanted an entry: a table is one document without marks"},
    {"%YAML 1.2$- func: f(int a) -> int$", "ops.yaml:1:1: found '%YAML', wanted an entry: tables have no directives"},
    {"func: f(int a) -> int$", "ops.yaml:1:1: found 'func:', wanted '- func: ...', an entry"},
    {"-$", "ops.yaml:1:2: found the end of the line, wanted 'func: ...' behind '-'"},
    {"- func f(int a) -> int$", "ops.yaml:1:3: found 'func', wanted 'key: value'"},
    {"- func:$", "ops.yaml:1:8: found no value, wanted one for 'func'"},
    {"- func:$  dispatch:$    CPU: one$", "ops.yaml:1:8: found no value, wanted one for 'func'"},
    {"- func: &a f(int a) -> int$", "ops.yaml:1:9: found '&a', wanted a value: tables have no anchors"},
    {"- func: *a$", "ops.yaml:1:9: found '*a', wanted a value: tables have no anchors"},
    {"- func: !!str f(int a) -> int$", "ops.yaml:1:9: found '!!str', wanted a value: tables have no type tags"},
    {"- func: |$    f(int a) -> int$",
     "ops.yaml:1:9: found '|', wanted the value itself, over several lines where it is long: tables have no block "
     "scalars"},
    {"- func: {f: g}$", "ops.yaml:1:9: found '{f:', wanted a block map in the lines below, or {} for an empty one"},
    {"- func: 'f(int a) -> int$",
     "ops.yaml:1:25: found the end of the line, wanted the closing quote in the same line"},
    {"- func: 'f(int a) -> int' x$", "ops.yaml:1:27: found 'x', wanted the end of the line"},
    {"- func: \"f(str a='\\n') -> int\"$", "ops.yaml:1:19: found '\\n')', wanted one of the escapes \\\" and \\\\"},
    {"- func: f(int a) -> int$   dispatch:$    CPU: one$",
     "ops.yaml:2:12: found ':', wanted no ': ' inside a plain value; put it in quotes, or give the key the column of "
     "the others"},
    {"- func: f(int a) -> int$ dispatch:$    CPU: one$",
     "ops.yaml:2:2: found a line in column 2, wanted column 3, where the keys of this entry are"},
    {"- func: f(int a) -> int$  tags: [pointwise, core$", "ops.yaml:3:1: found the end of the text, wanted ',' or ']'"},
    {"- func: f(int a) -> int$  tags: [pointwise] x$", "ops.yaml:2:21: found 'x', wanted the end of the line"},
    {"- func: f(int a) -> int$  tags: [pointwise, [core]]$",
     "ops.yaml:2:21: found '[core]]', wanted an element of the list"},
    {"- func: f(int a,$  # the second$      int b) -> int$",
     "ops.yaml:3:7: found 'int', wanted no comment inside a value of several lines"},
    {"- func: f(int a,  # the first$      int b) -> int$",
     "ops.yaml:2:7: found 'int', wanted no comment inside a value of several lines"},
    {"- func: f(int a) -> int$  variants: function$    dispatch: one$",
     "ops.yaml:3:13: found ':', wanted no ': ' inside a plain value; put it in quotes, or give the key the column of "
     "the others"},
    {"- func: f(int a) -> int$  dispatch:$    CPU:$      one$",
     "ops.yaml:3:9: found the end of the line, wanted a value in the same line"},
    {"- func: f(int a) -> int$  - func: g(int a) -> int$", "ops.yaml:2:3: found '-', wanted 'key: value'"},
    // Keys and their values.
    {"- func: f(int a) -> int$  dispach:$    CPU: one$",
     "ops.yaml:2:3: found the key 'dispach', wanted one of an entry, such as func or dispatch; the nearest name is "
     "dispatch"},
    {"- func: f(int a) -> int$  python_module: nn$",
     "ops.yaml:2:3: found the key 'python_module', wanted one of an entry, such as func or dispatch"},
    {"- func: f(int a) -> int$  func: g(int a) -> int$",
     "ops.yaml:2:3: found the key 'func' a second time in this entry, wanted it once"},
    {"- variants: function$",
     "ops.yaml:1:1: found an entry without func, wanted 'func: name(Tensor self) -> Tensor', its schema"},
    {"- func: f(int a) -> int$  dispatch: one$",
     "ops.yaml:2:3: found a single value for 'dispatch', wanted a map of lines 'CPU, CUDA: function'"},
    {"- func: f(int a) -> int$  dispatch:$    CPUU: one$",
     "ops.yaml:3:5: found the key 'CPUU', wanted a dispatch key or an alias, such as CPU; the nearest name is CPU"},
    {"- func: f(int a) -> int$  dispatch:$    CPU, SparseCpu: one$",
     "ops.yaml:3:10: found the key 'SparseCpu', wanted a dispatch key or an alias, such as CPU; the nearest name is "
     "SparseCPU"},
    {"- func: f(int a) -> int$  dispatch:$    CPU: one$    CUDA, CPU: one$",
     "ops.yaml:4:11: found the key 'CPU' a second time in this entry; the first is in line 3"},
    {"- func: f(int a) -> int$  dispatch:$    CPU: one two$",
     "ops.yaml:3:10: found 'one two', wanted the name of a function"},
    {"- func: f(int a) -> int$  dispatch:$    npu: one$",
     "ops.yaml:3:5: found the key 'npu', wanted one of a private backend that is registered, or another dispatch key"},
    {"- func: f(int a) -> int$  variants: function, methods$",
     "ops.yaml:2:23: found 'methods', wanted function, method or both"},
    {"- func: f(int a) -> int$  variants: method$",
     "ops.yaml:1:1: found the variant method for 'f', wanted an argument 'self' in its schema"},
    {"- func: f(int a) -> int$  structured: Yes$", "ops.yaml:2:15: found 'Yes', wanted True or False"},
    {"- func: f(int a) -> int$  device_check: None$", "ops.yaml:2:17: found 'None', wanted NoCheck or ExactSame"},
    {"- func: f(int a) -> int$  tags: [core, pointwize]$",
     "ops.yaml:2:16: found the tag 'pointwize', wanted one of topbit's or PyTorch's, such as pointwise; the nearest "
     "name is pointwise"},
    {"- func: f(int a) -> int$  autogen: f.out$",
     "ops.yaml:2:12: found no entry of 'f.out', wanted one: forms are not made from others"},
    // Schemas.
    {"- func: f$", "ops.yaml:1:9: found 'f', wanted a schema, such as add(Tensor self, Tensor other) -> Tensor"},
    {"- func: f(int a -> int$", "ops.yaml:1:17: found '->', wanted ',' or ')'"},
    {"- func: f(int a,$      int a) -> int$", "ops.yaml:2:11: found 'a)', wanted a name that no other argument has"},
    {"- func: f(Tensor(b!) x) -> Tensor(a!)$",
     "ops.yaml:1:28: found 'Tensor(a!)', wanted the type and alias set of an argument that is written, since this "
     "result is"},
    {"- func: f(double a) -> int$", "ops.yaml:1:11: found 'double', wanted 'float', the schema's name of a double"},
    {"- func: f(Unknown a) -> int$",
     "ops.yaml:1:9: toy::f at : schema 'toy::f(Unknown a) -> int', column 8: 'Unknown' is not a type that a schema "
     "text can name; import topbit.ops for its types, or call topbit::author::register_schema_types<\"Unknown\">()"},
    {"- func: g::f(int a) -> int$", "ops.yaml:1:9: found the namespace 'g', wanted 'toy', or none"},
    // Groups.
    {"- func: f(int a) -> int$- func: f(int b) -> int$",
     "ops.yaml:2:9: found the operator 'f' a second time; the first is in line 1"},
    {"- func: f(int a) -> int$  structured_inherits: TensorIteratorBase$",
     "ops.yaml:2:24: found structured_inherits, wanted 'structured: True' beside it"},
    {"- func: f(int a) -> int$  structured: True$",
     "ops.yaml:2:15: found structured 'f' without dispatch, wanted a kernel for a backend"},
    {"- func: f(int a) -> int$  structured: True$  dispatch:$    CompositeExplicitAutograd: one$",
     "ops.yaml:4:5: found CompositeExplicitAutograd for structured 'f', wanted keys of backends: a composite has no "
     "kernel that its forms can share"},
    {"- func: f(int a) -> int$  structured_delegate: f.out$",
     "ops.yaml:2:24: found structured_delegate 'f.out', wanted an entry of this table"},
    {"- func: f(int a) -> int$  structured_delegate: f.o$- func: f.o(int a) -> int$",
     "ops.yaml:2:24: found structured_delegate 'f.o', wanted an entry with 'structured: True'; line 3 has none"},
    {"- func: f(int a) -> int$  structured_delegate: f.o$  dispatch:$    CPU: one$- func: f.o(int a) -> int$  "
     "structured: True$  dispatch:$    CPU: one$",
     "ops.yaml:4:5: found CPU for 'f', which has its kernels of backends from 'f.o'; remove it, or "
     "structured_delegate"},
    // Functions.
    {"- func: f(int a) -> int$  dispatch:$    CPU: onne$",
     "ops.yaml:3:10: found no kernel 'onne' for toy::f, wanted one among those given; the nearest name is one"},
    {"- func: f(int a) -> int$", "ops.yaml:1:9: found no kernel 'f' for toy::f, wanted one among those given"},
    {"- func: f(int a) -> int$  dispatch:$    CPU: other$",
     "ops.yaml:3:10: toy::f: implemented for CPU at  with the signature 'double (double)', defined at  with 'int64_t "
     "(int64_t)'; kernel for toy::f, argument 1 'a': the schema needs 'int64_t', the kernel takes 'double'"},
    {"- func: f(int a) -> int$  gradient: onee$  dispatch:$    CPU: one$",
     "ops.yaml:2:13: found no kernel 'onee' for toy::f, wanted one among those given; the nearest name is one"},
};

std::string sentence_for(std::string_view text) {
  std::string lines;
  for (const char c : text) lines += c == '$' ? '\n' : c;
  tb::registry r;
  const std::vector kernels{tables::kernel_named<&one>("one"), tables::kernel_named<&other>("other")};
  try {
    const auto block = tables::library_from_text(lines, "ops.yaml", "toy", kernels, r, std::source_location());
    return "accepted";
  } catch (const tb::bad_registration& e) {
    return e.what();
  }
}

}  // namespace

TEST_CASE("tables: each mistake is named with its place", "[tables]") {
  for (const broken& b : all) CHECK(sentence_for(b.text) == b.sentence);
}
