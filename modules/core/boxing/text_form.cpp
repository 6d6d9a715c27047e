module topbit.core;

import topbit.std;

namespace topbit::detail {

namespace {

template <class T>
std::string_view digits(char (&buffer)[40], T x) {
  return {buffer, static_cast<std::size_t>(std::to_chars(buffer, buffer + sizeof buffer, x).ptr - buffer)};
}

template <class T>
void write_floating(std::string& out, T x) {
  char buffer[40];
  const std::string_view text = digits(buffer, x);
  out += text;
  if (text.find_first_not_of("-0123456789") == std::string_view::npos) out += ".0";
}

// Size in bytes of the printable UTF-8 character at the start of the text. 0 for a non-ASCII control character
// (terminals interpret U+009B) and for malformed UTF-8.
std::size_t size_of_printable(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const unsigned least = first == 0xc2 || first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

void write_integer(std::string& out, std::int64_t x) {
  char buffer[40];
  out += digits(buffer, x);
}
void write_natural(std::string& out, std::uint64_t x) {
  char buffer[40];
  out += digits(buffer, x);
}
void write_number(std::string& out, float x) { write_floating(out, x); }
void write_number(std::string& out, double x) { write_floating(out, x); }
void write_number(std::string& out, long double x) { write_floating(out, x); }

void write_complex(std::string& out, std::complex<double> x) {
  char buffer[40];
  out += digits(buffer, x.real());
  const std::string_view imaginary = digits(buffer, x.imag());
  if (!imaginary.starts_with('-')) out += '+';
  out.append(imaginary).append("j");
}

void write_quoted(std::string& out, std::string_view text, char quote, bool ascii) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += quote;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out.append("\\").append(1, c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else if (const std::size_t size = ascii ? 0 : size_of_printable(text.substr(i)); size != 0) {
      out += text.substr(i, size);
      i += size - 1;
    } else {
      out.append("\\x").append(1, hex[byte / 16]).append(1, hex[byte % 16]);
    }
  }
  out += quote;
}

bool read_bool(author::text_reader& in) {
  if (in.take_word("True") || in.take_word("true")) return true;
  if (in.take_word("False") || in.take_word("false")) return false;
  in.fail("True or False");
}

// Accepts 1+2j, 1 and 2j; no blanks inside.
std::complex<double> read_complex(author::text_reader& in) {
  const std::size_t begin = in.column();
  author::text_reader::number_text first = in.number_token();
  const double real = in.convert<double>(first);
  const std::size_t sign_at = first.column + first.text.size();
  if (in.column() != sign_at) return {real, 0};
  if (in.take('j')) return {0, real};
  const bool minus = in.peek() == '-';
  if (!minus && !in.take('+')) return {real, 0};
  const double imaginary = in.convert<double>(in.number_token());
  if (!in.take('j')) in.fail_at(begin, "a complex number such as 1+2j");
  return {real, imaginary};
}

}  // namespace topbit::detail
