// Every operator on batches: what it gives is what it gives for each example, and its errors are those of an example.
// The calls are those of the golden files.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "calls.h"
#include "golden/forms.h"
#include "support/scale.h"

import topbit;
import topbit.transform;

namespace tb = topbit;

namespace {

// All tensors are batched, and two arrangements are drawn; the sections random of `./dev test full` take all of them.
std::vector<examples::arrangement> arrangements(std::size_t tensors, std::size_t turn, std::mt19937& random) {
  const std::vector<examples::arrangement> all = examples::all_arrangements(tensors);
  if (test_scale() >= 10) return all;
  const examples::arrangement whole{std::vector<bool>(tensors, true), turn % 2 == 0 ? 0 : -1};
  return {whole, all[random() % all.size()], all[random() % all.size()]};
}

// Refused whatever the example: its sizes depend on elements, or it is read on the host; these where they read an
// argument on the host, or take a mask.
bool may_be_refused(const tb::operator_handle& op, const examples::arrangement& a,
                    const std::vector<tb::tensor>& tensors) {
  constexpr std::string_view reads_second[] = {"aten::repeat_interleave.self_Tensor", "aten::narrow.Tensor",
                                               "aten::tensor_split.tensor_indices_or_sections"};
  if (std::ranges::find(reads_second, op.name()) != std::end(reads_second)) return a.batched.at(1);
  if (op.name().starts_with("aten::masked_select")) return a.batched.at(1);
  if (op.name().starts_with("aten::index.Tensor") || op.name().starts_with("aten::index_put")) {
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      if (a.batched[i] && (tensors[i].dtype() == tb::dtype::boolean || tensors[i].dtype() == tb::dtype::uint8))
        return true;
    }
  }
  for (const tb::inspect::kernel_dump& k : tb::dump(op).kernels) {
    if (k.key == tb::key_target(tb::key::FuncTorchBatched) && k.note == "refused within vmap") return true;
  }
  return false;
}

// The in-place and out forms of an operator, with all tensors batched. The results of the operator say what to write
// to.
std::string check_forms(const std::vector<golden::form>& forms, const golden::block& b, std::size_t turn) {
  const std::vector<tb::value> arguments = calls::caught.arguments;
  const std::vector<tb::tensor> tensors = calls::caught.tensors;
  for (const golden::form& f : forms) {
    if (!f.options_given) continue;
    std::vector<tb::value> with_outs = arguments;
    std::vector<tb::tensor> all = tensors;
    if (!f.in_place) {
      std::vector<tb::tensor> plain = tensors;
      const examples::outcome o = examples::outcome_of(
          [&] { return examples::called(*tb::registry::process().try_find(b.name), arguments, plain); });
      if (!o.error.empty()) continue;
      for (const tb::tensor& r : o.results) {
        all.push_back(tb::zeros_like(r));
        with_outs.emplace_back(all.back());
      }
    }
    examples::arrangement a{std::vector<bool>(all.size(), true), turn % 2 == 0 ? 0 : -1};
    a.memory = golden::memories[turn % std::size(golden::memories)];
    // The result is written for each example, whatever is batched.
    if (!f.in_place && turn % 3 == 0)
      a.batched.assign(all.size() - f.outs.size(), false), a.batched.resize(all.size(), true);
    const std::string problem = examples::check(f.op, with_outs, all, a, b.how, may_be_refused(f.op, a, all));
    if (!problem.empty()) return std::string(f.op.name()) + " " + problem;
  }
  return {};
}

