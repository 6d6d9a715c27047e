// Atomic replacement of a file: readers see the old one or the new one, also after a crash or a power failure, and with
// concurrent writers. Independent of the contents.
module topbit.training:atomic_file;

import topbit.std;

namespace topbit::detail {

// An open file of POSIX, closed at the end.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  descriptor& operator=(descriptor&& from) noexcept {
    std::swap(number_, from.number_);
    return *this;
  }
  ~descriptor();
  int number() const noexcept { return number_; }
  bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Data are written to a temporary file in the same folder, ".<name>.topbit-<16 digits>", which replace() renames. It is
// locked while its process lives; an unlocked one was left by a dead process and is removed by the next save to the
// same name.
//
// A symbolic link stays, and its target is replaced. The new file has the mode of the old one, and its owner and group
// where that is allowed; further names of the old one (hard links) keep the old contents.
class atomic_file {
 public:
  // Throws error, naming the operation `op`, for a path that is not a regular file or cannot be created; the other
  // functions throw if the system fails.
  atomic_file(std::string_view op, const std::string& path);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  // Without replace() the old file stays, and the temporary one is removed.
  ~atomic_file();

  void write(const void* bytes, std::size_t size);
  // Syncs: data and name are durable when this returns.
  void replace();

 private:
  explicit atomic_file(std::string_view op) : op_(op) {}
  [[noreturn]] void refuse(const std::string& what, int error = 0) const;
  void open_folder(const std::string& path);
  bool target_exists() const;
  void remove_abandoned() const;
  void open_temporary();
  bool try_to_open_temporary(bool is_replacement);
  void take_mode_of_target() const;
  void flush();
  void put(const char* bytes, std::size_t size) const;

  std::string op_, who_;
  std::string name_;       // in the folder
  std::string temporary_;  // likewise; empty when there is none
  std::string waiting_;    // small writes are buffered
  descriptor folder_, file_;
};

}  // namespace topbit::detail
