// The part of YAML that tables are written in: a block list of block maps, whose values are plain or quoted scalars,
// flow lists, block lists and block maps of scalars, and {}. One reader for the compiler and for files: it allocates
// nothing and tells a sink what it finds, in order. The first mistake ends it.
export module topbit.tables:reader;

import topbit.std;
import topbit.core;
import :cursor;
import :position;

namespace topbit::tables {

/// What a key's value is.
export enum class value_kind : std::uint8_t { scalar, list, map };

/// A scalar as it stands in the text, without its quotes.
export struct scalar {
  std::string_view raw{};
  position at{};
  char quote = 0;       // ' or ", 0 for a plain one
  bool folded = false;  // over several lines, each break and the space around it standing for one space

  /// The characters that it stands for, one after the other.
  template <class F>
  constexpr void each(F f) const {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      char c = raw[i];
      if (quote == '"' && c == '\\')
        c = raw[++i];
      else if (quote == '\'' && c == '\'')
        ++i;
      if (folded && (c == ' ' || c == '\n')) {
        std::size_t next = i;
        bool broken = false;
        while (next < raw.size() && (raw[next] == ' ' || raw[next] == '\n')) broken |= raw[next++] == '\n';
        if (broken) i = next - 1;
        if (broken) c = ' ';
      }
      f(c);
    }
  }
  constexpr std::size_t size() const {
    std::size_t n = 0;
    if (quote == 0 && !folded) return raw.size();
    each([&](char) { ++n; });
    return n;
  }
  /// Writes them there.
  constexpr void copy(char* to) const {
    if (quote == 0 && !folded)
      copy_text(to, raw);
    else
      each([&](char c) { *to++ = c; });
  }
  /// As a text of its own; at run time.
  std::string text() const {
    std::string all;
    each([&](char c) { all += c; });
    return all;
  }
};

/// What hears of the parts of a table, in their order. Each function may note a mistake, which ends the reading.
export template <class S>
concept table_sink = requires(S& s, position p, const scalar& v, value_kind k, mistake& m) {
  s.entry(p, m);
  s.key(v, k, m);
  s.value(v, m);    // of a scalar, or of each element of a list
  s.pair(v, v, m);  // of a map
  s.end_of_entry(m);
};

}  // namespace topbit::tables

namespace topbit::tables {

template <class Sink>
class table_reader : text_cursor {
 public:
  constexpr table_reader(std::string_view text, Sink& sink, mistake& m) noexcept : text_cursor(text, m), sink_(sink) {}

  constexpr void read() {
    if (!has_plain_bytes()) return;
    first_line();
    const std::size_t list = indent_;
    while (!failed_ && !done_) {
      if (indent_ != list || !is_dash()) {
        fail(indent_ > list ? "'- ' of the next entry, or a key of this one in its column" : "'- func: ...', an entry");
        return;
      }
      entry(list);
    }
  }

 private:
  constexpr void entry(std::size_t list) {
    sink_.entry(here(), mistake_);
    look();
    ++at_;
    spaces();
    if (at_line_end()) return fail("'func: ...' behind '-'");
    const auto column = static_cast<std::size_t>(at_ - line_);
    indent_ = column;
    while (!failed_ && !done_ && indent_ == column) field(column);
    if (!failed_ && !done_ && indent_ > list) return fail_indent(column);
    if (!failed_) {
      sink_.end_of_entry(mistake_);
      look();
    }
  }

  constexpr void field(std::size_t column) {
    const scalar key = this->key("'key: value'");
    if (failed_) return;
    if (at_line_end()) {
      const position after = here();
      advance();
      if (!done_ && indent_ >= column && is_dash()) {
        sink_.key(key, value_kind::list, mistake_);
        look();
        block_list();
      } else if (!done_ && indent_ > column) {
        sink_.key(key, value_kind::map, mistake_);
        look();
        block_map();
      } else {
        failed_ = true;
        mistake_.at = after;
        mistake_.text.add("found no value, wanted one for '").add(key.raw).add("'");
      }
    } else if (*at_ == '[') {
      sink_.key(key, value_kind::list, mistake_);
      look();
      if (!failed_) flow_list();
    } else if (*at_ == '{' && at_ + 1 != end_ && at_[1] == '}') {
      sink_.key(key, value_kind::map, mistake_);
      look();
      at_ += 2;
      if (!failed_) end_of_value();
    } else {
      sink_.key(key, value_kind::scalar, mistake_);
      look();
      if (failed_) return;
      const scalar value = this->value(column);
      if (!failed_) {
        sink_.value(value, mistake_);
        look();
      }
    }
  }

  constexpr void block_map() {
    const std::size_t column = indent_;
    while (!failed_ && !done_ && indent_ == column && !is_dash()) {
      const scalar key = this->key("'key: value' of a map");
      if (failed_) return;
      if (at_line_end()) return fail("a value in the same line");
      if (*at_ == '[') return fail("a scalar, since a map has no lists");
      const scalar value = this->value(column);
      if (!failed_) {
        sink_.pair(key, value, mistake_);
        look();
      }
    }
  }

  constexpr void block_list() {
    const std::size_t column = indent_;
    while (!failed_ && !done_ && indent_ == column && is_dash()) {
      ++at_;
      spaces();
      if (at_line_end()) return fail("an element behind '-'");
      const scalar value = this->value(column);
      if (!failed_) {
        sink_.value(value, mistake_);
        look();
      }
    }
  }

