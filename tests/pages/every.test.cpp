// All operators alike, called as the examples of their pages show: what no kernel of any of them may do.
#include <topbit/kernel_abi.h>
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "examples.h"

using namespace pages;
using tb::tensor;

namespace {

constexpr tb::dispatch_key layer_key = tb::key::UserTop1;

// What is done instead of the call that an example makes, below call_text() and above the operator.
std::function<void(const tb::operator_handle&, tb::boxed_stack&)> action;

void act(const tb::operator_handle& op, tb::key_set, tb::boxed_stack& s) {
  const tb::exclude_guard parts_are_not_meant(layer_key);
  action(op, s);
}
const auto layer = tb::fallback<&act>(layer_key);

// A tensor of a call, and the argument it is or is in.
struct placed {
  tensor t;
  std::size_t argument;
};
std::vector<placed> tensors_of(const tb::operator_handle& op, const tb::boxed_stack& s) {
  std::vector<placed> all;
  const std::span<const tb::value> arguments = s.top(op.argument_count());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    tb::author::each_tensor(arguments[i], [&](const tensor& t) {
      if (t.defined()) all.push_back({t, i});
    });
  }
  return all;
}

// Calls visit(operator, stack) for the examples of each page, with their arguments on the stack.
void each_call(std::function<void(const tb::operator_handle&, tb::boxed_stack&)> visit) {
  action = std::move(visit);
  const tb::include_guard watched(layer_key);
  for (const tb::author::page_group& g : tb::author::operator_pages()) {
    for (const tb::author::operator_page& p : g.pages) {
      for (const tb::author::page_example& e : p.lines.examples) {
        if (e.call.empty()) continue;
        const shown_call c = parsed(p.operators.front().op->ns, e.call);
        INFO(text_of(c));
        REQUIRE_NOTHROW(run(c));
      }
    }
  }
}

std::string label(const tb::operator_handle& op, std::size_t i) {
  return "argument " + std::to_string(i + 1) + " '" + std::string(op.parsed_schema()->arguments[i].name) + "'";
}

}  // namespace

TEST_CASE("every operator: counts its writes, exactly those of its schema", "[pages][every]") {
  std::size_t calls = 0;
  each_call([&](const tb::operator_handle& op, tb::boxed_stack& s) {
    const std::vector<placed> tensors = tensors_of(op, s);
    op.call_boxed(s);
    for (const placed& p : tensors) {
      INFO(label(op, p.argument));
      CHECK((p.t.version() != 0) == op.parsed_schema()->arguments[p.argument].writes);
    }
    ++calls;
  });
  CHECK(calls > 300);
}

TEST_CASE("every operator: keeps no reference to its arguments", "[pages][every]") {
  each_call([&](const tb::operator_handle& op, tb::boxed_stack& s) {
    const std::vector<placed> tensors = tensors_of(op, s);
    std::vector<std::pair<std::int64_t, std::int64_t>> before;
    const auto counts = [](const tensor& t) {
      return std::pair<std::int64_t, std::int64_t>(tb::author::record_of(t).references,
                                                   tb::author::record_of(t).data->references);
    };
    for (const placed& p : tensors) before.push_back(counts(p.t));
    tb::boxed_stack again;
    for (const tb::value& v : s.top(op.argument_count())) again.push(tb::value(v));
    op.call_boxed(again);
    again.drop(op.result_count());
    for (std::size_t i = 0; i < tensors.size(); ++i) CHECK(counts(tensors[i].t) == before[i]);
    op.call_boxed(s);
  });
}

TEST_CASE("every operator: refuses tensors of two devices, at any argument", "[pages][every][Y8]") {
  // They move elements between devices, read the sizes of one tensor alone, or take numbers from the host.
  const std::set<std::string> span{"aten::copy_",
                                   "aten::copy",
                                   "aten::fill.Tensor",
                                   "aten::fill_.Tensor",
                                   "aten::narrow.Tensor",
                                   "aten::expand_as",
                                   "aten::view_as",
                                   "aten::reshape_as",
                                   "aten::broadcast_tensors",
                                   "aten::atleast_1d.Sequence",
                                   "aten::atleast_2d.Sequence",
                                   "aten::atleast_3d.Sequence",
                                   "aten::tensor_split.tensor_indices_or_sections"};
  std::set<std::string> called, refused;
  each_call([&](const tb::operator_handle& op, tb::boxed_stack& s) {
    const std::vector<placed> tensors = tensors_of(op, s);
    const std::string name(op.name());
    if (!called.insert(name).second) return op.call_boxed(s);  // another example may not read a tensor at all
    for (std::size_t odd = 0; odd < tensors.size() && tensors.size() > 1; ++odd) {
      INFO("with tensor " << odd << " elsewhere, in " << label(op, tensors[odd].argument));
      tb::boxed_stack moved;
      std::size_t i = 0;
      for (const tb::value& v : s.top(op.argument_count())) {
        moved.push(tb::author::map_tensors(v, [&](const tensor& t) {
          if (!t.defined()) return t;
          return i++ == odd ? tb::author::make_tensor(t.sizes(), t.dtype(), tb::meta) : t;
        }));
      }
      std::string found = "nothing was thrown";
      try {
        op.call_boxed(moved);
      } catch (const tb::device_error& e) {
        found = e.what();
      } catch (const std::exception& e) {
        found = std::string("another type of error: ") + e.what();
      }
      if (span.contains(name)) {
        CHECK(found.find("wanted one device") == std::string::npos);
        continue;
      }
      // A composite's part may take them in another order.
      CHECK((found.starts_with("aten::") || found.starts_with("topbit::")));
      CHECK((found.find(" on meta and ") != std::string::npos || found.find(" on cpu and ") != std::string::npos));
      CHECK(found.ends_with(", wanted one device; move one with to()"));
      refused.insert(name);
    }
    op.call_boxed(s);
  });
  CHECK(refused.size() > 100);
}

namespace {

// A device with the kernels that every table has, and no others.
constexpr tb::device partial{tb::backend::PrivateUse7, 0};
const tb_kernels partial_table = [] {
  tb_kernels k{};
  k.size = sizeof(tb_kernels);
  k.version = TB_ABI_VERSION;
  k.name = "partial";
  k.copy = tb_cpu_kernels()->copy;
  k.arange = tb_cpu_kernels()->arange;
  k.elementwise = tb_cpu_kernels()->elementwise;
  return k;
}();

}  // namespace

TEST_CASE("every operator: a registered kernel uses only existing table entries", "[pages][every]") {
  const auto bytes = [](tb::device, void* to, const void* from, std::size_t n) { std::memcpy(to, from, n); };
  tb::set_memory_hook(partial.type, {[](tb::device, std::size_t n) { return std::calloc(n, 1); },
                                     [](tb::device, void* p) noexcept { std::free(p); }, bytes, bytes});
  tb::author::register_strided_backend(partial_table, tb::key::PrivateUse7);
  std::size_t done = 0, refused = 0;
  each_call([&](const tb::operator_handle& op, tb::boxed_stack& s) {
    tb::boxed_stack moved;
    bool some = false;
    for (const tb::value& v : s.top(op.argument_count())) {
      moved.push(tb::author::map_tensors(v, [&](const tensor& t) {
        if (!t.defined()) return t;
        some = true;
        return tb::to(t, partial);
      }));
    }
    try {
      if (some) op.call_boxed(moved);
      done += some;
    } catch (const tb::error& e) {
      CHECK(std::string(e.what()).find("in the table of this backend") == std::string::npos);
      ++refused;
    }
    op.call_boxed(s);
  });
  CHECK(done > 100);
  CHECK(refused > 50);
}
