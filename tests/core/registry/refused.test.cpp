// Every registration that can be refused: the whole text, and that nothing is different afterwards from what it was
// before: the operators, their records, and what every key of every operator runs.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "support/places.h"
#include "support/print.h"
#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using toy::image;

namespace {

inline constexpr tb::op<"ref::width", int(const image&)> width;
inline constexpr tb::op<"ref::width(int n) -> int"> width_of_number;
inline constexpr tb::op<"ref::depth(int n=1) -> int"> depth;
inline constexpr tb::op<"ref::depth(int n=2) -> int"> depth_by_two;
inline constexpr tb::op<"ref::dangling", int(const image&)> dangling;
inline constexpr tb::op<"ref::dangling(int n) -> int"> dangling_of_number;
inline constexpr tb::op<"ref::fresh", int(const image&)> fresh;
inline constexpr tb::op<"other::width", int(const image&)> elsewhere;
inline constexpr tb::op<"nowhere(int n) -> int"> nowhere;

template <int I>
int answer(const image&) {
  return I;
}
std::int64_t number(std::int64_t n) { return n; }
void boxed(const tb::operator_handle& op, tb::boxed_stack& s) {
  s.drop(op.argument_count());
  s.push(99);
}

// What nobody can write without meaning it: a key of a functionality that wants a backend, without one.
constexpr tb::dispatch_key bare_sparse{tb::functionality::Sparse}, bare_autograd{tb::functionality::Autograd};

struct room {
  tb::registry r;
  tb::library_block library = tb::library("ref", r)
                                  .def(width)
                                  .impl<&answer<1>>(width, key::CPU)
                                  .impl<&answer<2>>(width, key::CompositeImplicitAutograd)
                                  .def(depth)
                                  .impl<&number>(depth);
  tb::library_block kernels = tb::implement("ref", std::nullopt, r)
                                  .impl<&answer<3>>(width, key::CUDA)
                                  .impl<&answer<4>>(dangling, key::CUDA)
                                  .fallthrough(width, key::Tracer);
  tb::registration back = tb::fallback<&boxed>(key::AutogradMeta, r);

