module;

#include <bit>
#include <filesystem>
#include <fstream>

module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :atomic_file;
import :file_layouts;
import :safetensors_header;

namespace topbit {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

std::uint64_t bytes_of(const tensor& t) { return static_cast<std::uint64_t>(t.numel()) * size_of(t.dtype()); }

}  // namespace

void save_tensors(const std::string& path, std::span<const named_tensor> tensors, const tensor_metadata& metadata) {
  const no_grad guard;
  const std::string who = "save_tensors: " + detail::in_quotes(path) + ": ";
  const detail::file_contents contents = detail::with_parts_apart(who, tensors, metadata);
  const std::string header = detail::write_header(who, contents.tensors, contents.metadata);
  const std::uint64_t length = header.size();
  detail::atomic_file out("save_tensors", path);
  out.write(&length, sizeof length);
  out.write(header.data(), header.size());
  for (const named_tensor& one : contents.tensors) {
    const tensor dense = aten::contiguous(to(one.value, cpu));
    out.write(dense.data(), bytes_of(dense));
  }
  out.replace();
}

namespace {

// An open file, read from the start.
struct reader {
  std::string who;
  std::ifstream in;
  std::uint64_t left = 0;  // unread bytes

  explicit reader(const std::string& path) : who("load_tensors: " + detail::in_quotes(path) + ": ") {
    // Opening a pipe would block until it has a writer.
    std::error_code failed;
    const std::filesystem::file_status status = std::filesystem::status(path, failed);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      refuse("found no regular file, wanted one");
    }
    if (!failed) left = std::filesystem::file_size(path, failed);
    if (failed) refuse("cannot be read: " + failed.message());
    in.open(path, std::ios::binary);
    if (!in) refuse("cannot be read; check its permissions");
  }

  [[noreturn]] void refuse(const std::string& what) const { throw error(who + what, "load_tensors"); }

  void read(void* to, std::uint64_t bytes) {
    in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!in) refuse("cannot be read completely");
    left -= bytes;
  }

  detail::file_header header() {
    std::uint64_t length = 0;
    if (left < sizeof length) {
      refuse("found " + std::to_string(left) + " bytes, wanted at least 8, the length of the header");
    }
    const std::uint64_t size = left;
    read(&length, sizeof length);
    if (length > detail::longest_header || length > left) {
      refuse("found a header of " + std::to_string(length) + " bytes in a file of " + std::to_string(size) +
             "; it is truncated, or not a safetensors file");
    }
    std::string text(length, '\0');
    read(text.data(), length);
    return detail::read_header(who, text, left);
  }
};

}  // namespace

std::vector<named_tensor> load_tensors(const std::string& path) {
  reader file(path);
  detail::file_header header = file.header();
  std::vector<detail::file_entry>& entries = header.tensors;
  std::vector<named_tensor> tensors;
  tensors.reserve(entries.size());
  for (detail::file_entry& e : entries) {
    const tensor loaded = author::make_tensor(e.sizes, e.type, cpu);
    file.read(loaded.data(), e.end - e.begin);
    if (e.type == dtype::boolean) {
      const std::span bytes(static_cast<const unsigned char*>(loaded.data()), e.end - e.begin);
      if (std::ranges::any_of(bytes, [](unsigned char b) { return b > 1; })) {
        file.refuse(detail::in_quotes(e.name) + ": found a bool that is neither 0 nor 1");
      }
    }
    tensors.push_back({std::move(e.name), loaded});
  }
  return detail::with_parts_joined(file.who, {std::move(tensors), std::move(header.metadata)});
}

tensor_metadata load_metadata(const std::string& path) {
  tensor_metadata metadata = reader(path).header().metadata;
  detail::remove_layouts(metadata);
  return metadata;
}

}  // namespace topbit
