module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :market_text;

namespace topbit::sparse::detail {

namespace {

enum class field : std::uint8_t { real, integer, pattern };
enum class symmetry : std::uint8_t { general, symmetric, skew };

constexpr std::string_view blanks = " \t\r\v\f";
constexpr std::string_view first_line =
    "'%%MatrixMarket matrix <coordinate|array> <real|integer|pattern> <general|symmetric|skew-symmetric>'";

std::string in_quotes(std::string_view word) {
  constexpr std::size_t most = 40;
  std::string text = "'";
  for (const char c : word.substr(0, most)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (word.size() > most ? "...'" : "'");
}

bool is_word(std::string_view found, std::string_view lower) {
  return std::ranges::equal(found, lower,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

std::string between(std::int64_t least, std::int64_t most) {
  return " from " + std::to_string(least) + " to " + std::to_string(most);
}

// Lines of a text, and words of a line.
class lines {
 public:
  lines(const std::string& who, std::string_view text) : who_(who), left_(text) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw error(who_ + "line " + std::to_string(number_) + ": " + what, "load_matrix_market");
  }

  // False at the end of the text, which counts as a line for messages.
  bool next() {
    ++number_;
    if (left_.empty()) return false;
    const std::size_t end = left_.find('\n');
    line_ = left_.substr(0, end);
    left_.remove_prefix(end == std::string_view::npos ? left_.size() : end + 1);
    return true;
  }
  // The next line with something on it that is no comment.
  bool next_entry() {
    while (next()) {
      skip_blanks();
      if (!line_.empty() && line_.front() != '%') return true;
    }
    return false;
  }
  // Empty at the end of the line.
  std::string_view word() {
    skip_blanks();
    const std::string_view found = line_.substr(0, line_.find_first_of(blanks));
    line_.remove_prefix(found.size());
    return found;
  }
  void end_line(std::string_view wanted) {
    if (const std::string_view more = word(); !more.empty()) {
      refuse("found " + in_quotes(more) + " at the end of the line, wanted " + std::string(wanted) + " alone");
    }
  }
  std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) {
    const std::string_view found = word(), digits = without_sign(found);
    std::int64_t n = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (problem == std::errc() && end == digits.data() + digits.size() && n >= least && n <= most) return n;
    refuse_word(found, std::string(what) + between(least, most));
  }
  template <class T>
  double floating() {
    const std::string_view found = word(), digits = without_sign(found);
    T x = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (problem == std::errc() && end == digits.data() + digits.size()) return static_cast<double>(x);
    refuse_word(found, std::string("a number in the range of ") + (sizeof(T) == 4 ? "float32" : "float64"));
  }
  // Bytes after the current line.
  std::uint64_t bytes_left() const noexcept { return left_.size(); }

 private:
  void skip_blanks() {
    const std::size_t begin = line_.find_first_not_of(blanks);
    line_.remove_prefix(begin == std::string_view::npos ? line_.size() : begin);
  }
  // from_chars takes no plus sign.
  static std::string_view without_sign(std::string_view number) {
    return number.size() > 1 && number[0] == '+' && number[1] != '-' && number[1] != '+' ? number.substr(1) : number;
  }
  [[noreturn]] void refuse_word(std::string_view found, const std::string& wanted) const {
    refuse("found " + (found.empty() ? "the end of the line" : in_quotes(found)) + ", wanted " + wanted);
  }

  const std::string& who_;
  std::string_view left_, line_;
  std::uint64_t number_ = 0;
};

struct kind {
  field of = field::real;
  symmetry how = symmetry::general;
};

kind read_first_line(lines& in, market_matrix& to) {
  const auto choose = [&](std::string_view what, std::initializer_list<std::string_view> words) {
    const std::string_view found = in.word();
    std::size_t i = 0;
    for (const std::string_view each : words) {
      if (is_word(found, each)) return i;
      ++i;
    }
    std::string list;
    for (const std::string_view each : words) ((list += list.empty() ? "" : ", ") += each);
    in.refuse("found " + std::string(what) + " " + in_quotes(found) + ", wanted one of " + list);
  };
  in.next();
  if (const std::string_view found = in.word(); found != "%%MatrixMarket") {
    in.refuse("found " + in_quotes(found) + ", wanted " + std::string(first_line));
  }
  choose("object", {"matrix"});
  to.is_coordinate = choose("format", {"coordinate", "array"}) == 0;
  kind k{static_cast<field>(choose("field", {"real", "integer", "pattern"})),
         static_cast<symmetry>(choose("symmetry", {"general", "symmetric", "skew-symmetric"}))};
  in.end_line(first_line);
  if (k.of == field::pattern && !to.is_coordinate) in.refuse("found the pattern of an array, wanted real or integer");
  if (k.of == field::pattern && k.how == symmetry::skew) {
    in.refuse("found the pattern of a skew-symmetric matrix, wanted general or symmetric");
  }
  return k;
}

void choose_type(const lines& in, kind k, std::optional<dtype> wanted, market_matrix& to) {
  to.type = wanted.value_or(k.of == field::integer ? dtype::int64 : dtype::float64);
  if (k.of == field::real && !is_floating(to.type)) {
    in.refuse("found a real matrix, wanted an integer or pattern matrix for " + std::string(name_of(to.type)));
  }
}

// The range of an integer dtype.
std::pair<std::int64_t, std::int64_t> range_of(dtype type) {
  return with_element_type(type, []<class E>(E) -> std::pair<std::int64_t, std::int64_t> {
    if constexpr (std::same_as<E, bool>) return {0, 1};
    if constexpr (std::is_integral_v<E>) return {std::numeric_limits<E>::min(), std::numeric_limits<E>::max()};
    return {0, 0};
  });
}

// The number of listed elements of an array; the rest follows from its symmetry. Sizes were checked.
std::int64_t listed(const market_matrix& m, symmetry how) {
  if (how == symmetry::general) return m.rows * m.columns;
  const std::int64_t n = m.rows, other = how == symmetry::symmetric ? n + 1 : n - 1;
  return n % 2 == 0 ? n / 2 * other : other / 2 * n;
}

// Returns the number of entries.
std::int64_t read_sizes(lines& in, kind k, market_matrix& to) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (!in.next_entry()) in.refuse("found the end, wanted a line with the sizes");
  to.rows = in.integer("the number of rows,", 0, most);
  to.columns = in.integer("the number of columns,", 0, most);
  if (constexpr std::int64_t elements = most / 8; to.rows > elements / std::max<std::int64_t>(to.columns, 1)) {
    in.refuse("found " + std::to_string(to.rows) + " rows and " + std::to_string(to.columns) +
              " columns, wanted at most " + std::to_string(elements) + " elements, as a tensor can have");
  }
  if (k.how != symmetry::general && to.rows != to.columns) {
    in.refuse("found " + std::to_string(to.rows) + " rows and " + std::to_string(to.columns) +
              " columns, wanted as many for a symmetric matrix");
  }
  const std::int64_t count = to.is_coordinate ? in.integer("the number of entries,", 0, most) : listed(to, k.how);
  in.end_line(to.is_coordinate ? "rows, columns and entries" : "rows and columns");
  // The shortest entries are "1 1", "1 1 1" and "1", and the last line may have no end.
  const std::uint64_t shortest = !to.is_coordinate ? 2 : k.of == field::pattern ? 4 : 6;
  const std::uint64_t possible = (in.bytes_left() + 1) / shortest;
  if (static_cast<std::uint64_t>(count) > possible) {
    in.refuse("found " + std::to_string(count) + " entries, wanted at most " + std::to_string(possible) +
              ", as many as there can be in the " + std::to_string(in.bytes_left()) + " bytes that follow");
  }
  return count;
}

// Values of entries, in the list for the matrix's dtype.
class value_reader {
 public:
  value_reader(lines& in, field of, market_matrix& to)
      : in_(in), to_(to), of_(of), floats_(is_floating(to.type)), range_(range_of(to.type)) {}