  // All that can be seen of the registry, as text.
  std::string seen() {
    std::string text;
    for (const std::string& name : r.operators()) {
      const auto op = r.find(name);
      text += name + " " + std::string(op.schema()) + " " + std::string(op.signature()) + "\n";
      for (const tb::inspect::kernel_record& k : op.kernels()) {
        text += "  " + to_string(k.target) + (k.boxed ? " boxed" : "") + (k.fallthrough ? " fallthrough" : "") + " " +
                k.file + ":" + std::to_string(k.line) + "\n";
      }
    }
    const auto call = r.find("ref::width").typed<int(const image&)>();
    for (unsigned row = 0; row < tb::author::row_count; ++row) {
      try {
        text += std::to_string(call.redispatch(tb::author::key_of_row(row), image{})) + " ";
      } catch (const tb::no_kernel& e) {
        text += std::string(e.what()) + "\n";
      }
    }
    text += std::to_string(r.find("ref::depth").typed<std::int64_t(std::int64_t)>()(7)) + "\n";
    text += toy::text_of<tb::unknown_operator>([&] { r.find("ref::dangling"); });
    text += toy::text_of<tb::unknown_operator>([&] { r.find("ref::fresh"); });
    return text + toy::text_of<tb::unknown_operator>([&] { r.find("other::width"); });
  }
};

struct refusal {
  const char* what;
  std::function<void(room&)> attempt;
  const char* text;
};

const refusal refusals[] = {
    // Building blocks
    {"a kernel for a building block", [](room& in) { in.library.impl<&answer<5>>(width, bare_sparse); },
     "ref::width: 'Sparse' at HERE is a building block and has no slot; name a backend, for example SparseCPU"},
    {"a boxed kernel for a building block", [](room& in) { in.library.impl_boxed<&boxed>(width, bare_autograd); },
     "ref::width: 'Autograd' at HERE is a building block and has no slot; name a backend, for example AutogradCPU"},
    {"a fallthrough for a building block", [](room& in) { in.library.fallthrough(fresh, bare_autograd); },
     "ref::fresh: 'Autograd' at HERE is a building block and has no slot; name a backend, for example AutogradCPU"},
    {"a block whose key is a building block",
     [](room& in) { (void)tb::implement("ref", bare_sparse, in.r).impl<&answer<5>>(width); },
     "ref::width: 'Sparse' at HERE is a building block and has no slot; name a backend, for example SparseCPU"},
    {"a fallback for a building block", [](room& in) { (void)tb::fallback<&boxed>(bare_sparse, in.r); },
     "fallback: 'Sparse' at HERE is a building block and has no slot; name a backend, for example SparseCPU"},

    // Fallbacks
    {"a fallback without a key", [](room& in) { (void)tb::fallback<&boxed>(key::Undefined, in.r); },
     "fallback at HERE: needs a key, found Undefined"},
    {"a second fallback for a key", [](room& in) { (void)tb::fallback<&boxed>(key::AutogradMeta, in.r); },
     "fallback for AutogradMeta at HERE: AutogradMeta has one already, registered at HERE"},
    {"a fallback for an alias of which one key has one",
     [](room& in) { (void)tb::fallback<&boxed>(key::Autograd, in.r); },
     "fallback for Autograd at HERE: AutogradMeta has one already, registered at HERE"},

    // Definitions
    {"another default", [](room& in) { (void)tb::fragment("ref", in.r).def(depth_by_two); },
     "ref::depth: defined at HERE as 'ref::depth(int n=1) -> int', and differently at HERE as 'ref::depth(int n=2) -> "
     "int'; argument 1 'n': default is '1' and '2'"},
    {"another signature", [](room& in) { in.library.def(width_of_number); },
     "ref::width: defined at HERE with the signature 'int64_t (int64_t)', defined at HERE with 'int (const "
     "toy::image&)'"},
    {"another signature than the kernel that waits for a definition",
     [](room& in) { in.library.def(dangling_of_number); },
     "ref::dangling: defined at HERE with the signature 'int64_t (int64_t)', implemented for CUDA at HERE with "
     "'int (const toy::image&)'; kernel for ref::dangling, argument 1 'n': the schema needs 'int64_t', the kernel "
     "takes "
     "'const toy::image&'"},
    {"a definition in an implementation block", [](room& in) { in.kernels.def(fresh); },
     "ref::fresh at HERE: def() in an implement() block; define it in a library() or a fragment()"},

    // Kernels
    {"a kernel of another signature than the definition", [](room& in) { in.kernels.impl<&number>(width_of_number); },
     "ref::width: implemented for CompositeImplicitAutograd at HERE with the signature 'int64_t (int64_t)', defined at "
     "HERE with 'int (const toy::image&)'; kernel for ref::width, argument 1: the schema needs 'const toy::image&', "
     "the kernel takes "
     "'int64_t'"},
    {"a fallthrough of another signature than the definition",
     [](room& in) { in.kernels.fallthrough(width_of_number, key::CPU); },
     "ref::width: implemented for CPU at HERE with the signature 'int64_t (int64_t)', defined at HERE with 'int (const "
     "toy::image&)'; fallthrough for ref::width, argument 1: the schema needs 'const toy::image&', the fallthrough "
     "takes "
     "'int64_t'"},

    // Namespaces
    {"a definition of another namespace", [](room& in) { in.library.def(elsewhere); },
     "other::width at HERE: belongs to the namespace 'other', the block to 'ref'"},
    {"a kernel of another namespace", [](room& in) { in.kernels.impl<&answer<5>>(elsewhere); },
     "other::width at HERE: belongs to the namespace 'other', the block to 'ref'"},
    {"a definition without a namespace", [](room& in) { in.library.def(nowhere); },
     "nowhere at HERE: belongs to the namespace '', the block to 'ref'"},
    {"a second library", [](room& in) { (void)tb::library("ref", in.r); },
     "library 'ref' at HERE: the namespace has one already, at HERE; add to it with fragment() or implement()"},
    {"a namespace without a name", [](room& in) { (void)tb::fragment("", in.r); },
     "namespace '' at HERE: needs an identifier of letters, digits and '_'"},
    {"a namespace that begins with a digit", [](room& in) { (void)tb::implement("2d", std::nullopt, in.r); },
     "namespace '2d' at HERE: needs an identifier of letters, digits and '_'"},
    {"a namespace with a space", [](room& in) { (void)tb::library("ref ", in.r); },
     "namespace 'ref ' at HERE: needs an identifier of letters, digits and '_'"},
    {"a namespace with a colon", [](room& in) { (void)tb::library("ref::more", in.r); },
     "namespace 'ref::more' at HERE: needs an identifier of letters, digits and '_'"},
    {"a namespace with letters beyond ASCII",
     [](room& in) {
       (void)tb::library(
           "r\xc3\xa9"
           "f",
           in.r);
     },
     "namespace 'r\xc3\xa9"
     "f' at HERE: needs an identifier of letters, digits and '_'"},

    // Several at once
    {"a chain whose last step is refused",
     [](room& in) { (void)tb::fragment("ref", in.r).def(fresh).impl<&answer<5>>(fresh, key::CPU).def(elsewhere); },
     "other::width at HERE: belongs to the namespace 'other', the block to 'ref'"},
    {"rows of which the last is refused",
     [](room& in) {
       static constexpr std::array rows{tb::author::define(fresh), tb::author::row<&answer<5>>(fresh, key::CPU),
                                        tb::author::row<&answer<6>>(width, key::CPU), tb::author::define(depth_by_two)};
       tb::author::register_rows(rows, in.r);
     },
     "ref::depth: defined at HERE as 'ref::depth(int n=1) -> int', and differently at HERE as 'ref::depth(int n=2) -> "
     "int'; argument 1 'n': default is '1' and '2'"},
};

}  // namespace

