// A file that is replaced as a whole: others find the old one or the new one, also after a crash or a power failure,
// and however many write at once. It knows nothing of what it holds.
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

// What is written goes to a temporary file in the same folder, ".<name>.topbit-<16 digits>", which replace() renames.
// It is locked as long as its process lives, so that one which nobody has locked was left by a process that died: the
// next save to the same name removes it.
//
// A symbolic link stays, and what it points to is replaced. The new file has the mode of the old one, and its owner and
// group where that is allowed; further names of the old one (hard links) keep the old contents.
class atomic_file {
 public:
  // Throws error, of the operation `op`, for a path where something else than a regular file is, or where none can be
  // made; so do the others where the system refuses.
  atomic_file(std::string_view op, const std::string& path);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  // Without replace() the old file stays, and the temporary one goes.
  ~atomic_file();

  void write(const void* bytes, std::size_t size);
  // Waits for the device: what was written is on it when this returns, and so is the name.
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
  std::string waiting_;    // small pieces are written together
  descriptor folder_, file_;
};

}  // namespace topbit::detail
