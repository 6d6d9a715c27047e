#include "table.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace table {

namespace {

using value = std::optional<double>;

value at(const numbers& from, const std::string& name) {
  const auto found = from.find(name);
  return found == from.end() ? value() : value(found->second);
}
value operator-(value a, value b) { return a && b ? value(*a - *b) : value(); }
value operator/(value a, value b) { return a && b && *b != 0 ? value(*a / *b) : value(); }

// What one more layer adds, from the cases with four layers and with one.
value layer(const numbers& from, const std::string& stem) {
  return (at(from, stem + "/4") - at(from, stem + "/1")) / value(3);
}

const std::string pointer = "dispatch/function_pointer";

value two_threads(const figures& f, const std::string& stem) {
  return at(f.medians, stem + "/threads:2") / at(f.medians, stem + "/threads:1");
}

struct goal {
  const char* what;
  const char* unit;
  value must, aim;
  std::function<value(const figures&)> formula;
  std::function<value(const figures&)> control = [](const figures&) { return value(); };
  std::function<value(const figures&)> share = [](const figures&) { return value(); };
};

const std::vector<goal>& goals() {
  const auto time = [](const char* name) { return [=](const figures& f) { return at(f.medians, name); }; };
  const auto count = [](const char* name) { return [=](const figures& f) { return at(f.instructions, name); }; };
  const auto over_pointer = [](const char* name) {
    return [=](const figures& f) { return at(f.medians, name) / at(f.medians, pointer); };
  };
  const auto scaled = [](const char* name, double by) {
    return [=](const figures& f) { return at(f.medians, name) / value(by); };
  };
  const value none;
  static const std::vector<goal> all{
      {"unboxed call, over a function pointer", "instructions", 28, 20,
       [](const figures& f) { return at(f.instructions, "dispatch/unboxed") - at(f.instructions, pointer); }},
      {"unboxed / function pointer, body visible", "x", 1.2, 1.0, over_pointer("dispatch/unboxed")},
      {"unboxed / function pointer, body in another unit", "x", 2.0, 1.5, over_pointer("dispatch/unboxed_extern")},
      {"a redispatch layer adds", "instructions", 20, 16,
       [](const figures& f) { return layer(f.instructions, "dispatch/redispatch"); }},
      {"a guard + call layer adds", "instructions", 60, 35,
       [](const figures& f) { return layer(f.instructions, "dispatch/guard_and_call"); }},
      {"boxed call / function pointer", "x", 4, 2.5, over_pointer("dispatch/call_boxed")},
      {"a boxed fallback before an unboxed kernel adds", "instructions", 90, 60,
       [](const figures& f) {
         return at(f.instructions, "dispatch/boxed_fallback") - at(f.instructions, "dispatch/unboxed");
       }},
      {"typed call of a boxed kernel", "instructions", 110, 70, count("dispatch/boxed_kernel")},
      {"a traced call, as text in memory", "ns", 120, 60, time("dispatch/traced")},
      {"lookup by name / unordered_map of string_view", "x", 1.1, 0.8,
       [](const figures& f) {
         return at(f.medians, "lookup/find/threads:1") / at(f.medians, "lookup/unordered_map/threads:1");
       }},
      {"lookup by name, two threads / one", "x", 1.15, 1.05,
       [](const figures& f) { return two_threads(f, "lookup/find"); },
       // Two processors may be one core's two threads. The map writes nothing, so what it loses is the machine's.
       [](const figures& f) { return two_threads(f, "lookup/unordered_map"); },
       [](const figures& f) { return at(f.medians, "lookup/find/threads:2/share"); }},
      {"a slot re-evaluated", "ns", 43, 13, time("registration/per_row")},
      {"define + 5 kernels of one operator", "us", 4.6, 1.2, scaled("registration/define_and_5_kernels", 1000)},
      {"memory of an operator with 5 kernels", "KB", 2.5, 2, scaled("memory/operator_with_5_kernels", 1024)},
      // Without a goal, to compare with another dispatcher.
      {"function pointer", "ns", none, none, time("dispatch/function_pointer")},
      {"unboxed call", "ns", none, none, time("dispatch/unboxed")},
      {"call through a typed handle", "ns", none, none, time("dispatch/typed_handle")},
      {"a redispatch layer adds", "ns", none, none,
       [](const figures& f) { return layer(f.medians, "dispatch/redispatch"); }},
      {"a guard + call layer adds", "ns", none, none,
       [](const figures& f) { return layer(f.medians, "dispatch/guard_and_call"); }},
      {"call of a boxed kernel", "ns", none, none, time("dispatch/boxed_kernel")},
      {"a boxed fallback adds", "ns", none, none,
       [](const figures& f) { return at(f.medians, "dispatch/boxed_fallback") - at(f.medians, "dispatch/unboxed"); }},
      {"boxed call", "ns", none, none, time("dispatch/call_boxed")},
      {"the same through a vector of std::any", "ns", none, none, time("dispatch/any_vector")},
      {"boxed call", "instructions", none, none, count("dispatch/call_boxed")},
      {"the same through a vector of std::any", "instructions", none, none, count("dispatch/any_vector")},
      {"lookup by name", "ns", none, none, time("lookup/find/threads:1")},
      {"unordered_map of string_view, two threads / one", "x", none, none,
       [](const figures& f) { return two_threads(f, "lookup/unordered_map"); }},
      {"define + 5 kernels again, after a withdrawal", "us", none, none,
       scaled("registration/define_and_5_kernels_again", 1000)},
  };
  return all;
}

std::string text(value v) {
  if (!v) return "-";
  std::ostringstream out;
  out << std::fixed << std::setprecision(*v < 0.1 ? 3 : *v < 10 ? 2 : 1) << *v;
  return out.str();
}

std::string goal_text(value v, bool at_least) {
  std::ostringstream out;
  if (v) out << (at_least ? ">= " : "<= ") << *v;
  return out.str();
}

std::string number(value v) {
  std::ostringstream out;
  if (v) out << std::setprecision(6) << *v;
  return v ? out.str() : "null";
}

// A terminal's width of the text: here every character is one byte.
void pad(std::ostream& out, const std::string& cell, int width, bool right) {
  out << (right ? std::right : std::left) << std::setw(width) << cell << "  ";
}

}  // namespace

