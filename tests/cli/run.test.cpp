// The program's parts, and what cannot be seen in a transcript.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

import topbit.core;
import topbit.cli;

namespace tb = topbit;
namespace cli = topbit::cli;
namespace key = topbit::key;
using nlohmann::json;

namespace {

struct animal {
  tb::key_set keys;
};
constexpr tb::key_set keys_of(const animal& a) noexcept { return a.keys; }
int kernel(const animal&) { return 1; }

inline constexpr tb::op<"farm::milk", int(const animal&)> milk;
inline constexpr tb::op<"farm::shear", int(const animal&)> shear;
const auto kernels = tb::library("farm")
                         .def(milk)
                         .impl<&kernel>(milk, key::CPU)
                         .def(shear)
                         .impl<&kernel>(shear)
                         .impl<&kernel>(shear, key::FPGA);

cli::outcome run(const std::vector<std::string>& words, const cli::terminal& around = {}) {
  return cli::run(words, around);
}

std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("run: every command with --json answers in JSON, in one line", "[cli][json]") {
  const std::vector<std::vector<std::string>> lines = {
      {"ops"},
      {"ops", "farm"},
      {"table", "farm::milk"},
      {"dump"},
      {"dump", "farm::*"},
      {"explain", "farm::milk", "CPU"},
      {"explain", "farm::milk", "CPU", "--why-not", "Meta"},
      {"what-if", "CPU"},
      {"what-if", "--op", "farm::milk", "remove:CPU"},
      {"coverage"},
      {"coverage", "farm::shear", "--keys", "CPU,FPGA,AutogradOther"},
      {"gradients"},
      {"gradients", "farm", "--missing"},
      {"keys"},
  };
  for (std::vector<std::string> words : lines) {
    words.emplace_back("--json");
    const cli::outcome done = run(words);
    INFO(words[0] << ": " << done.error);
    CHECK(done.error.empty());
    CHECK(json::accept(done.out));
    CHECK(std::ranges::count(done.out, '\n') == 1);
  }
}

TEST_CASE("run: every command has a help, which begins with what it does", "[cli]") {
  const std::string all = run({"--help"}).out;
  for (const cli::command& c : cli::commands()) {
    const std::string name(c.name);
    INFO(name);
    CHECK(all.find("\n  " + name + " ") != std::string::npos);
    const cli::outcome help = run({name, "--help"});
    CHECK(help.exit_status == 0);
    CHECK(help.out.find("topbit " + name) != std::string::npos);
    for (const cli::option& o : c.options) CHECK(help.out.find(std::string(o.name)) != std::string::npos);
  }
}

TEST_CASE("style: a line is as long as COLUMNS says, else the terminal's, else 100", "[cli]") {
  CHECK(cli::columns_for(nullptr, 0) == 100);
  CHECK(cli::columns_for(nullptr, 80) == 80);
  CHECK(cli::columns_for("132", 80) == 132);
  CHECK(cli::columns_for("0", 80) == 0);
  for (const char* no_number : {"", "wide", "80x", "-1", " 80", "99999999999999999999"}) {
    CHECK(cli::columns_for(no_number, 80) == 80);
    CHECK(cli::columns_for(no_number, 0) == 100);
  }
}

TEST_CASE("coverage_command: a table that is wider than a line may be goes on below, on a terminal or not",
          "[cli][coverage]") {
  const std::vector<std::string> words{"coverage", "farm::milk", "--keys", "CPU,CUDA,Meta"};
  CHECK(run(words, {.output_is_terminal = true, .no_color = true, .columns = 80}).out ==
        "operator    CPU     CUDA  Meta\n"
        "farm::milk  kernel  -     -\n");
  for (const bool terminal : {true, false}) {
    CHECK(run(words, {.output_is_terminal = terminal, .no_color = true, .columns = 25}).out ==
          "operator    CPU     CUDA\n"
          "farm::milk  kernel  -\n"
          "\n"
          "operator    Meta\n"
          "farm::milk  -\n");
  }
  // Nowhere to break: one column each.
  CHECK(std::ranges::count(run(words, {.output_is_terminal = true, .columns = 1}).out, '\n') == 8);
}

TEST_CASE("run: colours go to a terminal, NO_COLOR takes them away, --color decides", "[cli]") {
  const auto colored = [](std::vector<std::string> more, bool terminal, bool no_color) {
    more.insert(more.begin(), {"explain", "farm::milk", "CPU"});
    return run(more, {.output_is_terminal = terminal, .no_color = no_color}).out.find('\x1b') != std::string::npos;
  };
  CHECK(colored({}, true, false));
  CHECK_FALSE(colored({}, false, false));
  CHECK_FALSE(colored({}, true, true));
  CHECK(colored({"--color", "always"}, false, true));
  CHECK_FALSE(colored({"--color", "never"}, true, false));
  CHECK(colored({"--color", "never", "--color", "always"}, false, false));
  // Never within JSON or a page.
  CHECK_FALSE(colored({"--json", "--color", "always"}, true, false));
}

TEST_CASE("run: the thread's keys are as they were after a command that set them", "[cli]") {
  const auto before = tb::current_thread_keys();
  CHECK(run({"explain", "farm::milk", "--include", "CPU", "--exclude", "Tracer"}).exit_status == 0);
  CHECK(tb::current_thread_keys().include == before.include);
  CHECK(tb::current_thread_keys().exclude == before.exclude);
}

TEST_CASE("names: a pattern with * or ? matches a whole name, another one a part", "[cli]") {
  CHECK(cli::matches("", "aten::add"));
  CHECK(cli::matches("::a", "aten::add"));
  CHECK_FALSE(cli::matches("b", "aten::add"));
  CHECK(cli::matches("*", ""));
  CHECK(cli::matches("aten::*", "aten::"));
  CHECK(cli::matches("*add*", "aten::add.out"));
  CHECK(cli::matches("a*?t", "add.out"));
  CHECK(cli::matches("?dd", "add"));
  CHECK_FALSE(cli::matches("?dd", "dd"));
  CHECK_FALSE(cli::matches("add*", "aten::add"));
  CHECK_FALSE(cli::matches("*add", "aten::add.out"));
  // Stars that fail late do not take for ever.
  std::string stars;
  for (int i = 0; i < 50; ++i) stars += "a*";
  CHECK_FALSE(cli::matches(stars + "b", std::string(5000, 'a')));
}

TEST_CASE("style: text of others is shown without what would move the terminal", "[cli]") {
  CHECK(cli::printable("aten::add") == "aten::add");
  CHECK(cli::printable("\x1b[31m\n\t\x7f") == "\\x1b[31m\\x0a\\x09\\x7f");
  CHECK(cli::printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x84") ==
        "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x84");
  // Cut short, overlong, a surrogate, beyond the last character, a control character of the second block, text that
  // runs backwards.
  CHECK(cli::printable("\xc3") == "\\xc3");
  CHECK(cli::printable("\xe2\x82") == "\\xe2\\x82");
  CHECK(cli::printable("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(cli::printable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");
  CHECK(cli::printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(cli::printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(cli::printable("\xc2\x9b") == "\\xc2\\x9b");
  CHECK(cli::printable("\xe2\x80\xae") == "\\xe2\\x80\\xae");
  CHECK(cli::printable(std::string(5000, 'x')).size() < 900);
}

TEST_CASE("page: no name can end the page's data or begin something else in it", "[cli][page]") {
  tb::inspect::coverage_report report;
  report.keys = {key::CPU};
  const std::vector<std::string> names{
      "</script><script>alert(1)</script>", "<!--<script>", "\"}]}", "a\\u003c", "\xff<", "\xe2\x80\xa8", "@coverage@"};
  for (const std::string& name : names) {
    report.operators.push_back({name, {tb::inspect::table_row{key::CPU}}});
    report.shadowed.push_back(
        {name, key::CPU, {"</script>", 1}, tb::inspect::shadow_reason::overridden, {}, {}, "</SCRIPT>" + name});
  }
  const std::string page = cli::page_of(report), empty = cli::page_of({});
  for (const char* mark : {"<script", "</script", "</SCRIPT", "<!--", "<"}) {
    INFO(mark);
    CHECK(count_of(mark, page) == count_of(mark, empty));
  }
  constexpr std::string_view opening = "<script id=\"data\" type=\"application/json\">";
  const std::size_t begin = page.find(opening) + opening.size();
  const json data = json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  REQUIRE(data["operators"].size() == names.size());
  CHECK(data["operators"][0][0] == names[0]);
  CHECK(data["operators"][1][0] == names[1]);
  CHECK(data["operators"][4][0] == "\xef\xbf\xbd<");
  CHECK(data["operators"][6][0] == names[6]);
  CHECK(data["shadowed"][0]["sentence"] == "</SCRIPT>" + names[0]);
  CHECK(data["cells"].size() == 1);
  CHECK_FALSE(data["cells"][0].contains("note"));
}

TEST_CASE("page: a cell has the word and the note of a remark", "[cli][page]") {
  tb::inspect::coverage_report report;
  report.keys = {key::CPU};
  report.operators.push_back(
      {"a::b", {{key::CPU, tb::inspect::row_reason::kernel, false, key::CPU, {"f.cpp", 1}, "in part", "half"}}});
  CHECK(count_of(R"({"word":"half","reason":"kernel","for":null,"place":"f.cpp:1","note":"in part"})",
                 cli::page_of(report)) == 1);
}