void check_family(const std::string& family) {
  std::size_t checked = 0;
  std::size_t turn = 0;
  std::mt19937 random(7);
  sampled_cases drawn;
  calls::each_block(family, [&](const tb::operator_handle& op, const golden::block& b) {
    std::size_t failed = 0;
    const std::vector<golden::form> forms = golden::forms_of(op);
    const auto report = [&](const golden::one_case& c, const std::string& problem) {
      if (!problem.empty() && ++failed <= 3) FAIL_CHECK(b.name << " " << c.line << "\n" << problem);
    };
    for (const golden::one_case& c : b.cases) {
      ++turn;
      if (!drawn.is_drawn() || !calls::read_arguments(op, c)) continue;
      const auto arguments = calls::caught.arguments;
      const auto tensors = calls::caught.tensors;
      for (examples::arrangement a : arrangements(tensors.size(), turn, random)) {
        // Its strides are those of an example that has memory of its own.
        if (b.name.starts_with("aten::as_strided")) a.dim = 0;
        if (b.how.dense) a.memory = golden::memory::dense;
        const bool may = may_be_refused(op, a, tensors);
        ++checked;
        report(c, examples::check(op, arguments, tensors, a, b.how, may));
      }
      if (!b.name.starts_with("aten::as_strided")) report(c, check_forms(forms, b, turn));
    }
    if (failed > 3) FAIL_CHECK(b.name << ": " << failed << " in all");
  });
  CHECK(checked >= 100 * test_scale());
  std::cout << "vmap " << family << ": " << checked << " calls checked\n";
  SUCCEED();
}

}  // namespace

// What no table lists is a composite, or a form that writes what another operator computes.
TEST_CASE("operators: none of the library is called for each example", "[transform][operators]") {
  for (const std::string& name : tb::registry::process().operators()) {
    if (!name.starts_with("aten::") && !name.starts_with("topbit::")) continue;
    const tb::operator_handle op = tb::registry::process().find(name);
    const tb::author::schema_view& s = *op.parsed_schema();
    if (std::ranges::none_of(s.arguments, [](const auto& i) { return i.type == "Tensor" && !tb::author::is_out(i); }))
      continue;
    using tb::inspect::row_reason;
    const row_reason why = tb::inspect::computed_row(op, tb::key::FuncTorchBatched).why;
    // Those that draw random numbers are called for each example by a kernel of their own.
    const row_reason random = tb::inspect::computed_row(op, tb::key::FuncTorchVmapMode).why;
    if (why != row_reason::backend_fallback || random == row_reason::kernel) continue;
    INFO(name);
    CHECK(tb::author::is_mutable(s));
    // Optimizers write lists of tensors, and nothing computes what they write.
    const bool updates = name.starts_with("aten::_fused_");
    bool has_functional = updates;
    for (const std::string& other : tb::registry::process().operators()) {
      const auto form = golden::form_of(tb::registry::process().find(other), op);
      has_functional = has_functional || (form && form->options_given);
    }
    CHECK(has_functional);
  }
}

TEST_CASE("unary: on batches as on each example", "[transform][operators]") { check_family("unary"); }
TEST_CASE("activation: on batches as on each example", "[transform][operators]") { check_family("activation"); }
TEST_CASE("binary: on batches as on each example", "[transform][operators]") { check_family("binary"); }
TEST_CASE("compare: on batches as on each example", "[transform][operators]") { check_family("compare"); }
TEST_CASE("create: on batches as on each example", "[transform][operators]") { check_family("create"); }
TEST_CASE("reduce: on batches as on each example", "[transform][operators]") { check_family("reduce"); }
TEST_CASE("scan: on batches as on each example", "[transform][operators]") { check_family("scan"); }
TEST_CASE("linalg: on batches as on each example", "[transform][operators]") { check_family("linalg"); }
TEST_CASE("index: on batches as on each example", "[transform][operators]") { check_family("index"); }
TEST_CASE("sort: on batches as on each example", "[transform][operators]") { check_family("sort"); }
TEST_CASE("norm: on batches as on each example", "[transform][operators]") { check_family("norm"); }
TEST_CASE("loss: on batches as on each example", "[transform][operators]") { check_family("loss"); }
TEST_CASE("window: on batches as on each example", "[transform][operators]") { check_family("window"); }
TEST_CASE("view: on batches as on each example", "[transform][operators]") { check_family("view"); }
TEST_CASE("dtype: on batches as on each example", "[transform][operators]") { check_family("dtype"); }
