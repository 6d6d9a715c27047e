// The library's tables against PyTorch's lists (policies.txt), and results under autocast against PyTorch's dtypes
// (dtypes.txt, made by make_dtypes.py) and against casts by hand.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "golden/data.h"
#include "support/scale.h"
#include "support/tensor_values.h"
import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace author = topbit::author;
using author::cast_policy;
using tb::backend;
using tb::dtype;

namespace {

std::filesystem::path file(const char* name) { return std::filesystem::path(TOPBIT_AUTOCAST_FOLDER) / name; }

// By operator.
using policies = std::map<std::string, cast_policy>;
policies read_policies(std::string_view list) {
  policies all;
  for (const std::string& line : golden::lines_of(file("policies.txt"))) {
    std::istringstream words(line);
    std::string of, policy, name;
    words >> of >> policy;
    if (of != list) continue;
    int found = 0;
    while (author::name_of(cast_policy(found)) != policy) ++found;
    while (words >> name) all["aten::" + name] = cast_policy(found);
  }
  return all;
}

std::string note_of(const tb::operator_handle& op, tb::dispatch_key key) {
  return tb::inspect::computed_row(op, key).note;
}

// The dtypes of the tensors in a text such as "[1, 2] (int64 [2])".
std::string dtypes_in(const std::vector<std::string>& results) {
  std::string all;
  for (const std::string& text : results) {
    for (std::size_t at = text.find('('); at != text.npos; at = text.find('(', at + 1)) {
      const std::size_t end = text.find(" [", at);
      all += (all.empty() ? "" : " ") + text.substr(at + 1, end - at - 1);
    }
  }
  return all;
}

// Empty if the call is refused.
std::string dtypes_of_call(const tb::operator_handle& op, const golden::one_case& c) {
  const std::vector<std::string_view> arguments(c.arguments.begin(), c.arguments.end());
  try {
    return dtypes_in(tb::call_text(op, arguments));
  } catch (const tb::error&) {
    return "";
  }
}

// Calls visit(operator, case, dtypes) for each case of which PyTorch says the dtypes, on the CPU or on CUDA.
template <class Visit>
void each_case(bool cuda, Visit visit) {
  for (const golden::block& b : golden::read_blocks(file("dtypes.txt"))) {
    const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
    if (!op) continue;
    for (const golden::one_case& c : b.cases) {
      const std::string both = c.line.substr(c.line.find("=> ") + 3);
      const std::size_t middle = both.find(" | ");
      const std::string wanted = cuda ? both.substr(middle + 3) : both.substr(0, middle);
      if (wanted != "-") visit(*op, c, wanted);
    }
  }
}

// Parts of composites that the CPU's list has, and CUDA's has not.
constexpr auto not_on_cuda = tb::casts::policies(
    tb::casts::unchanged<aten::cat, aten::stack, aten::index_copy, aten::reflection_pad1d, aten::reflection_pad2d,
                         aten::replication_pad1d, aten::replication_pad2d, aten::replication_pad3d>{});
// Whether a call of this operator on the CPU does as on CUDA while the CPU has CUDA's list and not_on_cuda too.
bool is_as_on_cuda(const tb::operator_handle& op) {
  const std::string on_cpu = note_of(op, tb::key::AutocastCPU);
  return !note_of(op, tb::key::AutocastCUDA).empty() || on_cpu.empty() ||
         on_cpu == author::note_of(cast_policy::unchanged);
}

// Operators whose dtypes differ without autocast too: they refuse the same calls, or their statistics have another one.
const std::set<std::string> others{
    "aten::_log_softmax_backward_data", "aten::_softmax_backward_data", "aten::avg_pool1d", "aten::avg_pool2d",
    "aten::avg_pool2d_backward",        "aten::bucketize.Tensor",       "aten::histc",      "aten::native_batch_norm",
    "aten::searchsorted.Tensor"};

}  // namespace

TEST_CASE("dtypes: the tables are PyTorch's lists", "[autocast][dtypes][M7]") {
  // Composites here that are none in PyTorch, or have other parts, and operators that only topbit has.
  const policies of_topbit{{"aten::linalg_matmul", cast_policy::lower},
                           {"aten::nll_loss_nd", cast_policy::fp32},
                           {"topbit::convolve", cast_policy::lower},
                           {"topbit::attend", cast_policy::lower},
                           {"topbit::cross_entropy", cast_policy::fp32}},
      of_topbit_cpu{{"aten::mv", cast_policy::unchanged},
                    {"aten::addmv", cast_policy::unchanged},
                    {"aten::dot", cast_policy::unchanged},
                    {"aten::vdot", cast_policy::unchanged},
                    {"aten::index_fill.int_Scalar", cast_policy::unchanged},
                    {"aten::index_fill.int_Tensor", cast_policy::unchanged}},
      of_topbit_cuda{{"aten::square", cast_policy::fp32}};
  for (const bool cuda : {false, true}) {
    policies wanted = read_policies(cuda ? "cuda" : "cpu");
    wanted.insert(of_topbit.begin(), of_topbit.end());
    const policies& more = cuda ? of_topbit_cuda : of_topbit_cpu;
    wanted.insert(more.begin(), more.end());
    std::size_t found = 0;
    for (const std::string& name : tb::registry::process().operators()) {
      const tb::operator_handle op = tb::find(name);
      const auto listed = wanted.find(name);
      const cast_policy policy = listed == wanted.end() ? cast_policy::none : listed->second;
      INFO((cuda ? "CUDA " : "CPU ") << name);
      CHECK(note_of(op, cuda ? tb::key::AutocastCUDA : tb::key::AutocastCPU) == author::note_of(policy));
      found += policy != cast_policy::none ? 1 : 0;
    }
    CHECK(found == (cuda ? decltype(tb::autocast_cuda)::size : decltype(tb::autocast_cpu)::size));
  }
}

