// Command lines that nobody would write. Whatever the words are, the program ends with 0, 1 or 2; with 2 it says why in
// one line, without a byte that a terminal would take for more than text.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

import topbit.core;
import topbit.cli;

namespace tb = topbit;
namespace cli = topbit::cli;
namespace key = topbit::key;

namespace {

struct beast {
  tb::key_set keys;
};
constexpr tb::key_set keys_of(const beast& b) noexcept { return b.keys; }
int kernel(const beast&, const beast&) { return 1; }

inline constexpr tb::op<"wild::run", int(const beast&, const beast&)> wild_run;
inline constexpr tb::op<"wild::howl(int times, str how=\"loud\", *, float[] at=[]) -> (int, str)"> howl;
std::tuple<std::int64_t, std::string> howl_kernel(std::int64_t times, std::string_view how, std::span<const double>) {
  return {times, std::string(how)};
}
const auto kernels = tb::library("wild")
                         .def(wild_run)
                         .impl<&kernel>(wild_run, key::CPU)
                         .impl<&kernel>(wild_run)
                         .def(howl)
                         .impl<&howl_kernel>(howl);

// Distributions differ between standard libraries, and a failure must be found again.
class source {
 public:
  explicit source(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

std::vector<std::string> known_words() {
  std::vector<std::string> words{"",           "-",
                                 "--",         "---",
                                 "-h",         "--=",
                                 "=",          "[1,2]",
                                 "[]",         "[",
                                 "{CPU}",      "{}",
                                 "CPU",        "CPU,CUDA",
                                 ",",          "CPU,",
                                 "Autograd",   "remove:CPU",
                                 "kernel:",    ":",
                                 "::",         "fallback:",
                                 "wild::run",  "wild::",
                                 "*",          "*?*",
                                 "-1",         "-.5",
                                 "-inf",       "always",
                                 "never",      "bash",
                                 "nowhere.so", ".",
                                 "/",          "%s%n",
                                 "\xff\xfe",   "\xe2\x80\xae",
                                 "\x1b[2J",    "--json=1",
                                 "--load=",    "--color=",
                                 "--keys=CPU", "AutogradPrivateUse8",
                                 "Undefined",  "CompositeImplicitAutograd",
                                 "\n",         "++"};
  for (const char* word : {"wild::howl", "at=[1, 2]", "how=\"x\"", "times=3", "=3", "9223372036854775808", "\"\\"}) {
    words.emplace_back(word);
  }
  words.emplace_back("\0x", 2);
  words.emplace_back(5000, 'a');
  words.emplace_back(3000, ',');
  words.emplace_back(3000, '*');
  for (const cli::command& c : cli::commands()) {
    words.emplace_back(c.name);
    for (const cli::option& o : c.options) words.emplace_back(o.name);
  }
  for (const cli::option& o : cli::common_options()) words.emplace_back(o.name);
  // What writes a file is tested elsewhere.
  std::erase(words, "--html");
  return words;
}

std::string changed(std::string word, source& random) {
  for (std::size_t n = 1 + random.below(3); n > 0; --n) {
    const auto byte = static_cast<char>(random.below(256));
    const std::size_t at = random.below(word.size() + 1);
    switch (random.below(3)) {
      case 0: word.insert(at, 1, byte); break;
      case 1:
        if (at < word.size()) word[at] = byte;
        break;
      default:
        if (at < word.size()) word.erase(at, 1);
    }
  }
  return word;
}

std::string shown(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + cli::printable(word) + "' ";
  return text;
}

}  // namespace

TEST_CASE("run: no words end in anything but an answer or one sentence", "[cli][fuzz]") {
  const std::vector<std::string> known = known_words();
  const auto commands = cli::commands();
  const std::string registered = to_string(tb::dump());
  const auto thread = tb::current_thread_keys();
  std::array<std::size_t, 3> ends{};
  source random(20260101);
  for (int i = 0; i < 6000; ++i) {
    std::vector<std::string> words;
    // Most lines begin with a command, or few would come to anything.
    if (!random.one_in(8)) words.emplace_back(commands[random.below(commands.size())].name);
    for (std::size_t n = random.below(6); n > 0; --n) {
      const std::string& word = known[random.below(known.size())];
      words.push_back(random.one_in(4) && word != "--load" ? changed(word, random) : word);
    }
    std::erase_if(words, [](const std::string& w) { return w.starts_with("--html"); });
    const cli::terminal around{random.one_in(2), random.one_in(2), random.one_in(2), random.below(200)};
    const cli::outcome done = cli::run(words, around);
    INFO("line " << i << ": " << shown(words) << "\n" << done.error);
    REQUIRE(done.exit_status >= 0);
    REQUIRE(done.exit_status <= 2);
    ++ends[static_cast<std::size_t>(done.exit_status)];
    REQUIRE(done.error.empty() == (done.exit_status != 2));
    if (done.exit_status != 2) continue;
    REQUIRE(done.out.empty());
    REQUIRE(done.error.size() < 2000);
    REQUIRE(std::ranges::count(done.error, '\n') == 1);
    REQUIRE(done.error.ends_with('\n'));
    const bool colored = done.error.starts_with("\x1b[31mtopbit:\x1b[0m ");
    REQUIRE((colored || done.error.starts_with("topbit: ")));
    REQUIRE(std::ranges::count(done.error, '\x1b') == (colored ? 2 : 0));
  }
  // Each way to end was met often, or the lines are none that test anything.
  CHECK(ends[0] > 300);
  CHECK(ends[1] > 100);
  CHECK(ends[2] > 1000);
  // Nothing that was asked changed anything.
  CHECK(to_string(tb::dump()) == registered);
  CHECK(tb::current_thread_keys().include == thread.include);
  CHECK(tb::current_thread_keys().exclude == thread.exclude);
}
