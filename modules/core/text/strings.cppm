// Text that outlives the shared object it came from. Internal.
//
// A registering shared object may be unmapped one day, and its strings with it, so the registry keeps copies. They are
// never freed one by one: what is kept is bounded by the distinct texts ever registered.
module topbit.core:text.strings;

import topbit.std;

namespace topbit {

namespace detail {

class string_pool {
 public:
  string_pool() = default;
  string_pool(const string_pool&) = delete;
  string_pool& operator=(const string_pool&) = delete;

  /// A copy that ends with a zero.
  std::string_view copy(std::string_view text);
  /// The same, one copy of each text.
  std::string_view intern(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::unordered_set<std::string_view> interned_;
};

/// Where something was registered. The text is interned.
struct place {
  const char* file = "";
  unsigned line = 0;
  /// "file.cpp:12"
  std::string text() const;
};
/// The same of a place that has not been registered yet.
inline std::string text_of(std::source_location where) { return place{where.file_name(), where.line()}.text(); }

}  // namespace detail

}  // namespace topbit