  void reserve(std::int64_t count) {
    floats_ ? to_.real.reserve(static_cast<std::size_t>(count)) : to_.whole.reserve(static_cast<std::size_t>(count));
  }
  void read() {
    if (of_ == field::pattern) {
      floats_ ? to_.real.push_back(1) : to_.whole.push_back(1);
    } else if (!floats_) {
      to_.whole.push_back(in_.integer("an integer", range_.first, range_.second));
    } else if (of_ == field::real) {
      to_.real.push_back(to_.type == dtype::float64 ? in_.floating<double>() : in_.floating<float>());
    } else {
      const std::int64_t n =
          in_.integer("an integer", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
      to_.real.push_back(to_.type == dtype::float64 ? static_cast<double>(n)
                                                    : static_cast<double>(static_cast<float>(n)));
    }
  }
  // The last value again, on the other side of the diagonal.
  void mirror(symmetry how) {
    if (floats_) {
      to_.real.push_back(how == symmetry::skew ? -to_.real.back() : to_.real.back());
      return;
    }
    const std::int64_t last = to_.whole.back();
    if (how == symmetry::skew && (last < -range_.second || -last < range_.first)) {
      in_.refuse("found " + std::to_string(last) + ", wanted a number whose negative is an integer" +
                 between(range_.first, range_.second));
    }
    to_.whole.push_back(how == symmetry::skew ? -last : last);
  }

 private:
  lines& in_;
  market_matrix& to_;
  field of_;
  bool floats_;
  std::pair<std::int64_t, std::int64_t> range_;
};

void check_side(const lines& in, symmetry how, std::int64_t row, std::int64_t column) {
  if (how == symmetry::general || row > column || (row == column && how == symmetry::symmetric)) return;
  in.refuse("found an entry in row " + std::to_string(row + 1) + " and column " + std::to_string(column + 1) +
            (how == symmetry::symmetric ? ", wanted one on or below the diagonal of a symmetric matrix"
                                        : ", wanted one below the diagonal of a skew-symmetric matrix"));
}

void next_of(lines& in, std::int64_t found, std::int64_t count) {
  if (in.next_entry()) return;
  in.refuse("found the end after " + std::to_string(found) + " entries, wanted " + std::to_string(count));
}

void read_coordinates(lines& in, kind k, std::int64_t count, market_matrix& to) {
  value_reader values(in, k.of, to);
  const std::int64_t sides = k.how == symmetry::general ? 1 : 2;
  to.row.reserve(static_cast<std::size_t>(sides * count));
  to.column.reserve(static_cast<std::size_t>(sides * count));
  values.reserve(sides * count);
  const std::string_view wanted = k.of == field::pattern ? "row and column" : "row, column and value";
  for (std::int64_t i = 0; i < count; ++i) {
    next_of(in, i, count);
    const std::int64_t row = in.integer("a row", 1, to.rows) - 1, column = in.integer("a column", 1, to.columns) - 1;
    check_side(in, k.how, row, column);
    to.row.push_back(row);
    to.column.push_back(column);
    values.read();
    in.end_line(wanted);
    if (k.how == symmetry::general || row == column) continue;
    to.row.push_back(column);
    to.column.push_back(row);
    values.mirror(k.how);
  }
}

// Puts the listed part of a symmetric array, column by column below the diagonal, into a whole array.
template <class T>
void unfold(std::vector<T>& values, std::int64_t size, symmetry how) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<T> all(n * n, T(0));
  std::size_t next = 0;
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = column + (how == symmetry::skew ? 1 : 0); row < n; ++row) {
      const T x = values[next++];
      all[row + n * column] = x;
      all[column + n * row] = how == symmetry::skew ? static_cast<T>(-x) : x;
    }
  }
  values = std::move(all);
}

