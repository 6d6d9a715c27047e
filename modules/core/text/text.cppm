// Text at compile time: names as template arguments, messages built by the compiler, and readable type names.
//
// A verdict says why something is refused: empty means that it is accepted. The same function fills it during
// compilation, where a static_assert prints it, and at run time, where an error carries it.
export module topbit.core:text.text;

import topbit.std;

namespace topbit {

/// A string that can be a template argument. N counts the terminating zero.
export template <std::size_t N>
struct fixed_string {
  char chars[N]{};

  constexpr fixed_string() noexcept = default;
  constexpr fixed_string(const char (&text)[N]) noexcept {
    for (std::size_t i = 0; i < N; ++i) chars[i] = text[i];
  }
  constexpr std::string_view view() const noexcept { return {chars, N - 1}; }
  friend constexpr bool operator==(const fixed_string&, const fixed_string&) = default;
};

export namespace author {

/// An error message, or empty. Text beyond its capacity is cut.
template <std::size_t Capacity>
class basic_verdict {
 public:
  constexpr bool ok() const noexcept { return size_ == 0; }
  constexpr const char* data() const noexcept { return text_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::string_view view() const noexcept { return {text_, size_}; }

  constexpr basic_verdict& add(std::string_view text) noexcept {
    for (char c : text) {
      if (size_ < Capacity) text_[size_++] = c;
    }
    return *this;
  }
  constexpr basic_verdict& add(std::size_t number) noexcept {
    char digits[20]{};
    std::size_t n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (n != 0) add(std::string_view(&digits[--n], 1));
    return *this;
  }

 private:
  char text_[Capacity]{};
  std::size_t size_ = 0;
};

using verdict = basic_verdict<480>;
template class basic_verdict<480>;

}  // namespace author

namespace detail {

/// The characters [Begin, Begin + Length) of a fixed string, again as a fixed string.
template <fixed_string Text, std::size_t Begin, std::size_t Length>
consteval auto substring() {
  fixed_string<Length + 1> part;
  for (std::size_t i = 0; i < Length; ++i) part.chars[i] = Text.chars[Begin + i];
  return part;
}

// The compiler's name of a type: whole, qualified, and so the identity of the type across shared objects.
// The return type is auto because GCC appends "; std::string_view = ..." for a function whose type has an alias.
template <class T>
consteval auto raw_type_name() {
  const std::string_view pretty = __PRETTY_FUNCTION__;
  const std::size_t begin = pretty.find("T = ") + 4;
  return pretty.substr(begin, pretty.size() - begin - 1);
}

// A type in an unnamed namespace: each source file may have another one of this name.
constexpr bool is_local_name(std::string_view raw) noexcept {
  return raw.find("(anonymous") != std::string_view::npos || raw.find("{anonymous}") != std::string_view::npos;
}
template <class T>
inline constexpr bool has_local_name = is_local_name(raw_type_name<T>());

// Spellings of the compiler, and the usual ones.
struct spelling {
  std::string_view compiler, people;
};
inline constexpr spelling spellings[] = {
    {"std::basic_string_view<char>", "std::string_view"},
    {"std::__cxx11::basic_string<char>", "std::string"},
    {"std::basic_string<char>", "std::string"},
    {"__cxx11::", ""},
    {", 18446744073709551615", ""},
    // GCC's, which clang writes as people do.
    {"long long int", "long long"},
    {"long long unsigned int", "unsigned long long"},
    {"long unsigned int", "unsigned long"},
    {"long int", "int64_t"},
    {"short unsigned int", "unsigned short"},
    {"short int", "short"},
    {"{anonymous}", "(anonymous namespace)"},
    {" >", ">"},
    {"topbit::", ""},
    {" &", "&"},
    {" *", "*"},
};

struct name_buffer {
  char text[512]{};
  std::size_t size = 0;
  constexpr std::string_view view() const noexcept { return {text, size}; }
  constexpr void add(std::string_view piece) {
    for (char c : piece) {
      if (size < sizeof text) text[size++] = c;
    }
  }
};

constexpr bool word_at(std::string_view text, std::size_t at, std::string_view word) {
  const auto letter = [&](std::size_t i) {
    return i < text.size() && (text[i] == '_' || (text[i] >= 'a' && text[i] <= 'z') ||
                               (text[i] >= 'A' && text[i] <= 'Z') || (text[i] >= '0' && text[i] <= '9'));
  };
  return at < text.size() && text.substr(at).starts_with(word) && !letter(at + word.size()) &&
         (at == 0 || !letter(at - 1));
}

constexpr name_buffer for_people(std::string_view raw) {
  name_buffer out;
  for (std::size_t i = 0; i < raw.size();) {
    bool replaced = false;
    for (const spelling& s : spellings) {
      if (raw.substr(i).starts_with(s.compiler)) {
        out.add(s.people);
        i += s.compiler.size();
        replaced = true;
        break;
      }
    }
    if (replaced) continue;
    const std::string_view before(out.text, out.size);
    const bool another_integer = before.ends_with("unsigned ") || before.ends_with("long ");
    if (word_at(raw, i, "long") && !another_integer && !word_at(raw, i + 5, "double") && !word_at(raw, i + 5, "long")) {
      out.add("int64_t");
      i += 4;
      continue;
    }
    out.add(raw.substr(i, 1));
    ++i;
  }
  return out;
}

// Made on demand: sentences of the compiler do, what is only registered does not.
template <class T>
inline constexpr name_buffer type_name_buffer = for_people(raw_type_name<T>());

// The same at run time, from a raw name; stays for good. The raw name itself where there is no memory.
std::string_view name_for_people(std::string_view raw) noexcept;

}  // namespace detail

/// The name of a type as it is usually written: no inline namespaces, `int64_t` for the 64-bit integer. For messages;
/// two types may share it.
export template <class T>
constexpr std::string_view type_name() noexcept {
  return {detail::type_name_buffer<T>.text, detail::type_name_buffer<T>.size};
}

}  // namespace topbit