  // `[a, 'b', c]`, over several lines too.
  constexpr void flow_list() {
    ++at_;
    flow_space();
    while (!failed_ && at_ != end_ && *at_ != ']') {
      const scalar value = flow_scalar();
      if (failed_) return;
      sink_.value(value, mistake_);
      look();
      flow_space();
      if (at_ != end_ && *at_ == ',') {
        ++at_;
        flow_space();
      } else if (at_ == end_ || *at_ != ']') {
        return fail("',' or ']'");
      }
    }
    if (failed_) return;
    if (at_ == end_) return fail("']'");
    ++at_;
    end_of_value();
  }
  constexpr void flow_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '#')) {
      if (*at_ == '#') at_ = find_byte(at_, end_, '\n');
      if (at_ == end_) return;
      if (*at_++ != '\n') continue;
      line_ = at_;
      ++number_;
    }
  }
  constexpr scalar flow_scalar() {
    if (*at_ == '\'' || *at_ == '"') return quoted();
    const char* const begin = at_;
    scalar s{.at = here()};
    if (!starts_plain() || *at_ == ',') return fail("an element of the list"), s;
    while (at_ != end_ && *at_ != ',' && *at_ != ']' && *at_ != '\n') ++at_;
    s.raw = trimmed(begin, at_);
    return s;
  }

  // A key and its colon, up to the value or the end of the line.
  constexpr scalar key(std::string_view wanted) {
    scalar k{.at = here()};
    if (*at_ == '\'' || *at_ == '"') {
      k = quoted();
      if (failed_) return k;
      spaces();
    } else {
      if (!starts_plain()) return fail(wanted), k;
      const char* const begin = at_;
      const char* const stop = line_stop();
      const char* colon = find_byte(at_, stop, ':');
      while (colon != stop && colon + 1 != stop && colon[1] != ' ') colon = find_byte(colon + 1, stop, ':');
      if (colon == stop) return fail(wanted), k;
      k.raw = trimmed(begin, colon);
      at_ = colon;
    }
    if (at_ == end_ || *at_ != ':') return fail("':' behind the key"), k;
    ++at_;
    spaces();
    return k;
  }

  // A scalar up to the end of its line, or over lines that are indented further than `column`.
  constexpr scalar value(std::size_t column) {
    scalar s{.at = here()};
    if (*at_ == '\'' || *at_ == '"') {
      s = quoted();
      if (!failed_) end_of_value();
      return s;
    }
    if (!starts_plain()) return fail(wanted_of_indicator()), s;
    const char* const begin = at_;
    const char* last = plain_line();
    s.raw = trimmed(begin, last);
    bool commented = last != at_;
    advance();
    while (!failed_ && !done_ && indent_ > column) {
      if (commented || skipped_comment_) return fail("no comment inside a value of several lines"), s;
      last = plain_line();
      commented = last != at_;
      s.raw = trimmed(begin, last);
      s.folded = true;
      advance();
    }
    return s;
  }
  // Moves to the end of the line; returns where the value's part of it ends, before a comment.
  constexpr const char* plain_line() {
    const char* const stop = line_stop();
    const char* end = stop;
    for (const char* hash = find_byte(at_, stop, '#'); hash != stop; hash = find_byte(hash + 1, stop, '#')) {
      if (hash[-1] != ' ') continue;
      end = hash;
      break;
    }
    for (const char* colon = find_byte(at_, end, ':'); colon != end; colon = find_byte(colon + 1, end, ':')) {
      if (colon + 1 != end && colon[1] != ' ') continue;
      at_ = colon;
      fail("no ': ' inside a plain value; put it in quotes, or give the key the column of the others");
      return colon;
    }
    at_ = stop;
    return end;
  }

  constexpr scalar quoted() {
    const char quote = *at_;
    scalar s{.at = here(), .quote = quote};
    const char* const stop = line_stop();
    const char* close = at_ + 1;
    while (close != stop && (*close != quote || (quote == '\'' && close + 1 != stop && close[1] == quote))) {
      if (quote == '"' && *close == '\\') {
        if (close + 1 == stop || (close[1] != '"' && close[1] != '\\')) {
          at_ = close;
          return fail("one of the escapes \\\" and \\\\"), s;
        }
        ++close;
      } else if (*close == quote) {
        ++close;
      }
      ++close;
    }
    if (close == stop) {
      at_ = stop;
      return fail("the closing quote in the same line"), s;
    }
    s.raw = {at_ + 1, static_cast<std::size_t>(close - at_ - 1)};
    at_ = close + 1;
    return s;
  }

  constexpr void end_of_value() {
    const char* const before = at_;
    spaces();
    if (!at_line_end() || (at_ == before && at_ != end_ && *at_ == '#')) return fail("the end of the line");
    advance();
  }

  constexpr bool starts_plain() const noexcept {
    if (at_ == end_) return false;
    switch (*at_) {
      case '[':
      case ']':
      case '{':
      case '}':
      case ',':
      case '#':
      case '&':
      case '*':
      case '!':
      case '|':
      case '>':
      case '%':
      case '@':
      case '`':
      case '\n': return false;
      case '-':
      case '?':
      case ':': return at_ + 1 != end_ && at_[1] != ' ' && at_[1] != '\n';
      default: return true;
    }
  }
  constexpr std::string_view wanted_of_indicator() const noexcept {
    switch (*at_) {
      case '{': return "a block map in the lines below, or {} for an empty one";
      case '&':
      case '*': return "a value: tables have no anchors";
      case '!': return "a value: tables have no type tags";
      case '|':
      case '>': return "the value itself, over several lines where it is long: tables have no block scalars";
      case '-': return "a value; a list begins in the line below";
      default: return "a value, in quotes if it begins with this character";
    }
  }

  Sink& sink_;
};

/// Tells the sink what is in the text, up to the first mistake. Cost: linear in the text.
export template <table_sink S>
constexpr mistake read_yaml(std::string_view text, S& sink) {
  mistake m;
  table_reader<S>(text, sink, m).read();
  return m;
}

}  // namespace topbit::tables
