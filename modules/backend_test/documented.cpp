// Levels 8 and 9: random numbers, and every operator as its page shows it.
module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import topbit.contracts;
import topbit.operator_docs;
import :session;

namespace topbit::backend_test {

void test_random_numbers(session& s) {
  const auto drawn = [&](const std::string& what, const std::function<tensor(device)>& draw, bound b) {
    s.part(what, [&] {
      manual_seed(s.seed());
      const tensor wanted = draw(cpu);
      manual_seed(s.seed());
      s.compare(what, draw(s.where()), wanted, b);
    });
  };
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1000}, std::int64_t{100'003}}) {
    if (s.quick() && n > 1000) continue;
    const std::string size = "(" + std::to_string(n) + ")";
    drawn("rand" + size, [n](device d) { return rand({n}, arg<"device"> = d); }, exactly);
    drawn("randn" + size, [n](device d) { return randn({n}, arg<"device"> = d); }, elementwise);
    drawn("randint" + size, [n](device d) { return randint(100, {n}, arg<"device"> = d); }, exactly);
    drawn("randperm" + size, [n](device d) { return randperm(n, arg<"device"> = d); }, exactly);
    drawn("bernoulli" + size, [n](device d) { return bernoulli(full({n}, 0.25, arg<"device"> = d)); }, exactly);
    drawn("dropout" + size, [n](device d) { return dropout(ones({n}, arg<"device"> = d), 0.5, true); }, exactly);
  }
  for (const dtype t : {dtype::float16, dtype::bfloat16, dtype::float64}) {
    drawn(
        "rand of " + std::string(name_of(t)), [t](device d) { return rand({50}, arg<"dtype"> = t, arg<"device"> = d); },
        exactly);
  }
  drawn("multinomial", [](device d) { return multinomial(to(tensor({1.F, 2, 3, 0}), d), 20, true); }, exactly);
  // A draw goes on where the one before it ended.
  drawn(
      "rand after rand",
      [](device d) {
        rand({5}, arg<"device"> = d);
        return rand({5}, arg<"device"> = d);
      },
      exactly);
}

void test_documented(session& s) {
  std::uint64_t called = 0;
  for (const author::page_group& g : author::operator_pages()) {
    for (const author::operator_page& page : g.pages) {
      for (const contracts::shown_call& c : contracts::shown_calls(page)) {
        if (s.quick() && s.any(4) != 0) continue;
        const operator_handle op = find(c.op);
        std::string command = "topbit call '" + c.op + "'";
        for (const std::string& a : c.arguments) command += " '" + a + "'";
        boxed_stack arguments;
        try {
          author::push_arguments(arguments, op, std::vector<std::string_view>(c.arguments.begin(), c.arguments.end()));
        } catch (const error&) {
          continue;  // an error of the text, before anything is called
        }
        ++called;
        s.part(c.op, [&] {
          const bound b = op.tags().contains(tag::pointwise) ? elementwise : summed;
          s.compare_call(op, arguments.top(op.argument_count()), b, command);
        });
      }
    }
  }
  s.check(called > 100, "found " + std::to_string(called) + " calls on the operators' pages, wanted more than 100");
}

}  // namespace topbit::backend_test
