#include "goals.h"

#include <algorithm>
#include <functional>

namespace bench {

namespace {

using value = std::optional<double>;

// How much faster topbit is than `other`, by the medians of one row.
value faster(const measured_row* row, const result* other) {
  const result* own = row == nullptr ? nullptr : best_of(*row, "topbit");
  if (own == nullptr || other == nullptr || own->seconds == 0) return std::nullopt;
  return other->seconds / own->seconds;
}
value faster(const report& r, const std::string& name, const std::string& than) {
  const measured_row* row = find(r, name);
  return row == nullptr ? std::nullopt : faster(row, best_of(*row, than));
}
value inverse(value v) { return v && *v != 0 ? value(1 / *v) : std::nullopt; }

// A product's rate over a peak's: what a call of the peak does is not what a product does.
value over_rate(const report& r, const std::string& name, const std::string& of) {
  const measured_row* row = find(r, name);
  const result* own = row == nullptr ? nullptr : best_of(*row, "topbit");
  const result* other = row == nullptr ? nullptr : best_of(*row, of);
  if (own == nullptr || other == nullptr || other->rate == 0) return std::nullopt;
  return own->rate / other->rate;
}

// The least over several rows, which all have to be there.
value least(const std::vector<value>& all) {
  value found;
  for (const value v : all) {
    if (!v) return std::nullopt;
    if (!found || *v < *found) found = v;
  }
  return found;
}

// The fastest library; of those whose error is within topbit's bound, or of all.
value over_best(const report& r, const std::string& name, bool bounded) {
  const measured_row* row = find(r, name);
  if (row == nullptr || (bounded && !bound(r, row->operation))) return std::nullopt;
  const result* best = nullptr;
  for (const result& one : row->results) {
    if (one.by == "topbit" || one.yardstick || (bounded && !within_bound(r, *row, one))) continue;
    if (best == nullptr || one.seconds < best->seconds) best = &one;
  }
  return faster(row, best);
}

value two_threads(const report& r, const std::string& name) {
  const measured_row* row = find(r, name);
  if (row == nullptr) return std::nullopt;
  const result *one = best_of(*row, "topbit", 1), *two = best_of(*row, "topbit", 2);
  return one == nullptr || two == nullptr || two->seconds == 0 ? std::nullopt : value(one->seconds / two->seconds);
}

// Of topbit over libtorch, of the time that the one row takes more than the other.
value over_difference(const report& r, const std::string& more, const std::string& less) {
  const auto seconds = [&](const char* by) -> value {
    const measured_row *of_more = find(r, more), *of_less = find(r, less);
    const result* const a = of_more == nullptr ? nullptr : best_of(*of_more, by);
    const result* const b = of_less == nullptr ? nullptr : best_of(*of_less, by);
    return a == nullptr || b == nullptr ? std::nullopt : value(a->seconds - b->seconds);
  };
  const value own = seconds("topbit"), other = seconds("libtorch");
  return own && other && *other > 0 ? value(*own / *other) : std::nullopt;
}

// Graphs: what recording and running them costs.
void add_recorded(std::vector<table::line>& all, const report& r) {
  const auto add = [&](std::string what, double must, double aim, value measured, std::string unit = "x") {
    all.push_back({.what = std::move(what), .unit = std::move(unit), .must = must, .aim = aim, .measured = measured});
  };
  const auto over_libtorch = [&](const std::string& row) { return inverse(faster(r, "autograd/" + row, "libtorch")); };
  add("add(8) that records a node / libtorch", 0.1, 0.035, over_libtorch("record_add/new/8"));
  for (const char* operation : {"add", "mul"}) {
    for (const char* inputs : {"one input", "both inputs"}) {
      add("forward and backward of a node, chain of 1,000 " + std::string(operation) + ", " + inputs + " / libtorch",
          0.12, 0.04, over_libtorch("chain_" + std::string(operation) + "/new/" + inputs));
    }
  }
  add("forward and backward of one node / libtorch", 0.1, 0.04, over_libtorch("one_node/new/1"));
  add("backward of one node / libtorch", 0.1, 0.04,
      over_difference(r, "autograd/one_node/new/1", "autograd/one_node_forward/new/1"));
  struct goal {
    const char* batch;
    double must, aim;
  };
  const std::string step = "step/new/64-128-64-10, batch ";
  for (const goal& g : {goal{"32", 0.3, 0.22}, {"64", 0.4, 0.3}, {"256", 0.58, 0.48}}) {
    add(std::string("MLP step, batch ") + g.batch + " / libtorch", g.must, g.aim, over_libtorch(step + g.batch));
  }
  for (const goal& g : {goal{"32", 1.35, 1.1}, {"256", 1.15, 1.03}}) {
    add(std::string("MLP step, batch ") + g.batch + " / step by hand", g.must, g.aim,
        inverse(faster(r, "autograd/" + step + g.batch, "step by hand")));
  }
  add("step of a network 1-1-1-2, batch 1 / libtorch", 0.12, 0.05, over_libtorch("step/new/1-1-1-2, batch 1"));
  for (const std::string operation : {"add", "mul"}) {
    const measured_row* row = find(r, "autograd/memory_" + operation + "/new/both inputs");
    const result* own = row == nullptr ? nullptr : best_of(*row, "topbit");
    add("memory kept for a node of " + operation + ", both inputs" + (operation == "mul" ? ", and its operand" : ""),
        160, 96, own == nullptr ? std::nullopt : value(own->rate), "bytes");
  }
}

}  // namespace

std::vector<table::line> goals(const report& r) {
  std::vector<table::line> all;
  const auto at_most = [&](std::string what, double must, double aim, value measured) {
    all.push_back({.what = std::move(what), .unit = "x", .must = must, .aim = aim, .measured = measured});
  };
  const auto at_least = [&](std::string what, double must, double aim, value measured) {
    at_most(std::move(what), must, aim, measured);
    all.back().at_least = true;
  };

  at_most("add(8), new result / libtorch, time", 0.12, 0.04, inverse(faster(r, "small/add/new/8", "libtorch")));
  at_most("empty(8) / libtorch, time", 0.15, 0.05, inverse(faster(r, "small/empty/new/8", "libtorch")));
  struct goal {
    const char* where;
    double must, aim;
  };
  for (const goal& g : {goal{"1e3", 0.5, 0.65}, {"1e4", 0.93, 0.99}, {"1e5", 0.97, 1.0}, {"1e7", 1.0, 1.27}}) {
    at_least(std::string("add into a given result / triad at ") + g.where, g.must, g.aim,
             faster(r, std::string("elementwise/add/given/") + g.where, "loop"));
  }
  at_least("add, new result, at 1e7 / triad", 0.95, 1.25, faster(r, "elementwise/add/new/1e7", "loop"));
  const auto over_libraries = [&](const std::string& function, bool bounded) {
    std::vector<value> over;
    for (const char* n : {"1e4", "1e5", "1e6"})
      over.push_back(over_best(r, "functions/" + function + "/given/" + n, bounded));
    return least(over);
  };
  const auto functions = {"exp", "sigmoid", "tanh"};
  for (const std::string function : functions) {
    at_least(function + " at 1e4-1e6 / best library within its bound", 0.85, 1.0, over_libraries(function, true));
  }
  for (const char* n : {"1e5", "1e6", "1e7"}) {
    at_least(std::string("sum / read bandwidth at ") + n, 0.95, 1.0,
             faster(r, std::string("reductions/sum/new/") + n, "loop"));
  }
  for (const goal& g : {goal{"10", 6, 9}, {"100", 4, 4.6}, {"1000", 2, 2.4}}) {
    at_least(std::string("softmax, rows of ") + g.where + " / libtorch", g.must, g.aim,
             faster(r, std::string("rows/softmax/given/rows of ") + g.where, "libtorch"));
  }
  const auto over_sizes = [&](auto ratio) {
    std::vector<value> found;
    for (const char* n : {"256", "512", "1024", "2048"})
      found.push_back(ratio(std::string("matmul/matmul/given/") + n));
    return least(found);
  };
  at_least("matmul 256-2048 / AVX-512 peak", 0.85, 0.95,
           over_sizes([&](const std::string& name) { return over_rate(r, name, "AVX-512 peak"); }));
  at_least("matmul 256-2048 / best OpenBLAS", 0.95, 1.05,
           over_sizes([&](const std::string& name) { return faster(r, name, "OpenBLAS"); }));
  for (const goal& g : {goal{"16", 2.0, 3.5}, {"32", 1.35, 1.6}, {"64", 1.05, 1.08}}) {
    at_least(std::string("matmul ") + g.where + " / libtorch", g.must, g.aim,
             faster(r, std::string("matmul/matmul/given/") + g.where, "libtorch"));
  }
  add_recorded(all, r);
  at_least("exp at 1e7, two threads / one", 1.8, 2.0, two_threads(r, "threads/exp/given/1e7"));
  // Without a goal.
  for (const std::string function : functions) {
    all.push_back({.what = function + " at 1e4-1e6 / fastest library, however wrong",
                   .unit = "x",
                   .measured = over_libraries(function, false)});
  }
  return all;
}

}  // namespace bench
