// Level 11: random programs of operators, views and writes, of which the first that differs is shrunk.
module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :session;

namespace topbit::backend_test {

namespace {

// A step makes a tensor of earlier ones, or writes to one.
struct step {
  int kind, a, b;
  double number;
};

struct kind {
  std::string_view text;  // $0 and $1: tensors, $n: the number
  tensor (*run)(const tensor& a, const tensor& b, double n);
};

// Tensors are 4 x 4, so that any two fit.
constexpr std::array<kind, 18> kinds{{
    {"$0 + $1", [](const tensor& a, const tensor& b, double) { return a + b; }},
    {"$0 * $1", [](const tensor& a, const tensor& b, double) { return a * b; }},
    {"$0 - $n", [](const tensor& a, const tensor&, double n) { return a - n; }},
    {"tb::tanh($0)", [](const tensor& a, const tensor&, double) { return tanh(a); }},
    {"tb::relu($0)", [](const tensor& a, const tensor&, double) { return relu(a); }},
    {"tb::maximum($0, $1)", [](const tensor& a, const tensor& b, double) { return maximum(a, b); }},
    {"tb::tanh(tb::mm($0, $1))", [](const tensor& a, const tensor& b, double) { return tanh(mm(a, b)); }},
    {"tb::softmax($0, 1)", [](const tensor& a, const tensor&, double) { return softmax(a, 1); }},
    {"tb::cumsum($0, 0) * 0.25", [](const tensor& a, const tensor&, double) { return cumsum(a, 0) * 0.25; }},
    {"tb::clone(tb::expand(tb::mean($0, {1}, true), {4, 4}))",
     [](const tensor& a, const tensor&, double) { return clone(expand(mean(a, {1}, true), {4, 4})); }},
    {"tb::flip($0, {0})", [](const tensor& a, const tensor&, double) { return flip(a, {0}); }},
    {"tb::t($0)", [](const tensor& a, const tensor&, double) { return t(a); }},  // a view
    {"tb::where($0 > $1, $0, $1)", [](const tensor& a, const tensor& b, double) { return where(gt(a, b), a, b); }},
    {"tb::clone($0)", [](const tensor& a, const tensor&, double) { return clone(a); }},
    {"tb::add_($0, $1)",
     [](const tensor& a, const tensor& b, double) {
       tensor x = a;
       return x += b;
     }},
    {"(tb::fill_(tb::select($0, 0, 1), $n), $0)",
     [](const tensor& a, const tensor&, double n) {
       tensor row = select(a, 0, 1);
       fill_(row, n);
       return a;
     }},
    {"(tb::copy_(tb::slice($0, 1, 0, 2), tb::slice($1, 1, 2, 4)), $0)",
     [](const tensor& a, const tensor& b, double) {
       tensor columns = slice(a, 1, 0, 2);
       copy_(columns, slice(b, 1, 2, 4));
       return a;
     }},
    {"tb::mul_($0, $n)",
     [](const tensor& a, const tensor&, double n) {
       tensor x = a;
       return x *= n;
     }},
}};
using program = std::vector<step>;
constexpr int inputs = 3;

std::string lines_of(const program& p) {
  std::string text;
  for (std::size_t i = 0; i < p.size(); ++i) {
    std::string line(kinds[static_cast<std::size_t>(p[i].kind)].text);
    const auto put = [&](std::string_view mark, const std::string& instead) {
      for (std::size_t at; (at = line.find(mark)) != std::string::npos;) line.replace(at, mark.size(), instead);
    };
    put("$0", "x[" + std::to_string(p[i].a) + "]");
    put("$1", "x[" + std::to_string(p[i].b) + "]");
    put("$n", text_of(p[i].number));
    text += "x.push_back(" + line + ");\n";
  }
  return text;
}

// Reports nothing: whether all tensors agree after all steps.
std::string difference_after(session& s, const program& p, const std::vector<tensor>& start) {
  std::vector<tensor> here, there;
  for (const tensor& t : start) {
    here.push_back(clone(t));
    there.push_back(s.there(here.back()));
  }
  for (const step& one : p) {
    const kind& k = kinds[static_cast<std::size_t>(one.kind)];
    for (std::vector<tensor>* all : {&here, &there}) {
      const tensor a = (*all)[static_cast<std::size_t>(one.a)], b = (*all)[static_cast<std::size_t>(one.b)];
      try {
        all->push_back(k.run(a, b, one.number));
      } catch (const std::exception& e) {
        return "x[" + std::to_string(all->size()) + "]: threw: " + e.what();
      }
    }
  }
  constexpr bound of_programs{64, 4096};
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (const std::string d = s.difference(there[i], here[i], of_programs); !d.empty())
      return "x[" + std::to_string(i) + "]: " + d;
  }
  return {};
}

}  // namespace

void test_programs(session& s) {
  for (int n = 0; n < s.cases(200); ++n) {
    const dtype type = n % 3 == 0 ? dtype::float64 : dtype::float32;
    std::vector<tensor> start;
    for (int i = 0; i < inputs; ++i) start.push_back(arranged(s, {4, 4}, type, 0));
    program p;
    for (int i = 0; i < 12; ++i) {
      p.push_back({s.any(static_cast<int>(kinds.size())), s.any(inputs + i), s.any(inputs + i), s.any_number()});
    }
    s.part("a random program", [&] {
      std::string different = difference_after(s, p, start);
      if (different.empty()) return s.check(true, "");
      // The first steps alone, then without the ones that do not matter: a step that is left out becomes a copy, so
      // that the numbers of the others stay.
      for (std::size_t length = 1; length < p.size(); ++length) {
        const program first(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(length));
        if (difference_after(s, first, start).empty()) continue;
        p = first;
        break;
      }
      constexpr int copies = 13;
      for (step& one : p) {
        const step kept = std::exchange(one, {copies, one.a, one.b, 0});
        if (difference_after(s, p, start).empty()) one = kept;
      }
      different = difference_after(s, p, start);
      s.check(false, "a random program of " + std::string(name_of(type)) + " [4, 4]: " + different,
              "std::vector<tb::tensor> x;  // three random ones first, of seed " + std::to_string(s.seed()) + "\n" +
                  lines_of(p));
    });
  }
}

}  // namespace topbit::backend_test
