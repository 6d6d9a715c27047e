#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::backend;
using tb::dtype;
using tb::tensor;

namespace {

tensor ones(dtype t) { return tb::ones({2, 2}, tb::arg<"dtype"> = t); }

// What the kernel that is taken says of the call.
template <class Op, class... A>
std::string note_of(const Op& op, const A&... a) {
  const tb::inspect::explanation e = tb::explain(op, a...);
  return e.candidates.back().note;
}

}  // namespace

TEST_CASE("describe: explain() names the arguments that are cast, and their dtypes", "[autocast][describe]") {
  const tensor single = ones(dtype::float32), low = ones(dtype::bfloat16), whole = ones(dtype::int64);
  const tb::autocast scope(backend::CPU);
  CHECK(note_of(aten::mm, low, single) == "casts to the scope's dtype: argument 2 'mat2' float32 to bfloat16");
  CHECK(note_of(aten::addmm, single, low, single) ==
        "casts to the scope's dtype: argument 1 'self' float32 to bfloat16; argument 3 'mat2' float32 to bfloat16");
  CHECK(note_of(aten::mm, low, low) == "casts to the scope's dtype: casts no argument of this call");
  CHECK(note_of(aten::mse_loss, low, single) == "casts to float32: argument 1 'self' bfloat16 to float32");
  CHECK(note_of(aten::cat, std::vector{low, single, low, whole})
            .ends_with(": argument 1 'tensors' bfloat16 to float32 and bfloat16 to float32"));
  CHECK(note_of(aten::exp, single).empty());
  CHECK(note_of(aten::mv, single, single) == "casts nothing, nor in its parts");
  CHECK(to_string(tb::explain(tb::mm, low, single)).find("float32 to bfloat16") != std::string::npos);
  const tb::autocast island(backend::CPU, {.enabled = false});
  CHECK(note_of(aten::mm, low, single).empty());
}

TEST_CASE("describe: explain() says where casts are cached", "[autocast][describe]") {
  const tensor x = ones(dtype::bfloat16), w = tb::require_grad(ones(dtype::float32));
  const tb::autocast scope(backend::CPU);
  CHECK(note_of(aten::mm, x, w).ends_with("argument 2 'mat2' float32 to bfloat16, to be cached"));
  tb::mm(x, w);
  CHECK(note_of(aten::mm, x, w).ends_with("argument 2 'mat2' float32 to bfloat16, cached"));
  const tb::autocast uncached(backend::CPU, {.cached = tb::cached_casts::none});
  CHECK(note_of(aten::mm, x, w).ends_with("argument 2 'mat2' float32 to bfloat16"));
}

TEST_CASE("describe: without a scope no call reaches a policy", "[autocast][describe]") {
  const tensor x = ones(dtype::float32);
  const tb::inspect::explanation e = tb::explain(aten::mm, x, x);
  CHECK_FALSE(e.effective.contains(tb::key::AutocastCPU));
  CHECK(e.selected == tb::key::AutogradCPU);
  CHECK(note_of(aten::mm, x, x).empty());
  // A scope of another backend lets calls on this one pass.
  const tb::autocast scope(backend::CUDA);
  CHECK(note_of(aten::mm, x, x) == "casts to the scope's dtype: no scope on this backend, calls pass through it");
}
