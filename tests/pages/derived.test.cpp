// The errors that pages state without an example, since they follow from the schemas: each is provoked by changing an
// example of its page.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "examples.h"

namespace author = topbit::author;
using namespace pages;
using tb::tensor;

namespace {

const author::schema_view& schema_of(const std::string& name) { return *tb::find(name).parsed_schema(); }

// "[[0, 0]] (int64 [1, 2])"
std::string zeros(const std::string& sizes, const std::string& type) {
  return tb::call_text(tb::find("aten::zeros"), {sizes, "dtype=" + type}).front();
}

// "int64" and "[1, 2]" of "[[0, 0]] (int64 [1, 2])"
struct kind {
  std::string type, sizes;
};
kind kind_of(const std::string& tensor) {
  const std::string shown = tb::call_text(tb::find("aten::clone"), {tensor}).front();
  const std::size_t begin = shown.rfind('(') + 1, space = shown.find(' ', begin);
  return {shown.substr(begin, space - begin), shown.substr(space + 1, shown.size() - space - 2)};
}

bool is_one_tensor(const author::schema_item& a) {
  return a.type == "Tensor" && std::ranges::find(a.modifiers, author::type_modifier::list) == a.modifiers.end();
}

// The arguments of a call by their names.
using named = std::map<std::string, std::string>;
named arguments_of(const shown_call& c) {
  named all;
  for (std::size_t i = 0; i < c.arguments.size(); ++i) {
    const std::string name(argument_of(schema_of(c.name), c.arguments[i], i)->name);
    all[name] = c.arguments[i].starts_with(name + "=") ? c.arguments[i].substr(name.size() + 1) : c.arguments[i];
  }
  return all;
}

const author::schema_item* argument_named(const author::schema_view& s, std::string_view name) {
  const auto found = std::ranges::find(s.arguments, name, &author::schema_item::name);
  return found == s.arguments.end() ? nullptr : &*found;
}

// The call of a form with these arguments, of which those of the example have its types; none if the form lacks one of
// them, or needs others.
std::optional<shown_call> call_with(const std::string& form, const named& arguments,
                                    const author::schema_view& example) {
  shown_call c{form, {}};
  for (const author::schema_item& a : schema_of(form).arguments) {
    const author::schema_item* const shown = argument_named(example, a.name);
    if (shown != nullptr && shown->type != a.type) return std::nullopt;
    const auto given = arguments.find(std::string(a.name));
    if (given != arguments.end())
      c.arguments.push_back(given->first + "=" + given->second);
    else if (!a.has_default)
      return std::nullopt;
  }
  return c.arguments.size() == arguments.size() ? std::optional(c) : std::nullopt;
}

// Alike but for what is written: add.Tensor and add_.Tensor.
bool same_function(const author::schema_view& a, const author::schema_view& b) {
  const auto name = [](const author::schema_view& s) {
    return s.name.substr(0, s.name.size() - (author::is_in_place(s) ? 1 : 0));
  };
  return name(a) == name(b);
}

// Calls of forms of the page, each made from an example: change(schema, arguments, results) changes its arguments, or
// says that the form is another one.
template <class F>
std::vector<shown_call> changed_examples(const author::operator_page& p, F change) {
  std::vector<shown_call> calls;
  for (const author::page_example& e : p.lines.examples) {
    if (e.call.empty()) continue;
    const shown_call example = parsed(p.operators.front().op->ns, e.call);
    const std::vector<std::string> results = run(example);
    for (const author::page_operator& o : p.operators) {
      const std::string name(o.op->name);
      const author::schema_view& form = schema_of(name);
      named arguments = arguments_of(example);
      if (!same_function(form, schema_of(example.name)) || !change(form, arguments, results)) continue;
      if (const std::optional<shown_call> c = call_with(name, arguments, schema_of(example.name))) calls.push_back(*c);
    }
  }
  return calls;
}

// With outs that of_result(kind of the result) makes, without a call where it makes none.
template <class F>
std::vector<shown_call> with_outs(const author::operator_page& p, F of_result) {
  return changed_examples(p, [&](const author::schema_view& s, named& arguments, const auto& results) {
    for (const char* option : {"dtype", "layout", "device", "pin_memory"}) {
      if (argument_named(s, option) == nullptr) arguments.erase(option);
    }
    std::size_t outs = 0;
    bool made = true;
    for (const author::schema_item& a : s.arguments) {
      if (!author::is_out(a) || outs == results.size()) continue;
      const std::string out = of_result(kind_of(results[outs++]));
      made &= !out.empty();
      arguments[std::string(a.name)] = out;
    }
    return outs != 0 && made;
  });
}
std::vector<shown_call> in_place_of_bool(const author::operator_page& p) {
  return changed_examples(p, [](const author::schema_view& s, named& arguments, const auto& results) {
    if (!author::is_in_place(s) || !arguments.contains("self")) return false;
    arguments["self"] = zeros(kind_of(results.front()).sizes, "bool");
    return true;
  });
}
// The first two tensors with these sizes.
std::vector<shown_call> with_sizes(const author::operator_page& p, bool in_place, const std::string& first,
                                   const std::string& second) {
  return changed_examples(p, [&](const author::schema_view& s, named& arguments, const auto&) {
    std::size_t changed = 0;
    for (const author::schema_item& a : s.arguments) {
      const auto given = arguments.find(std::string(a.name));
      if (!is_one_tensor(a) || given == arguments.end() || changed == 2) continue;
      given->second = zeros(changed++ == 0 ? first : second, kind_of(given->second).type);
    }
    return changed == 2 && author::is_in_place(s) == in_place;
  });
}

// Calls that throw the error; none that it is thrown otherwise where another test provokes it.
std::optional<std::vector<shown_call>> calls_for(const author::operator_page& p, const author::page_error& e) {
  const std::string_view when = e.when;
  if (e.type == "device_error") return std::nullopt;  // every.test.cpp; texts make no other devices
  // pages.test.cpp: exactly the documented dtypes are accepted.
  if (e.type == "dtype_error" &&
      (when.ends_with("bool") || when.ends_with("is floating") || when.ends_with("is not floating")))
    return std::nullopt;
  if (when == "the operands do not broadcast") return with_sizes(p, false, "[2]", "[3]");
  if (when == "layout is not strided, or pin_memory is True") {
    return changed_examples(p, [](const author::schema_view&, named& arguments, const auto&) {
      arguments["pin_memory"] = "True";
      return true;
    });
  }
  std::vector<shown_call> calls;
  const auto add = [&](const std::vector<shown_call>& more) { calls.insert(calls.end(), more.begin(), more.end()); };
  const bool in_place = when.find("self in place") != std::string_view::npos;
  if (when.ends_with(", or elements that share memory")) {
    if (in_place) add(with_sizes(p, true, "[1]", "[2]"));
    if (!when.starts_with("self in place has"))
      add(with_outs(p, [](const kind& k) { return zeros("[1, 1, 1, 1, 1, 1, 2]", k.type); }));
  } else if (when.find(" result is of a higher category ") != std::string_view::npos) {
    if (in_place) add(in_place_of_bool(p));
    if (!when.ends_with("self in place"))
      add(with_outs(p, [](const kind& k) { return k.type == "bool" ? "" : zeros(k.sizes, "bool"); }));
  }
  return calls;
}

}  // namespace

