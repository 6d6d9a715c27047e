module;

#include <stdio.h>

module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :session;

namespace topbit::backend_test {

namespace {

struct level {
  std::string_view name;
  void (*run)(session&);
};
constexpr std::array<level, 16> levels{{{"memory", &test_memory},
                                        {"copies", &test_copies},
                                        {"views", &test_views},
                                        {"factories", &test_factories},
                                        {"pointwise operators", &test_pointwise},
                                        {"reductions and rows", &test_reductions},
                                        {"products and windows", &test_products},
                                        {"indices", &test_indices},
                                        {"random numbers", &test_random_numbers},
                                        {"documented calls", &test_documented},
                                        {"gradients", &test_gradients},
                                        {"random programs", &test_programs},
                                        {"training", &test_training},
                                        {"threads", &test_threads},
                                        {"streams", &test_streams},
                                        {"layouts", &test_layouts}}};

constexpr std::string_view usage = R"(usage: [--quick] [--level N | --level N-M] [--seed N] [--json FILE] [--junit FILE]

Compares a device with the CPU, level by level; a level that fails is the last one.

  --quick        a few cases of everything, in a few seconds
  --level N-M    these levels alone
  --seed N       of the random cases; default 1
  --json FILE    also writes the report there
  --junit FILE   also writes it as JUnit's XML
  --help         prints this

exit codes: 0 passed; 1 failed; 2 a wrong argument, a file that cannot be written, or no such device
levels:
)";

struct request {
  options how;
  std::string json, junit;
  bool help = false;
};

int number_of(std::string_view option, std::string_view text, int most) {
  int n = -1;
  const auto [end, e] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (e == std::errc() && end == text.data() + text.size() && n >= 0 && n <= most) return n;
  throw bad_argument(std::string(option) + ": found '" + std::string(text) + "', wanted a number of 0 to " +
                     std::to_string(most));
}

request read(std::span<char* const> words, const options& how) {
  request r{.how = how, .json = {}, .junit = {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const auto argument = [&]() -> std::string_view {
      if (i + 1 == words.size()) throw bad_argument(std::string(word) + ": found nothing after it, wanted a value");
      return words[++i];
    };
    if (word == "--quick") {
      r.how.quick = true;
    } else if (word == "--help" || word == "-h") {
      r.help = true;
    } else if (word == "--seed") {
      r.how.seed = static_cast<std::uint64_t>(number_of(word, argument(), std::numeric_limits<int>::max()));
    } else if (word == "--json") {
      r.json = argument();
    } else if (word == "--junit") {
      r.junit = argument();
    } else if (word == "--level") {
      constexpr int last = static_cast<int>(levels.size()) - 1;
      const std::string_view range = argument();
      const std::size_t dash = range.find('-');
      r.how.first_level = number_of(word, range.substr(0, dash), last);
      r.how.last_level =
          dash == std::string_view::npos ? r.how.first_level : number_of(word, range.substr(dash + 1), last);
      if (r.how.last_level < r.how.first_level)
        throw bad_argument("--level: found '" + std::string(range) + "', wanted the lower level first");
    } else {
      throw bad_argument("found '" + std::string(word) + "', which is no option; --help lists them");
    }
  }
  return r;
}

void write(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  FILE* const file = fopen(path.c_str(), "w");
  const bool written = file != nullptr && fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file == nullptr || fclose(file) != 0 || !written) throw bad_argument("found no way to write '" + path + "'");
}

}  // namespace

report test(device where, const options& how) {
  memory_of(where);  // throws if there is none
  report r{.where = where, .seed = how.seed};
  session s(where, how, r);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!s.begin_level(static_cast<int>(i), levels[i].name)) continue;
    s.part(levels[i].name, [&] { levels[i].run(s); });
    s.end_level();
  }
  s.check_holes();
  return r;
}

int run(std::string_view name, int count, char** words, const options& how) {
  try {
    const request r = read({words + 1, static_cast<std::size_t>(std::max(count, 1) - 1)}, how);
    if (r.help) {
      std::string text(usage);
      for (std::size_t i = 0; i < levels.size(); ++i) {
        text += (i < 10 ? "   " : "  ") + std::to_string(i) + "  " + std::string(levels[i].name) + "\n";
      }
      fputs(text.c_str(), stdout);
      return 0;
    }
    const report made = test(parse_device(name), r.how);
    fputs(to_string(made).c_str(), stdout);
    write(r.json, to_json(made));
    write(r.junit, to_junit(made));
    return made.passed() ? 0 : 1;
  } catch (const error& e) {
    fflush(stdout);
    fprintf(stderr, "%s: %s\n", words[0], e.what());
    return 2;
  }
}

}  // namespace topbit::backend_test