std::optional<numbers> read_cases(const std::string& path) {
  std::ifstream file(path);
  std::stringstream whole;
  if (!(whole << file.rdbuf())) return std::nullopt;
  const std::string text = whole.str();
  std::size_t begin = text.find("\"cases\"");
  if (begin == std::string::npos || (begin = text.find('{', begin)) == std::string::npos) return std::nullopt;
  const std::size_t end = text.find('}', begin);
  numbers found;
  while (true) {
    const std::size_t open = text.find('"', begin), close = text.find('"', open + 1);
    if (open >= end || close >= end) return found;
    const std::size_t colon = text.find(':', close);
    if (colon >= end) return found;
    found[text.substr(open + 1, close - open - 1)] = std::strtod(text.c_str() + colon + 1, nullptr);
    begin = colon;
  }
}

std::string line::verdict() const {
  if (!must || !measured) return "";
  if (share && *share < 0.8) return "unsure: its threads had " + text(*share * 100) + " % of a processor each";
  const bool corrected = control && *control > 1.02;
  const double counts = corrected ? *measured / *control : *measured;
  const auto meets = [&](double goal) { return at_least ? counts >= goal : counts <= goal; };
  const std::string found = meets(*aim) ? "met aim" : meets(*must) ? "met must" : "missed";
  return corrected ? found + ", where the map has " + text(control) : found;
}

std::vector<line> lines(const figures& measured, const figures& libtorch) {
  std::vector<line> all;
  for (const goal& g : goals())
    all.push_back({g.what, g.unit, g.must, g.aim, g.formula(measured), g.formula(libtorch), g.control(measured),
                   g.share(measured), "", false});
  return all;
}

void print(std::ostream& out, const std::vector<line>& all, const layout& how) {
  const int width = std::max(8, static_cast<int>(how.elsewhere.size()));
  const auto row = [&](const std::string& what, const std::string& unit, const std::string& must,
                       const std::string& aim, const std::string& measured, const std::string& peer,
                       const std::string& elsewhere, const std::string& verdict) {
    pad(out, what, 48, false);
    pad(out, must, 7, true);
    pad(out, aim, 7, true);
    pad(out, measured, 8, true);
    if (how.libtorch) pad(out, peer, 8, true);
    if (!how.elsewhere.empty()) pad(out, elsewhere, width, true);
    pad(out, unit, 12, false);
    out << verdict << '\n';
  };
  out << '\n';
  row("cost", "unit", "must", "aim", "measured", "libtorch", how.elsewhere, "");
  bool compared = false;
  for (const line& l : all) {
    if (!l.must && !compared) out << '\n';
    compared = !l.must;
    const bool uncounted = !l.measured && !how.counts && l.unit == "instructions";
    row(l.what, l.unit, goal_text(l.must, l.at_least), goal_text(l.aim, l.at_least), text(l.measured), text(l.libtorch),
        l.elsewhere, uncounted ? "(needs valgrind)" : l.verdict());
  }
  out << how.note << '\n';
}

void write_json(std::ostream& out, const numbers& medians, const std::vector<line>& all) {
  out << "{\n  \"unit\": \"ns; bytes for memory/; parts of one for /share\",\n  \"cases\": {";
  const char* separator = "\n";
  for (const auto& [name, median] : medians) {
    out << separator << "    \"" << name << "\": " << number(median);
    separator = ",\n";
  }
  out << "\n  },\n  \"table\": [";
  separator = "\n";
  for (const line& l : all) {
    out << separator << "    {\"what\": \"" << l.what << "\", \"unit\": \"" << l.unit
        << "\", \"must\": " << number(l.must) << ", \"aim\": " << number(l.aim)
        << ", \"measured\": " << number(l.measured) << ", \"libtorch\": " << number(l.libtorch) << ", \"verdict\": \""
        << l.verdict() << "\"}";
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
}

}  // namespace table