TEST_CASE("operator docs: an error without an example is thrown by a changed example", "[pages]") {
  std::size_t count = 0;
  for (const author::page_group& g : author::operator_pages()) {
    for (const author::operator_page& p : g.pages) {
      INFO(p.operators.front().op->name);
      for (const author::page_error& e : p.lines.errors) {
        if (e.type.empty() || !e.example.empty()) continue;
        const std::optional<std::vector<shown_call>> calls = calls_for(p, e);
        if (!calls.has_value()) continue;
        INFO(e.type << " when " << e.when);
        CHECK_FALSE(calls->empty());
        for (const shown_call& c : *calls) {
          INFO(text_of(c));
          std::string message;
          CHECK(thrown_by(c, message) == e.type);
          INFO(message);
          ++count;
        }
      }
    }
  }
  CHECK(count > 300);
}

namespace {

constexpr tb::dispatch_key layer_key = tb::key::TestMode;

// What is done instead of the call that a text makes, below call_text() and above the operator.
std::function<void(const tb::operator_handle&, tb::boxed_stack&)> action;
void act(const tb::operator_handle& op, tb::key_set, tb::boxed_stack& s) {
  const tb::exclude_guard parts_are_not_meant(layer_key);
  action(op, s);
}
const auto layer = tb::fallback<&act>(layer_key);

// The tensors of a call in order, lists flattened; the outs come last.
std::vector<tensor> tensors_of(const tb::operator_handle& op, const tb::boxed_stack& s) {
  std::vector<tensor> all;
  for (const tb::value& v : s.top(op.argument_count()))
    tb::author::each_tensor(v, [&](const tensor& t) { all.push_back(t); });
  return all;
}
std::size_t out_count(const tb::operator_handle& op) {
  return static_cast<std::size_t>(std::ranges::count_if(op.parsed_schema()->arguments, author::is_out));
}

// Calls the operator with other tensors.
void call_with_tensors(const tb::operator_handle& op, const tb::boxed_stack& s, const std::vector<tensor>& tensors) {
  tb::boxed_stack changed;
  std::size_t i = 0;
  for (const tb::value& v : s.top(op.argument_count()))
    changed.push(tb::author::map_tensors(v, [&](const tensor&) { return tensors[i++]; }));
  tb::manual_seed(7);
  op.call_boxed(changed);
}

tensor dense_at(const tensor& storage, const tb::shape& sizes, std::int64_t offset) {
  return tb::as_strided(storage, sizes, tb::author::make_tensor(sizes, storage.dtype(), tb::cpu).strides(), offset);
}

// The tensors, copied, of which argument i lies one element in front of out o in the same storage.
std::vector<tensor> overlapping(const std::vector<tensor>& tensors, std::size_t i, std::size_t o) {
  std::vector<tensor> all;
  for (const tensor& t : tensors) all.push_back(t.defined() ? tb::clone(t) : t);
  const tensor storage =
      tb::zeros({tensors[i].numel() + tensors[o].numel() + 1}, tb::arg<"dtype"> = tensors[i].dtype());
  all[i] = dense_at(storage, tensors[i].sizes(), 0);
  all[o] = dense_at(storage, tensors[o].sizes(), 1);
  tb::copy_(all[i], tensors[i]);
  return all;
}

}  // namespace

