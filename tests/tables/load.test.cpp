// Tables that are read when the program runs, comparisons with lists, generated declarations.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>

import topbit.core;
import topbit.tensor;
import topbit.tables;

namespace tb = topbit;
namespace tables = topbit::tables;

namespace {

std::int64_t add_cpu(std::int64_t a, std::int64_t b) { return a + b; }
std::int64_t add_meta(std::int64_t, std::int64_t) { return -1; }
std::int64_t twice(std::int64_t a) { return 2 * a; }
void add_boxed(const tb::operator_handle&, tb::boxed_stack& s) { s.pop(); }

constexpr std::string_view text = R"(
- func: add(int a, int b=2) -> int
  tags: [pointwise, nondeterministic_bitwise, core]
  dispatch:
    CompositeExplicitAutograd: add_cpu
    MAIA, Sparseopencl: add_meta
- func: twice.int(int a) -> int
- func: loaded::none(int a) -> int
  dispatch: {}
)";

const std::vector<tables::kernel> kernels =
    tables::kernels_of<tables::named<"add_cpu", &add_cpu>, tables::named<"twice", &twice>,
                       tables::named<"add_meta", &add_meta>>();

}  // namespace

TEST_CASE("tables load: operators, kernels and tags of a text are registered, and taken back with the block",
          "[tables]") {
  tb::registry r;
  {
    const auto opencl = tb::name_backend(tb::backend::PrivateUse2, "opencl");
    const auto block = tables::library_from_text(text, "ops.yaml", "loaded", kernels, r);
    const tb::operator_handle add = r.find("loaded::add");
    CHECK(add.typed<std::int64_t(std::int64_t, std::int64_t)>()(40, 2) == 42);
    CHECK(r.find("loaded::twice.int").typed<std::int64_t(std::int64_t)>()(4) == 8);
    CHECK(add.schema() == "loaded::add(int a, int b=2) -> int");
    CHECK(add.tags() == (tb::tag_set(tb::tag::pointwise) | tb::tag::nondeterministic));
    CHECK(tb::inspect::has_kernel(add, tb::key::MAIA));
    CHECK(tb::inspect::has_kernel(add, tb::key::SparsePrivateUse2));
    CHECK_THROWS_AS(r.find("loaded::none").typed<std::int64_t(std::int64_t)>()(4), tb::no_kernel);
  }
  CHECK(r.operators().empty());
}

TEST_CASE("tables load: kernels may be boxed, or pointers", "[tables]") {
  tb::registry r;
  const std::vector<tables::kernel> others{tables::kernel_named<&add_boxed>("add_cpu"),
                                           tables::kernel_named("twice", &twice)};
  const auto block = tables::library_from_text(
      "- func: add(int a, int b) -> int\n  dispatch:\n    CompositeExplicitAutograd: add_cpu\n- func: twice(int a) -> "
      "int\n",
      "ops.yaml", "loaded", others, r);
  CHECK(r.find("loaded::add").typed<std::int64_t(std::int64_t, std::int64_t)>()(40, 2) == 40);
  CHECK(r.find("loaded::twice").typed<std::int64_t(std::int64_t)>()(4) == 8);
}

TEST_CASE("tables load: nothing of a refused table remains", "[tables]") {
  tb::registry r;
  CHECK_THROWS_AS(tables::library_from_text(text, "ops.yaml", "loaded", std::span(kernels).first(1), r),
                  tb::bad_registration);
  CHECK(r.operators().empty());
  CHECK_NOTHROW(tb::library("loaded", r));
}

