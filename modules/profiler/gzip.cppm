// Files of text, compressed where their names end with ".gz". Compression is zlib's, which is loaded when the first
// such file is opened, so that topbit does not need it. Internal.
module topbit.profiler:gzip;

import topbit.std;

namespace topbit {

namespace detail {

// Writes to a file beside it, which takes its place when it is whole. Throws error, and removes that file, where it
// cannot.
class text_writer {
 public:
  explicit text_writer(std::string path);
  text_writer(const text_writer&) = delete;
  ~text_writer();
  void write(std::string_view text);
  // Ends the file, and puts it in place. Without it the destructor removes it.
  void finish();

 private:
  [[noreturn]] void fail(std::string_view why);
  std::string path_, part_;
  void* file_ = nullptr;
  bool compressed_ = false, finished_ = false;
};

// All of a file, compressed or not. Throws error.
std::string read_text(const std::string& path);

}  // namespace detail

}  // namespace topbit
