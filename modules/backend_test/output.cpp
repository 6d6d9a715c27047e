// Reports as text, JSON, and JUnit's XML.
module;

#include <nlohmann/json.hpp>

module topbit.backend_test;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::backend_test {

namespace {

std::string seconds_text(double seconds) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed, 2).ptr};
}

std::string for_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // XML has no other control characters.
      default: out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

std::string text_of(const failure& f) { return f.reproduce.empty() ? f.what : f.what + "\n" + f.reproduce; }

std::string indented(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 5) text.insert(at + 1, "    ");
  return text;
}

}  // namespace

bool report::passed() const noexcept {
  return !levels.empty() && false_holes.empty() &&
         std::ranges::all_of(levels, [](const level_result& l) { return l.failed == 0; });
}

std::string to_string(const report& r) {
  std::string text =
      "testing " + topbit::to_string(r.where) + " against the CPU, seed " + std::to_string(r.seed) + "\n";
  for (const level_result& l : r.levels) {
    const std::string number = (l.level < 10 ? " " : "") + std::to_string(l.level);
    text += number + "  " + (l.failed == 0 ? "passed  " : "FAILED  ") + l.name + ": " + std::to_string(l.checks) +
            " checks, " + (l.failed == 0 ? "" : std::to_string(l.failed) + " failed, ") + seconds_text(l.seconds) +
            " s\n";
    for (const failure& f : l.failures) text += "    " + indented(text_of(f)) + "\n";
    if (l.failed > l.failures.size()) text += "    and " + std::to_string(l.failed - l.failures.size()) + " more\n";
  }
  for (const std::string& h : r.false_holes) text += "FAILED  " + h + "\n";
  return text + (r.passed() ? "passed\n" : "FAILED\n");
}

std::string to_json(const report& r) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (const level_result& l : r.levels) {
    nlohmann::ordered_json failures = nlohmann::ordered_json::array();
    for (const failure& f : l.failures) failures.push_back({{"what", f.what}, {"reproduce", f.reproduce}});
    levels.push_back({{"level", l.level},
                      {"name", l.name},
                      {"checks", l.checks},
                      {"failed", l.failed},
                      {"seconds", l.seconds},
                      {"failures", failures}});
  }
  const nlohmann::ordered_json all{{"device", topbit::to_string(r.where)},
                                   {"seed", r.seed},
                                   {"passed", r.passed()},
                                   {"levels", levels},
                                   {"false_holes", r.false_holes}};
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string to_junit(const report& r) {
  std::size_t failed = r.false_holes.empty() ? 0 : 1;
  for (const level_result& l : r.levels) failed += l.failed != 0 ? 1 : 0;
  const std::string name = for_xml(topbit::to_string(r.where));
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + name + "\" tests=\"" +
                     std::to_string(r.levels.size() + (r.false_holes.empty() ? 0 : 1)) + "\" failures=\"" +
                     std::to_string(failed) + "\">\n";
  const auto add = [&](const std::string& title, const std::string& time, const std::string& why) {
    text += "  <testcase classname=\"" + name + "\" name=\"" + for_xml(title) + "\" time=\"" + time + "\"";
    text += why.empty() ? "/>\n" : "><failure>" + for_xml(why) + "</failure></testcase>\n";
  };
  for (const level_result& l : r.levels) {
    std::string why;
    for (const failure& f : l.failures) why += text_of(f) + "\n";
    add(std::to_string(l.level) + " " + l.name, seconds_text(l.seconds), why);
  }
  std::string holes;
  for (const std::string& h : r.false_holes) holes += h + "\n";
  if (!holes.empty()) add("declared holes", "0", holes);
  return text + "</testsuite>\n";
}

}  // namespace topbit::backend_test