namespace {

void compare_dtypes(bool cuda) {
  std::set<std::string> expected = others;
  // PyTorch's result has the dtype of one argument: of the first one for a fake tensor, and of the second one.
  expected.emplace(cuda ? "aten::threshold_backward" : "aten::mish_backward");
  std::set<std::string> differ;
  std::size_t calls = 0;
  each_case(cuda, [&](const tb::operator_handle& op, const golden::one_case& c, const std::string& wanted) {
    if (cuda && !is_as_on_cuda(op)) return;
    ++calls;
    std::optional<tb::autocast> scope(std::in_place, backend::CPU);
    const std::string found = dtypes_of_call(op, c);
    if (found == wanted) return;
    differ.emplace(op.name());
    scope.reset();
    const bool as_without = found == dtypes_of_call(op, c);
    if (as_without && expected.contains(std::string(op.name()))) return;
    FAIL_CHECK(op.name() << " " << c.line << "\n  found " << (found.empty() ? "a refusal" : found));
  });
  CHECK(differ == expected);
  CHECK(calls > 1500);
}

}  // namespace

TEST_CASE("dtypes: results under autocast have the dtypes of PyTorch's", "[autocast][dtypes]") {
  compare_dtypes(false);
}

namespace {

using values = std::vector<tb::value>;

values arguments_of(const tb::operator_handle& op, const golden::one_case& c) {
  tb::boxed_stack stack;
  author::push_arguments(stack, op, std::vector<std::string_view>(c.arguments.begin(), c.arguments.end()));
  const auto all = stack.top(stack.size());
  return {all.begin(), all.end()};
}
values call(const tb::operator_handle& op, const values& arguments) {
  tb::boxed_stack stack;
  for (const tb::value& v : arguments) stack.push(v);
  op.call_boxed(stack);
  const auto all = stack.top(stack.size());
  return {all.begin(), all.end()};
}

// Dtypes and bits of all tensors; "refused" if the call is.
std::string bits_of(const tb::operator_handle& op, const values& arguments) {
  std::string all;
  try {
    for (const tb::value& v : call(op, arguments)) {
      author::each_tensor(v, [&](const tb::tensor& t) {
        if (!t.defined()) return;
        all += std::string(tb::name_of(t.dtype())) + " " + tb::to_string(t.sizes()) + ":";
        for (const std::byte b : support::bytes(tb::clone(t))) all += " " + std::to_string(static_cast<int>(b));
      });
    }
  } catch (const tb::error&) {
    return "refused";
  }
  return all;
}

bool is_cast(const tb::tensor& t) { return t.defined() && tb::is_floating(t.dtype()) && t.dtype() != dtype::float64; }

// Numbers between 0 and 1 that no narrower dtype has.
tb::tensor with_digits(const tb::tensor& t, support::numbers& source) {
  if (!t.defined() || !tb::is_floating(t.dtype())) return t;
  const tb::tensor x = author::make_tensor(t.sizes(), t.dtype(), t.device());
  support::each_index(t.sizes(), [&](const tb::shape& i) { support::set(x, i, source.real(0.05, 0.95)); });
  return x;
}

// What the call does that a user writes in place of autocast.
std::string bits_by_hand(tb::operator_handle op, cast_policy policy, values arguments, dtype low) {
  const auto cast = [&](dtype to) {
    for (tb::value& v : arguments)
      v = author::map_tensors(v, [&](const tb::tensor& t) { return is_cast(t) ? tb::to(t, to) : t; });
  };
  const auto first = [&] {
    std::optional<tb::tensor> found;
    author::each_tensor(arguments[0], [&](const tb::tensor& t) { found = t; });
    return *found;
  };
  switch (policy) {
    case cast_policy::lower: cast(low); break;
    case cast_policy::fp32:
    case cast_policy::banned: cast(dtype::float32); break;
    case cast_policy::promote: {
      dtype type = low;
      for (const tb::value& v : arguments) {
        author::each_tensor(v, [&](const tb::tensor& t) {
          if (is_cast(t)) type = tb::promote(type, t.dtype());
        });
      }
      cast(type);
      break;
    }
    case cast_policy::set_dtype:
      for (std::size_t i = 0; i < arguments.size() && is_cast(first()); ++i) {
        if (op.parsed_schema()->arguments[i].name == "dtype" && tb::to_string(arguments[i]) == "None")
          arguments[i] = author::read_argument(op, i, "float32");
      }
      break;
    case cast_policy::append_dtype: {
      const dtype type = is_cast(first()) ? dtype::float32 : first().dtype();
      op = tb::find(op.name() == "aten::norm.Scalar" ? "aten::norm.ScalarOpt_dtype" : "aten::norm.ScalarOpt_dim_dtype");
      arguments.push_back(author::read_argument(op, arguments.size(), tb::name_of(type)));
      break;
    }
    case cast_policy::none:
    case cast_policy::unchanged: break;
  }
  return bits_of(op, arguments);
}

void compare_with_casts_by_hand(bool cuda) {
  const policies listed = read_policies(cuda ? "cuda" : "cpu");
  support::numbers source(11);
  std::set<std::string> compared;
  for (int round = 0; round < scaled(3); ++round) {
    each_case(cuda, [&](const tb::operator_handle& op, const golden::one_case& c, const std::string&) {
      const auto policy = listed.find(std::string(op.name()));
      if (policy == listed.end()) return;
      values arguments = arguments_of(op, c);
      for (tb::value& v : arguments)
        v = author::map_tensors(v, [&](const tb::tensor& t) { return with_digits(t, source); });
      for (const dtype low : {dtype::bfloat16, dtype::float16}) {
        if (policy->second == cast_policy::banned && low == dtype::float16) continue;
        const std::string wanted = bits_by_hand(op, policy->second, arguments, low);
        const tb::autocast scope(backend::CPU, {.lower = low});
        if (bits_of(op, arguments) != wanted) FAIL_CHECK(op.name() << " " << tb::name_of(low) << " " << c.line);
        if (wanted != "refused") compared.emplace(op.name());
      }
    });
  }
  CHECK(compared.size() > (cuda ? 60 : 30));
}

}  // namespace

