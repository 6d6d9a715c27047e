// Walks at random through registrations and calls, in a registry and in a model of one, and ends with 1 where the two
// differ: the table is a function of what is registered now, and of nothing else.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <initializer_list>
#include <list>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/sweep.h"
#include "core/model/walk.h"

namespace {

constexpr std::string_view usage =
    "usage: core_model [options]\n"
    "\n"
    "  --seed N          the walk to take (1)\n"
    "  --steps N         how far (100000)\n"
    "  --sweep           in place of the walk: every key in turn, beside each of a list of live sets\n"
    "  --check-from N    compare every slot after every step from this one on; slow (never)\n"
    "  --fault NAME      plant a fault in the model: the walk must find a difference\n"
    "  --list-faults     the names of the faults, one per line, and what each does\n"
    "  --help            this text\n"
    "\n"
    "ends with 0 if registry and model agree at every step, with 1 if they differ, with 2 if it was asked wrongly\n";

struct options {
  std::uint64_t seed = 1;
  std::size_t steps = 100000;
  std::size_t check_from = ~std::size_t{0};
  bool sweep = false;
  model::named_fault fault;
};

struct finding {
  std::size_t step;
  model::difference difference;
  std::deque<std::string> last_steps;
};

void print(std::FILE* to, std::string_view text) { std::fwrite(text.data(), 1, text.size(), to); }

std::optional<finding> run_sweep(const options& o) {
  model::sweep all(o.fault);
  try {
    all.run();
  } catch (const model::difference& d) {
    return finding{all.steps(), d, {all.last_step()}};
  }
  return std::nullopt;
}

std::optional<finding> run_walk(const options& o, bool tells) {
  model::walk w(o.seed, o.fault);
  try {
    while (w.steps() < o.steps) {
      w.step(w.steps() + 1 >= o.check_from);
      if (tells && o.steps >= 20000 && w.steps() % (o.steps / 10) == 0) {
        print(stderr, "core_model: " + std::to_string(w.steps()) + " of " + std::to_string(o.steps) + " steps\n");
      }
    }
    w.end();
  } catch (const model::difference& d) {
    return finding{w.steps(), d, w.last_steps()};
  } catch (const std::exception& e) {
    return finding{w.steps(), {"an exception", "none", e.what()}, w.last_steps()};
  }
  return std::nullopt;
}

// A difference may be older than the step that met it: looks at every slot of the steps before.
finding earliest(options o, finding found) {
  o.steps = found.step;
  o.check_from = found.step - std::min<std::size_t>(found.step, model::walk::steps_between_full_checks);
  return run_walk(o, false).value_or(std::move(found));
}

int report(const options& o, const finding& f) {
  std::string text = "found a difference at step " + std::to_string(f.step);
  if (!o.sweep) text += ", seed " + std::to_string(o.seed);
  if (!o.fault.name.empty()) text += ", planted: " + std::string(o.fault.name);
  text += "\n  what      " + f.difference.what + "\n  expected  " + f.difference.expected + "\n  found     " +
          f.difference.found + "\nthe last steps:\n";
  for (const std::string& step : f.last_steps) text += "  " + step + "\n";
  const std::string step = std::to_string(f.step);
  text += "to see it again:\n  core_model";
  text += o.sweep ? " --sweep" : " --seed " + std::to_string(o.seed) + " --steps " + step + " --check-from " + step;
  if (!o.fault.name.empty()) text += " --fault " + std::string(o.fault.name);
  print(stdout, text + "\n");
  return 1;
}

bool parse(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

int asked_wrongly(const std::string& why) {
  print(stderr, "core_model: " + why + "; --help says what there is\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  options o;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word(words[i]);
    if (word == "--help") {
      print(stdout, usage);
      return 0;
    }
    if (word == "--list-faults") {
      for (const auto& f : model::all_faults) print(stdout, std::string(f.name) + ": " + std::string(f.says) + "\n");
      return 0;
    }
    if (word == "--sweep") {
      o.sweep = true;
      continue;
    }
    if (word != "--seed" && word != "--steps" && word != "--check-from" && word != "--fault") {
      return asked_wrongly("unknown option '" + word + "'");
    }
    if (++i == words.size()) return asked_wrongly("'" + word + "' needs a value");
    if (word == "--fault") {
      const auto f = std::find_if(model::all_faults.begin(), model::all_faults.end(),
                                  [&](const auto& each) { return each.name == words[i]; });
      if (f == model::all_faults.end()) return asked_wrongly("unknown fault '" + std::string(words[i]) + "'");
      o.fault = *f;
      continue;
    }
    std::uint64_t number = 0;
    if (!parse(words[i], number)) {
      return asked_wrongly("'" + word + "' needs a number, found '" + std::string(words[i]) + "'");
    }
    if (word == "--seed") o.seed = number;
    if (word == "--steps") o.steps = number;
    if (word == "--check-from") o.check_from = number;
  }
  if (o.sweep) {
    if (const auto found = run_sweep(o)) return report(o, *found);
    print(stdout, "no difference in the sweep\n");
    return 0;
  }
  if (auto found = run_walk(o, true)) return report(o, earliest(o, std::move(*found)));
  print(stdout, "no difference in " + std::to_string(o.steps) + " steps, seed " + std::to_string(o.seed) + "\n");
  return 0;
}
