// A place in a table's text that moves by lines, and the mistakes that are found there.
export module topbit.tables:cursor;

import topbit.std;
import topbit.core;
import :position;

namespace topbit::tables {

constexpr const char* find_byte(const char* from, const char* end, char wanted) noexcept {
  if constexpr (requires { __builtin_char_memchr(from, wanted, std::size_t{}); }) {
    // One step of the compiler's evaluator.
    const char* const found = __builtin_char_memchr(from, wanted, static_cast<std::size_t>(end - from));
    return found != nullptr ? found : end;
  } else {
    while (from != end && *from != wanted) ++from;
    return from;
  }
}

class text_cursor {
 protected:
  constexpr text_cursor(std::string_view text, mistake& m) noexcept
      : at_(text.data()), end_(text.data() + text.size()), line_(at_), mistake_(m) {}

  // After a call of who may have noted a mistake.
  constexpr void look() noexcept { failed_ = !mistake_.ok(); }

  constexpr bool has_plain_bytes() {
    for (const char c : {'\t', '\r', '\0'}) {
      const char* const found = find_byte(at_, end_, c);
      if (found == end_) continue;
      for (const char* next = find_byte(at_, found, '\n'); next != found; next = find_byte(next + 1, found, '\n')) {
        line_ = next + 1;
        ++number_;
      }
      at_ = found;
      say(c == '\t'   ? "found a tab, wanted spaces"
          : c == '\r' ? "found a carriage return, wanted lines that end with a line feed alone"
                      : "found a zero byte, wanted text");
      return false;
    }
    return true;
  }

  // ------------------------------------------------------------------------------------------------------------ lines

  constexpr const char* line_stop() const noexcept { return find_byte(at_, end_, '\n'); }
  constexpr void spaces() noexcept {
    while (at_ != end_ && *at_ == ' ') ++at_;
  }
  constexpr bool at_line_end() const noexcept { return at_ == end_ || *at_ == '\n' || *at_ == '#'; }
  constexpr bool is_dash() const noexcept {
    return *at_ == '-' && (at_ + 1 == end_ || at_[1] == ' ' || at_[1] == '\n');
  }
  static constexpr std::string_view trimmed(const char* begin, const char* end) noexcept {
    while (end != begin && (end[-1] == ' ' || end[-1] == '\n')) --end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  // To the next line with more than a comment on it.
  constexpr void advance() {
    if (failed_) return;
    at_ = line_stop();
    if (at_ == end_) {
      done_ = true;
      return;
    }
    line_ = ++at_;
    ++number_;
    first_line();
  }
  constexpr void first_line() {
    skipped_comment_ = false;
    while (true) {
      spaces();
      if (!at_line_end()) break;
      if (at_ != end_ && *at_ == '#') skipped_comment_ = true;
      at_ = line_stop();
      if (at_ == end_) {
        done_ = true;
        return;
      }
      line_ = ++at_;
      ++number_;
    }
    indent_ = static_cast<std::size_t>(at_ - line_);
    if (indent_ != 0 || end_ - at_ < 3) return;
    if ((at_[0] == '-' && at_[1] == '-' && at_[2] == '-') || (at_[0] == '.' && at_[1] == '.' && at_[2] == '.'))
      fail("an entry: a table is one document without marks");
    else if (*at_ == '%')
      fail("an entry: tables have no directives");
  }

  // --------------------------------------------------------------------------------------------------------- mistakes

  constexpr position here() const noexcept { return {number_, static_cast<std::uint32_t>(at_ - line_) + 1}; }
  constexpr void say(std::string_view text) noexcept {
    if (failed_) return;
    failed_ = true;
    mistake_.at = here();
    mistake_.text.add(text);
  }
  constexpr void fail(std::string_view wanted) noexcept {
    if (failed_) return;
    failed_ = true;
    mistake_.at = here();
    auto& v = mistake_.text;
    if (at_ == end_) {
      v.add("found the end of the text");
    } else if (*at_ == '\n') {
      v.add("found the end of the line");
    } else {
      const char* stop = at_;
      while (stop != end_ && *stop != ' ' && *stop != '\n' && stop - at_ < 40) ++stop;
      v.add("found '").add({at_, static_cast<std::size_t>(stop - at_)}).add("'");
    }
    v.add(", wanted ").add(wanted);
  }
  constexpr void fail_indent(std::size_t column) noexcept {
    if (failed_) return;
    failed_ = true;
    mistake_.at = here();
    mistake_.text.add("found a line in column ").add(indent_ + 1).add(", wanted column ").add(column + 1);
    mistake_.text.add(", where the keys of this entry are");
  }

  const char* at_;
  const char* end_;
  const char* line_;
  mistake& mistake_;
  std::uint32_t number_ = 1;
  std::size_t indent_ = 0;
  bool done_ = false, skipped_comment_ = false, failed_ = false;
};

}  // namespace topbit::tables
