module topbit.cli;

import topbit.std;

namespace topbit::cli {

namespace {

constexpr std::string_view code_of(emphasis s) {
  switch (s) {
    case emphasis::bold: return "\x1b[1m";
    case emphasis::dim: return "\x1b[2m";
    case emphasis::red: return "\x1b[31m";
    case emphasis::green: return "\x1b[32m";
    case emphasis::yellow: return "\x1b[33m";
    case emphasis::blue: return "\x1b[34m";
    case emphasis::plain: break;
  }
  return {};
}

// Styles of the labels of answers and of the words of a coverage table.
constexpr std::pair<std::string_view, emphasis> styles_of_words[] = {
    {"takes", emphasis::green},    {"kernel", emphasis::green},   {"default", emphasis::blue},
    {"composite", emphasis::blue}, {"nested", emphasis::blue},    {"autograd", emphasis::blue},
    {"batched", emphasis::blue},   {"autocast", emphasis::blue},  {"fallback", emphasis::yellow},
    {"layout", emphasis::blue},    {"bridge", emphasis::yellow},  {"fallthrough", emphasis::dim},
    {"passes", emphasis::dim},     {"ambiguous", emphasis::red},  {"result", emphasis::red},
    {"suppose", emphasis::blue},   {"changes", emphasis::yellow}, {"gives", emphasis::yellow},
    {"-", emphasis::dim},          {"+", emphasis::green},        {"throws", emphasis::red},
    {"note", emphasis::yellow},
};

emphasis style_of(std::string_view word) {
  for (const auto& [text, how] : styles_of_words) {
    if (text == word) return how;
  }
  return emphasis::plain;
}

std::string painted_line(const style& s, std::string_view line) {
  if (!line.starts_with("  ")) return styled(s, emphasis::bold, line);
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  const std::size_t place = std::min(line.find(", registered "), line.size());
  std::string text(line.substr(0, begin));
  text += styled(s, style_of(line.substr(begin, end - begin)), line.substr(begin, end - begin));
  if (place < end) return text + std::string(line.substr(end));
  const std::size_t rest = std::min(line.find_first_of(",;", place + 1), line.size());
  text += line.substr(end, place - end);
  return text + styled(s, emphasis::dim, line.substr(place, rest - place)) + std::string(line.substr(rest));
}

// Size in bytes of the printable UTF-8 character at the start of the text; 0 if there is none.
std::size_t printable_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = first & (0xff >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  // C0 and C1 control characters, overlong encodings, surrogates, bidirectional overrides and isolates.
  const bool control = code < 0xa0 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const bool wrong = code < least[size] || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
  return control || wrong ? 0 : size;
}

}  // namespace

std::size_t columns_for(const char* variable, std::size_t of_terminal) noexcept {
  const std::string_view said = variable == nullptr ? "" : variable;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(said.data(), said.data() + said.size(), columns);
  if (!said.empty() && error == std::errc() && end == said.data() + said.size()) return columns;
  return of_terminal != 0 ? of_terminal : 100;
}

std::string styled(const style& s, emphasis how, std::string_view text) {
  if (!s.colors || how == emphasis::plain || text.empty()) return std::string(text);
  return std::string(code_of(how)) + std::string(text) + "\x1b[0m";
}

namespace {

template <class Paint>
std::string line_by_line(std::string_view text, Paint&& paint) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    all += paint(text.substr(0, end));
    if (end < text.size()) all += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

// Styles each word after the first one.
std::string painted_words(const style& s, std::string_view line) {
  std::string all(line.substr(0, line.find(' ')));
  for (line.remove_prefix(all.size()); !line.empty();) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    all += line.substr(0, begin);
    all += styled(s, style_of(line.substr(begin, end - begin)), line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return all;
}

}  // namespace

std::string painted(const style& s, std::string text) {
  if (!s.colors) return text;
  return line_by_line(text, [&](std::string_view line) { return painted_line(s, line); });
}

std::string painted_table(const style& s, std::string text) {
  if (!s.colors) return text;
  bool heading = true;
  return line_by_line(text, [&](std::string_view line) {
    const bool is_heading = std::exchange(heading, line.empty());
    if (is_heading || line == "out of reach" || line.starts_with(' ')) return painted_line(s, line);
    return painted_words(s, line);
  });
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 1000, kept = 400;
  if (text.size() > longest) {
    return printable(text.substr(0, kept)) + " ... (" + std::to_string(text.size() - 2 * kept) + " bytes) ... " +
           printable(text.substr(text.size() - kept));
  }
  std::string all;
  while (!text.empty()) {
    const std::size_t size = printable_bytes(text);
    if (size != 0) {
      all += text.substr(0, size);
    } else {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[0]);
      all += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return all;
}

}  // namespace topbit::cli