TEST_CASE("dtypes: calls under autocast give the bits of casts by hand, operator by operator",
          "[autocast][dtypes][M4]") {
  compare_with_casts_by_hand(false);
}

TEST_CASE("dtypes: a backend can take the list of another one", "[autocast][dtypes]") {
  const tb::tensor low = tb::ones({2, 2}, tb::arg<"dtype"> = dtype::bfloat16);
  const tb::autocast scope(backend::CPU);
  {
    const auto as_on_cuda = tb::author::install_casts<backend::CPU, tb::autocast_cuda>();
    CHECK(aten::softmax_int(low, 0).dtype() == dtype::float32);
    CHECK(aten::exp(low).dtype() == dtype::float32);
    CHECK(aten::mm(low, low).dtype() == dtype::bfloat16);
  }
  CHECK(aten::softmax_int(low, 0).dtype() == dtype::bfloat16);
  CHECK(aten::exp(low).dtype() == dtype::bfloat16);
}

TEST_CASE("dtypes: with CUDA's list results have the dtypes of PyTorch's on CUDA, and the bits of casts by hand",
          "[autocast][dtypes]") {
  const auto as_on_cuda = tb::author::install_casts<backend::CPU, tb::autocast_cuda>();
  const auto without = tb::author::install_casts<backend::CPU, not_on_cuda>();
  compare_dtypes(true);
  compare_with_casts_by_hand(true);
}

TEST_CASE("dtypes: operators that are told float32 convert as they read, without a cast", "[autocast][dtypes]") {
  const auto as_on_cuda = tb::author::install_casts<backend::CPU, tb::autocast_cuda>();
  const policies listed = read_policies("cuda");
  support::numbers source(12);
  std::set<std::string> compared;
  each_case(true, [&](const tb::operator_handle& op, const golden::one_case& c, const std::string&) {
    const auto policy = listed.find(std::string(op.name()));
    if (policy == listed.end() ||
        (policy->second != cast_policy::set_dtype && policy->second != cast_policy::append_dtype))
      return;
    values low = arguments_of(op, c);
    if (low[0].get<tb::tensor>().dtype() != dtype::bfloat16) return;
    low[0] = tb::value(with_digits(low[0].get<tb::tensor>(), source));
    values wide = low;
    wide[0] = tb::value(tb::to(low[0].get<tb::tensor>(), dtype::float32));
    const std::vector<double> wanted = support::values(call(op, wide)[0].get<tb::tensor>());
    const tb::autocast scope(backend::CPU);
    tb::trace_session trace = tb::trace_session::this_thread();
    const tb::tensor found = call(op, low)[0].get<tb::tensor>();
    trace.stop();
    INFO(op.name());
    CHECK(found.dtype() == dtype::float32);
    CHECK(support::values(found) == wanted);
    CHECK(std::ranges::none_of(trace.events(),
                               [](const tb::inspect::trace_event& e) { return e.op == "aten::_to_copy"; }));
    compared.emplace(op.name());
  });
  CHECK(compared.size() == 11);
}
