// Random programs of all operators, run twice: on one thread, and in the smallest parts there are on four. What comes
// out is compared to the bit.
//
// A step of a program is the first example of an operator's page, with tensors of other sizes, dtypes, strides and
// elements: sizes that were equal in the example stay equal, so that operands go on fitting each other. Where an
// earlier step made a tensor of the wanted kind, it may be taken. Calls that are refused are left out. The programs are
// the same in every run; TOPBIT_TEST_SCALE=1000 makes a search of an hour of it.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "examples.h"
#include "support/properties.h"
#include "support/scale.h"

import topbit;

namespace tb = topbit;
using support::numbers;
using tb::shape;
using tb::tensor;

namespace tb_cpu {
extern std::int64_t parallel_grain;
}

namespace {

constexpr tb::dispatch_key layer_key = tb::key::UserTop2;

std::function<void(const tb::operator_handle&, tb::boxed_stack&)> action;
void act(const tb::operator_handle& op, tb::key_set, tb::boxed_stack& s) {
  const tb::exclude_guard parts_are_not_meant(layer_key);
  action(op, s);
}
const auto layer = tb::fallback<&act>(layer_key);

// The arguments of the first example of each page, but of what leaves elements unwritten.
struct example {
  tb::operator_handle op;
  std::vector<tb::value> arguments;
};
std::vector<example> all_examples() {
  std::vector<example> all;
  const std::set<std::string_view> unwritten{"aten::empty", "aten::empty_like", "aten::empty_strided",
                                             "aten::new_empty", "aten::new_empty_strided"};
  action = [&](const tb::operator_handle& op, tb::boxed_stack& s) {
    const auto given = s.top(op.argument_count());
    std::string_view name = op.name();
    name = name.substr(0, name.find('.'));
    if (!unwritten.contains(name)) {
      std::vector<tb::value> kept(given.begin(), given.end());
      for (tb::value& v : kept) v.make_owned();
      all.push_back({op, std::move(kept)});
    }
    op.call_boxed(s);
  };
  const tb::include_guard watched(layer_key);
  for (const tb::author::page_group& g : tb::author::operator_pages()) {
    for (const tb::author::operator_page& p : g.pages) {
      if (!p.lines.examples[0].call.empty())
        pages::run(pages::parsed(p.operators.front().op->ns, p.lines.examples[0].call));
    }
  }
  return all;
}

struct setting {
  int threads;
  std::int64_t grain;
};
class with_setting {
 public:
  explicit with_setting(setting s) : threads_(tb::num_threads()), grain_(tb_cpu::parallel_grain) { set(s); }
  ~with_setting() { set({threads_, grain_}); }

 private:
  static void set(setting s) {
    tb::set_num_threads(s.threads);
    tb_cpu::parallel_grain = s.grain;
  }
  int threads_;
  std::int64_t grain_;
};

// A tensor as the example has one: of the dtype's category mostly, with sizes that follow from the example's.
class drawer {
 public:
  explicit drawer(numbers& source, const std::vector<tensor>& earlier) : source_(source), earlier_(earlier) {
    const tb::dtype floats[] = {tb::dtype::float32, tb::dtype::float64, tb::dtype::float16, tb::dtype::bfloat16};
    floating_ = floats[source.whole(0, 3)];
    integer_ = source.whole(0, 2) != 0 ? tb::dtype::int64 : support::dtypes[source.whole(0, 5)];
    mixed_ = source.whole(0, 3) == 0;
    range_ = source.whole(0, 6);
    if (source.whole(0, 2) != 0) {
      for (std::int64_t d = source.whole(1, 3); d > 0; --d) front_.push_back(source.whole(1, 7));
    }
  }
  tensor like(const tensor& shown) {
    if (!shown.defined()) return shown;
    shape sizes;
    if (shown.dim() > 0 || source_.whole(0, 3) == 0) sizes = front_;
    for (std::int64_t n : shown.sizes()) sizes.push_back(size_for(n));
    const tb::dtype type = mixed_ && source_.whole(0, 1) == 0    ? support::dtypes[source_.whole(0, 9)]
                           : tb::is_floating(shown.dtype())      ? floating_
                           : shown.dtype() == tb::dtype::boolean ? shown.dtype()
                                                                 : integer_;
    if (source_.whole(0, 1) == 0) {
      for (const tensor& t : earlier_) {
        if (t.dtype() == type && t.sizes() == sizes) return support::twin(t, tb::cpu);
      }
    }
    if (tb::is_integer(type) && !tb::is_floating(shown.dtype())) {
      return support::any_whole_tensor(source_, sizes, type, 0, range_);
    }
    return support::any_odd_tensor(source_, sizes, type);
  }
  std::int64_t size_for(std::int64_t shown) {
    if (const auto known = sizes_.find(shown); known != sizes_.end()) return known->second;
    const std::int64_t size =
        shown == 1 && source_.whole(0, 3) != 0 ? 1 : source_.whole(source_.whole(0, 9) == 0 ? 0 : 1, 7);
    return sizes_[shown] = size;
  }