TEST_CASE("operator docs: out may overlap an argument, and not itself", "[pages]") {
  std::size_t overlaps = 0, refused = 0;
  action = [&](const tb::operator_handle& op, tb::boxed_stack& s) {
    const std::vector<tensor> given = tensors_of(op, s);
    const std::size_t first_out = given.size() - out_count(op);
    std::vector<tensor> wanted;
    for (const tensor& t : given) wanted.push_back(t.defined() ? tb::clone(t) : t);
    call_with_tensors(op, s, wanted);
    for (std::size_t o = first_out; o < given.size(); ++o) {
      for (std::size_t i = 0; i < first_out; ++i) {
        if (!given[i].defined() || given[i].dtype() != given[o].dtype() || given[i].numel() == 0) continue;
        const std::vector<tensor> shared = overlapping(given, i, o);
        call_with_tensors(op, s, shared);
        INFO("tensor " << i << " and out " << o - first_out);
        CHECK(tb::allclose(shared[o], wanted[o], 1e-5, 1e-8, true));
        ++overlaps;
      }
      if (given[o].numel() < 2) continue;
      std::vector<tensor> repeated = wanted;
      repeated[o] = tb::expand(tb::zeros({}, tb::arg<"dtype"> = given[o].dtype()), given[o].sizes());
      CHECK_THROWS_AS(call_with_tensors(op, s, repeated), tb::shape_error);
      ++refused;
    }
    op.call_boxed(s);
  };
  for (const author::page_group& g : author::operator_pages()) {
    for (const author::operator_page& p : g.pages) {
      const std::vector<shown_call> calls = with_outs(p, [](const kind& k) { return zeros(k.sizes, k.type); });
      const tb::include_guard watched(layer_key);
      for (const shown_call& c : calls) {
        INFO(text_of(c));
        REQUIRE_NOTHROW(run(c));
      }
    }
  }
  CHECK(overlaps > 200);
  CHECK(refused > 200);
}
