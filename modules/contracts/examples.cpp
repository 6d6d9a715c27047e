module topbit.contracts;

import topbit.std;
import topbit.core;
import topbit.modes;
import :checker;
import :examples;

namespace topbit::contracts {

namespace {

// Checks calls while it lives.
class two_checkers {
 public:
  template <class Call>
  void check(Call call) {
    const modes::scope above(callers_, modes::above), below(kernels_, modes::below);
    call();
  }
  bool found_nothing() const { return kernels_.findings().empty() && callers_.findings().empty(); }
  // What callers see is told where the kernels do not explain it.
  void report_to(report& r) const {
    r.calls = kernels_.calls();
    r.findings = kernels_.findings();
    for (const finding& f : callers_.findings()) {
      const bool known = std::ranges::any_of(
          r.findings, [&](const finding& k) { return k.broken == f.broken && k.op == f.op && k.subject == f.subject; });
      if (!known) r.findings.push_back(f);
    }
  }

 private:
  checker kernels_{{.depth = level::repeated}}, callers_{{.depth = level::bytes}};
};

// At commas outside of brackets and quotes.
std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> all;
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else {
      depth += (c == '[' || c == '(') ? 1 : (c == ']' || c == ')') ? -1 : 0;
    }
    const bool separates = c == ',' && depth == 0 && quote == 0;
    if (all.empty() || separates) all.emplace_back();
    if (!separates && (c != ' ' || !all.back().empty())) all.back() += c;
  }
  return all;
}

// "sum.dim_IntList([[1, 2], [3, 4]], 0)"
shown_call parse_call(std::string_view ns, std::string_view call) {
  const std::size_t open = call.find('(');
  return {std::string(ns) + std::string(call.substr(0, open)),
          split_arguments(call.substr(open + 1, call.size() - open - 2))};
}

}  // namespace

// A call that throws is one, since it has rules of its own.
std::vector<shown_call> shown_calls(const author::operator_page& page) {
  std::vector<shown_call> all;
  const std::string_view first = page.operators.front().op->name;
  const std::string_view ns = first.substr(0, first.find("::") + 2);
  for (const author::page_example& e : page.lines.examples) {
    if (!e.call.empty()) all.push_back(parse_call(ns, e.call));
  }
  for (const author::page_error& e : page.lines.errors) {
    if (!e.example.empty()) all.push_back(parse_call(ns, e.example));
  }
  return all;
}

namespace {

// The same arguments for another operator of the page, and the results where it writes them to arguments.
std::vector<std::string> arguments_for(const operator_handle& op, const shown_call& other) {
  std::vector<std::string> arguments = other.arguments;
  std::vector<std::string> results;
  std::size_t next = 0;
  for (const author::schema_item& a : op.parsed_schema()->arguments) {
    if (!author::is_out(a)) continue;
    if (results.empty())
      results = call_text(find(other.op), std::vector<std::string_view>(arguments.begin(), arguments.end()));
    if (next == results.size()) break;
    arguments.push_back(std::string(a.name) + "=" + results[next++]);
  }
  return arguments;
}

// Returns why it could not be called; empty if it was.
std::string check_one(two_checkers& checkers, const operator_handle& op, std::span<const shown_call> calls) {
  const bool has_own = std::ranges::any_of(calls, [&](const shown_call& c) { return c.op == op.name(); });
  std::string why = calls.empty() ? "no operator page shows a call" : "";
  bool returned = false;
  for (const shown_call& c : calls) {
    if (has_own && c.op != op.name()) continue;
    try {
      const std::vector<std::string> arguments = has_own ? c.arguments : arguments_for(op, c);
      checkers.check([&] { call_text(op, std::vector<std::string_view>(arguments.begin(), arguments.end())); });
      returned = true;
    } catch (const std::exception& e) {
      if (why.empty()) why = e.what();
    }
  }
  return returned ? "" : why;
}

}  // namespace

report check_call(const operator_handle& op, std::span<const std::string_view> arguments) {
  two_checkers checkers;
  report made;
  try {
    checkers.check([&] { call_text(op, arguments); });
    made.checked.emplace_back(op.name());
  } catch (const error& e) {
    // What is wrong about the call is the answer, unless a kernel did something wrong before it threw.
    if (checkers.found_nothing()) throw;
    made.unchecked.push_back({std::string(op.name()), e.what()});
  }
  checkers.report_to(made);
  return made;
}

report check_examples(std::span<const operator_handle> operators) {
  std::map<std::string_view, std::vector<shown_call>> shown;
  for (const author::page_group& g : author::operator_pages()) {
    for (const author::operator_page& page : g.pages) {
      const std::vector<shown_call> calls = shown_calls(page);
      for (const author::page_operator& o : page.operators) shown.emplace(o.op->name, calls);
    }
  }
  two_checkers checkers;
  report made;
  for (const operator_handle& op : operators) {
    const std::string why = check_one(checkers, op, shown[op.name()]);
    if (why.empty())
      made.checked.emplace_back(op.name());
    else
      made.unchecked.push_back({std::string(op.name()), why});
  }
  checkers.report_to(made);
  return made;
}

}  // namespace topbit::contracts