TEST_CASE("tables load: a file is read, and one that is not there is named", "[tables]") {
  tb::registry r;
  const std::string path = "tables_load_test.yaml";
  std::ofstream(path) << "- func: twice(int a) -> int\n";
  CHECK_NOTHROW(tables::load_operator_table(path, "loaded", kernels, r));
  std::ofstream(path) << "- func: twice(int a -> int\n";
  try {
    const auto block = tables::load_operator_table(path, "loaded", kernels, r);
    FAIL("a broken file was read");
  } catch (const tb::bad_registration& e) {
    CHECK(std::string(e.what()) == "tables_load_test.yaml:1:21: found '->', wanted ',' or ')'");
  }
  std::remove(path.c_str());
  try {
    const auto block = tables::load_operator_table(path, "loaded", kernels, r);
    FAIL("a file that is not there was read");
  } catch (const tb::bad_argument& e) {
    CHECK(std::string(e.what()) == "cannot read the operator table 'tables_load_test.yaml': No such file or directory");
  }
}

TEST_CASE("tables compare: each entry of a list is the same, differs, is missing or is refused", "[tables]") {
  tb::registry r;
  const auto block = tb::fragment("aten", r).def("add(int a, int b=2) -> int").def("twice(int a) -> int");
  const tables::list_comparison c = tables::compare_with_list(R"(
- func: add(SymInt a, int b=2) -> int
  python_module: nn
  dispatch:
    NewDevice: add_new
- func: twice(int a, int b) -> int
- func: thrice(int a) -> int
- func: broken(int a -> int
)",
                                                              "list.yaml", "aten", r);
  CHECK(to_string(c) ==
        "4 entries: 1 the same, 1 differs, 1 missing, 1 refused\n"
        "differs aten::twice | arguments: number is 2 and 1\n"
        "  theirs aten::twice(int a, int b) -> int\n"
        "  ours   aten::twice(int a) -> int\n"
        "refused 1 | found '->', wanted ',' or ')'\n"
        "refused aten::broken in line 8\n"
        "missing aten::thrice(int a) -> int\n");
  CHECK_THROWS_AS(tables::compare_with_list("- func", "list.yaml"), tb::bad_argument);
}

TEST_CASE("tables compare: PyTorch's own lists are read completely", "[tables]") {
  std::istringstream paths(TOPBIT_NATIVE_FUNCTIONS);
  std::size_t read = 0;
  for (std::string path; std::getline(paths, path, ':'); ++read) {
    INFO(path);
    std::ifstream file(path);
    const std::string list{std::istreambuf_iterator<char>(file), {}};
    std::size_t entries = 0;
    for (std::size_t at = list.find("- func: "); at != list.npos; at = list.find("- func: ", at + 1)) {
      const std::size_t line = list.rfind('\n', at);
      entries += at == 0 || line + 1 == at ? 1 : 0;
    }
    const tables::list_comparison c = tables::compare_with_list(list, path);
    CHECK(c.entries == entries);
    CHECK(c.same + c.differs.size() + c.missing.size() + c.refused.size() == entries);
    CHECK(c.refused.empty());
  }
  if (read == 0) SKIP("no TOPBIT_NATIVE_FUNCTIONS, so no list of operators to read");
}

TEST_CASE("tables generate: mistakes are named with their place", "[tables]") {
  const auto sentence = [](std::string_view table) -> std::string {
    try {
      return tables::generate(table,
                              {.ns = "demo", .module = "ops", .file = "ops.yaml", .header = "h", .constant = "t"});
    } catch (const tb::bad_argument& e) {
      return e.what();
    }
  };
  CHECK(sentence("- func: f.a(int a) -> int\n- func: f_a(int a) -> int\n") ==
        "ops.yaml:2:9: found 'f_a', which is called f_a in C++ like the entry in line 1; rename one");
  CHECK(sentence("- func: f(int a) -> int\n  dispatch:\n    CPU: native::f\n") ==
        "ops.yaml:3:10: found the function 'native::f', wanted a name without a namespace, which it is declared by");
  CHECK(sentence(
            "- func: f(int a) -> int\n  dispatch:\n    CPU: g\n- func: h(float a) -> int\n  dispatch:\n    CPU: g\n") ==
        "ops.yaml:6:10: found the function 'g' for schemas of different types, wanted one for each");
  CHECK(sentence("- func: f(int a -> int\n") == "ops.yaml:1:17: found '->', wanted ',' or ')'");
}