TEST_CASE("refused: a refused registration says why, in these words", "[core][error][K19][R28]") {
  for (const refusal& each : refusals) {
    INFO(each.what);
    room in;
    CHECK(toy::without_places(toy::text_of<tb::bad_registration>([&] { each.attempt(in); })) == each.text);
  }
}

TEST_CASE("refused: a refused registration changes nothing that can be seen", "[core][registry][K19][R16][R28]") {
  for (const refusal& each : refusals) {
    INFO(each.what);
    room in;
    const std::string before = in.seen();
    CHECK_THROWS_AS(each.attempt(in), tb::bad_registration);
    CHECK(in.seen() == before);
  }
}

TEST_CASE("refused: a block that was refused something goes on, and takes back what it has", "[core][library][R28]") {
  for (const refusal& each : refusals) {
    INFO(each.what);
    room in;
    const std::string before = in.seen();
    CHECK_THROWS_AS(each.attempt(in), tb::bad_registration);
    {
      const auto more = tb::fragment("ref", in.r).def(fresh).impl<&answer<7>>(fresh, key::CPU);
      CHECK(in.r.find("ref::fresh").typed<int(const image&)>()(image{key::CPU, 0, 0}) == 7);
      in.library.def(dangling);
      CHECK(in.r.find("ref::dangling").typed<int(const image&)>()(image{key::CUDA, 0, 0}) == 4);
    }
    in.library.reset();
    in.kernels.reset();
    CHECK(in.r.operators().empty());
    CHECK_NOTHROW((void)tb::library("ref", in.r).def(width_of_number).impl<&number>(width_of_number));
  }
}

TEST_CASE("refused: the error names the operator it is about", "[core][error][R28]") {
  for (const refusal& each : refusals) {
    INFO(each.what);
    room in;
    try {
      each.attempt(in);
      FAIL("nothing was thrown");
    } catch (const tb::bad_registration& e) {
      if (!e.op().empty()) CHECK(std::string_view(e.what()).starts_with(e.op()));
    }
  }
}
