module topbit.core;

import topbit.std;

namespace topbit {

namespace {

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
constexpr bool ends_token(char c) noexcept {
  return is_blank(c) || c == ',' || c == '[' || c == ']' || c == '(' || c == ')' || c == '"' || c == '\'' || c == '=';
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void author::text_reader::skip_blanks() noexcept {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

char author::text_reader::peek() noexcept {
  skip_blanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}
bool author::text_reader::at_end() noexcept {
  skip_blanks();
  return at_ == text_.size();
}
std::size_t author::text_reader::column() noexcept {
  skip_blanks();
  return at_ + 1;
}
void author::text_reader::go_to(std::size_t column) noexcept { at_ = column - 1; }
void author::text_reader::set_lone_elements(std::size_t n) noexcept { lone_elements_ = n; }
std::size_t author::text_reader::take_lone_elements() noexcept { return std::exchange(lone_elements_, 0); }

bool author::text_reader::take(char c) noexcept {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}
bool author::text_reader::take_word(std::string_view wanted) noexcept {
  skip_blanks();
  const std::size_t begin = at_;
  if (word() == wanted) return true;
  at_ = begin;
  return false;
}
void author::text_reader::expect(char c, std::string_view wanted) {
  if (take(c)) return;
  fail(wanted.empty() ? std::string{'\'', c, '\''} : std::string(wanted));
}
void author::text_reader::expect_end() {
  if (!at_end()) fail("the end");
}

std::string_view author::text_reader::word() noexcept {
  skip_blanks();
  const std::size_t begin = at_;
  if (at_ < text_.size() && detail::starts_word(text_[at_])) {
    while (at_ < text_.size() && detail::is_word(text_[at_])) ++at_;
  }
  return text_.substr(begin, at_ - begin);
}
std::string_view author::text_reader::token() noexcept {
  skip_blanks();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !ends_token(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string author::text_reader::string() {
  const char quote = peek();
  if (quote != '"' && quote != '\'') {
    const std::string_view bare = token();
    if (bare.empty()) fail("a string");
    return std::string(bare);
  }
  const std::size_t begin = column();
  std::string out;
  for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
    if (text_[at_] != '\\') {
      out += text_[at_];
      continue;
    }
    if (++at_ == text_.size()) break;
    switch (const char c = text_[at_]) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case '0': out += '\0'; break;
      case 'x': {
        const int high = at_ + 1 < text_.size() ? hex_digit(text_[at_ + 1]) : -1;
        const int low = at_ + 2 < text_.size() ? hex_digit(text_[at_ + 2]) : -1;
        if (high < 0 || low < 0) fail_at(at_, "two hexadecimal digits after '\\x'");
        out += static_cast<char>(high * 16 + low);
        at_ += 2;
        break;
      }
      default: out += c;
    }
  }
  if (at_ >= text_.size())
    fail_at(text_.size() + 1, "the quote that ends the string at column " + std::to_string(begin));
  ++at_;
  return out;
}

author::text_reader::number_text author::text_reader::number_token() {
  skip_blanks();
  const std::size_t begin = at_;
  const auto digits = [&] {
    const std::size_t first = at_;
    while (at_ < text_.size() && detail::is_digit(text_[at_])) ++at_;
    return at_ - first;
  };
  const auto have = [&](char c) { return at_ < text_.size() && text_[at_] == c; };
  if (have('-')) ++at_;
  bool is_integer = true, good = true;
  if (const std::string_view rest = text_.substr(at_); rest.starts_with("inf") || rest.starts_with("nan")) {
    at_ += 3;
    is_integer = false;
  } else {
    const std::size_t whole = digits();
    std::size_t fraction = 0;
    if (have('.')) {
      ++at_;
      fraction = digits();
      is_integer = false;
    }
    good = whole + fraction != 0;
    if (good && (have('e') || have('E'))) {
      ++at_;
      if (have('-') || have('+')) ++at_;
      good = digits() != 0;
      is_integer = false;
    }
  }
  if (!good) fail_at(begin + 1, "a number");
  return {text_.substr(begin, at_ - begin), begin + 1, is_integer};
}

void author::text_reader::fail(std::string_view wanted) { fail_at(column(), wanted); }

void author::text_reader::fail_at(std::size_t column, std::string_view wanted) const {
  constexpr std::size_t most = 24;
  std::string found = "the end";
  if (column <= text_.size()) {
    std::string_view rest = text_.substr(column - 1);
    std::size_t size = 1;
    if (!ends_token(rest[0])) {
      while (size < rest.size() && !ends_token(rest[size])) ++size;
    }
    found.clear();
    detail::write_quoted(found, rest.substr(0, std::min(size, most)), '\'', true);
    if (size > most) found.insert(found.size() - 1, "...");
  }
  throw bad_argument("found " + found + " at column " + std::to_string(column) + ", wanted " + std::string(wanted));
}

}  // namespace topbit