 private:
  numbers& source_;
  const std::vector<tensor>& earlier_;
  shape front_;  // dimensions before those of the example, for what takes any number of them
  std::map<std::int64_t, std::int64_t> sizes_;
  tb::dtype floating_, integer_;
  bool mixed_;
  std::int64_t range_;
};

// What a call leaves: its results, and the tensors it was given, which it may have written; or what it refused.
struct outcome {
  std::vector<tensor> left;
  std::string refused;
};
outcome outcome_of(const tb::operator_handle& op, const std::vector<tb::value>& given, setting how) {
  outcome out;
  tb::boxed_stack s;
  for (const tb::value& v : given) {
    s.push(tb::author::map_tensors(v, [&](const tensor& t) {
      if (!t.defined()) return t;
      out.left.push_back(support::twin(t, tb::cpu));
      return out.left.back();
    }));
  }
  const with_setting now(how);
  tb::manual_seed(7);
  try {
    op.call_boxed(s);
  } catch (const tb::error& e) {
    out.refused = e.what();
    return out;
  }
  for (const tb::value& v : s.top(op.result_count())) {
    tb::author::each_tensor(v, [&](const tensor& t) { out.left.push_back(t); });
  }
  return out;
}

// Empty, or the first element whose bits differ. Of a NaN only that it is one: which of two it is, sign and all,
// follows from the order in which a compiler puts the operands of a sum.
std::string difference(const tensor& a, const tensor& b) {
  if (a.defined() != b.defined()) return "one is undefined";
  if (!a.defined() || a.data() == b.data()) return {};
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) return "other dtype or sizes";
  std::string text;
  support::each_index(a.sizes(), [&](const shape& i) {
    const void *const x = support::address(a, i), *const y = support::address(b, i);
    if (!text.empty() || std::memcmp(x, y, tb::size_of(a.dtype())) == 0) return;
    const double one = support::get(a, i), other = support::get(b, i);
    if (std::isnan(one) && std::isnan(other)) return;
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, ": %a and %a", one, other);
    text = "element " + tb::to_string(i) + numbers;
  });
  return text;
}

}  // namespace

TEST_CASE("every operator: is bitwise the same on any number of threads, for any task size", "[pages][threads]") {
  const std::vector<example> examples = all_examples();
  REQUIRE(examples.size() > 300);
  constexpr setting alone{1, 32768}, in_parts{4, 1};
  const int programs = scaled(300);
  numbers source(11);
  int calls = 0;
  for (int program = 0; program < programs; ++program) {
    std::vector<tensor> earlier;
    for (int step = 0; step < 6; ++step) {
      const auto which = source.whole(0, static_cast<std::int64_t>(examples.size()) - 1);
      const example& call = examples[static_cast<std::size_t>(which)];
      drawer draw(source, earlier);
      std::vector<tb::value> given;
      std::string text(call.op.name());
      for (const tb::value& v : call.arguments) {
        given.push_back(tb::author::map_tensors(v, [&](const tensor& shown) {
          const tensor drawn = draw.like(shown);
          if (drawn.defined()) {
            text += ", " + std::string(tb::name_of(drawn.dtype())) + " " + tb::to_string(drawn.sizes()) + " strides " +
                    tb::to_string(drawn.strides());
          }
          return drawn;
        }));
      }
      INFO("program " << program << ", step " << step << ": " << text);
      const outcome wanted = outcome_of(call.op, given, alone), found = outcome_of(call.op, given, in_parts);
      REQUIRE(found.refused == wanted.refused);
      if (!wanted.refused.empty()) continue;
      ++calls;
      REQUIRE(found.left.size() == wanted.left.size());
      for (std::size_t i = 0; i < found.left.size(); ++i) {
        CHECK(difference(wanted.left[i], found.left[i]) == "");
        if (wanted.left[i].defined()) earlier.push_back(wanted.left[i]);
      }
    }
  }
  CHECK(calls > 3 * programs);
}