void read_array(lines& in, kind k, std::int64_t count, market_matrix& to) {
  value_reader values(in, k.of, to);
  values.reserve(count);
  for (std::int64_t i = 0; i < count; ++i) {
    next_of(in, i, count);
    values.read();
    in.end_line("one number");
    if (k.how == symmetry::skew && !is_floating(to.type)) {
      values.mirror(k.how);  // for its check alone
      to.whole.pop_back();
    }
  }
  if (k.how == symmetry::general) return;
  is_floating(to.type) ? unfold(to.real, to.rows, k.how) : unfold(to.whole, to.rows, k.how);
}

void append(std::string& text, auto number) {
  std::array<char, 40> digits;
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

}  // namespace

market_matrix read_market(const std::string& who, std::string_view text, std::optional<dtype> type) {
  lines in(who, text);
  market_matrix matrix;
  const kind k = read_first_line(in, matrix);
  choose_type(in, k, type, matrix);
  const std::int64_t count = read_sizes(in, k, matrix);
  matrix.is_coordinate ? read_coordinates(in, k, count, matrix) : read_array(in, k, count, matrix);
  if (in.next_entry()) in.refuse("found another line, wanted the end after " + std::to_string(count) + " entries");
  return matrix;
}

std::string write_market(const market_matrix& m, std::string_view comment) {
  const bool floats = is_floating(m.type);
  std::string text = std::string("%%MatrixMarket matrix ") + (m.is_coordinate ? "coordinate " : "array ") +
                     (floats ? "real general\n" : "integer general\n");
  while (!comment.empty()) {
    const std::size_t end = comment.find('\n');
    ((text += '%') += comment.substr(0, end)) += '\n';
    comment.remove_prefix(end == std::string_view::npos ? comment.size() : end + 1);
  }
  append(text, m.rows);
  append(text += ' ', m.columns);
  if (m.is_coordinate) append(text += ' ', m.row.size());
  text += '\n';
  const std::size_t count = floats ? m.real.size() : m.whole.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (m.is_coordinate) {
      append(text, m.row[i] + 1);
      append(text += ' ', m.column[i] + 1);
      text += ' ';
    }
    if (!floats) {
      append(text, m.whole[i]);
    } else if (m.type == dtype::float64) {
      append(text, m.real[i]);
    } else {
      append(text, static_cast<float>(m.real[i]));
    }
    text += '\n';
  }
  return text;
}

}  // namespace topbit::sparse::detail
