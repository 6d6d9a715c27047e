// Files of the GGUF format: what the header says of tensors is read, and blocks are taken apart to codes, scales and
// offsets by the CPU's kernels.
module;

#include <quantized_kernels.h>

#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>

module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :payload;
import :access;
import :gguf;
import :gguf_header;

namespace topbit::quantized {

namespace {

namespace filesystem = ::std::filesystem;

static_assert(std::endian::native == std::endian::little, "elements are read as they lie in the file");

constexpr std::int64_t block = TB_BLOCK_LENGTH;
// Blocks that are read or written at a time.
constexpr std::int64_t most_blocks = 1 << 15;

const tb_quantized_kernels& kernels() {
  const tb_quantized_kernels* const table = tb_quantized_kernels_for(std::string(cpu_isa()).c_str());
  return table != nullptr ? *table : *tb_quantized_kernels_for("scalar");
}

std::string who(std::string_view operation, const std::string& path) {
  return std::string(operation) + ": " + gguf::in_quotes(path) + ": ";
}

class file {
 public:
  file(std::string_view operation, const std::string& path) : who_(who(operation, path)) {
    // Opening a pipe would block until it has a writer.
    std::error_code failed;
    const filesystem::file_status status = filesystem::status(path, failed);
    if (filesystem::exists(status) && !filesystem::is_regular_file(status)) refuse("found no regular file, wanted one");
    if (!failed) size_ = filesystem::file_size(path, failed);
    if (failed) refuse("cannot be read: " + failed.message());
    in_.open(path, std::ios::binary);
    if (!in_) refuse("cannot be read; check its permissions");
  }

  gguf_contents contents() {
    const gguf::source from{
        size_, this, [](void* self, void* to, std::uint64_t bytes) { static_cast<file*>(self)->read(to, bytes); }};
    return gguf::read_header(who_, from);
  }

  tensor load(const gguf_tensor& t, dtype type) {
    const gguf::type_facts& facts = *gguf::type_of(t.type);
    if (!t.is_supported) {
      throw dtype_error(
          who_ + "found " + gguf::in_quotes(t.name) + " of type " + std::string(t.type) +
              ", which is not supported, wanted f32, f16, bf16, q8_0, q4_0 or q4_1; convert the file with "
              "the format's tools, or load other tensors by load_gguf_tensor()",
          gguf::operation(who_));
    }
    in_.seekg(static_cast<std::streamoff>(t.offset));
    if (facts.is_quantized()) return load_blocks(t, type);
    const tensor out = author::make_tensor(t.sizes, *facts.elements, cpu);
    read(out.data(), t.bytes);
    return out;
  }

  [[noreturn]] void refuse(const std::string& what) const { throw error(who_ + what, gguf::operation(who_)); }

 private:
  void read(void* to, std::uint64_t bytes) {
    if (bytes == 0) return;
    in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!in_) refuse("cannot be read completely");
  }

  tensor load_blocks(const gguf_tensor& t, dtype type) {
    const bool has_minima = t.type == "q4_1", has_bytes = t.type == "q8_0";
    const scheme how{.scales = granularity::per_group, .bits = has_bytes ? 8 : 4, .group = block};
    const tensor codes = author::make_tensor(code_sizes(how, t.sizes), has_bytes ? dtype::int8 : dtype::uint8, cpu);
    const tensor scales = author::make_tensor(scale_sizes(how, t.sizes), dtype::float16, cpu);
    const tensor offsets = has_minima ? author::make_tensor(scales.sizes(), dtype::float16, cpu) : tensor();
    const std::int64_t count = scales.numel(), bytes = count == 0 ? 0 : static_cast<std::int64_t>(t.bytes) / count;
    const std::int64_t code_bytes = has_bytes ? block : block / 2;
    std::vector<char> blocks(static_cast<std::size_t>(std::min(count, most_blocks) * bytes));
    for (std::int64_t first = 0; first < count; first += most_blocks) {
      const std::int64_t n = std::min(most_blocks, count - first);
      read(blocks.data(), static_cast<std::uint64_t>(n * bytes));
      const tb_blocks call{.blocks = blocks.data(),
                           .codes = static_cast<char*>(codes.data()) + first * code_bytes,
                           .scales = scales.data_ptr<half>() + first,
                           .minima = has_minima ? offsets.data_ptr<half>() + first : nullptr,
                           .type = has_bytes    ? TB_BLOCK_Q8_0
                                   : has_minima ? TB_BLOCK_Q4_1
                                                : TB_BLOCK_Q4_0,
                           .reserved = 0};
      kernels().read_blocks(&call, 0, n);
    }
    try {
      return from_parts(how, t.sizes, type, codes, scales, offsets);
    } catch (const bad_argument& e) {
      refuse(gguf::in_quotes(t.name) + ": " + e.what());
    }
  }

  std::string who_;
  std::ifstream in_;
  std::uint64_t size_ = 0;
};

void check_type(std::string_view operation, dtype type) {
  if (is_floating(type)) return;
  throw dtype_error(std::string(operation) + ": found the dtype " + std::string(name_of(type)) +
                        " for quantized tensors, wanted a floating-point one",
                    std::string(operation));
}

// ---- Writing

// The type of the format for a tensor, or why there is none.
std::string_view type_for(const std::string& who, const std::string& name, const tensor& t) {
  const auto refuse = [&](const std::string& what) {
    throw error(who + gguf::in_quotes(name) + ": " + what, "save_gguf");
  };
  if (!t.defined()) refuse("found an undefined tensor, wanted one with elements");
  if (t.dim() > 4) refuse("found " + std::to_string(t.dim()) + " dimensions, wanted at most 4");
  if (t.layout() == layout::strided) {
    switch (t.dtype()) {
      case dtype::float32: return "f32";
      case dtype::float16: return "f16";
      case dtype::bfloat16: return "bf16";
      case dtype::float64: return "f64";
      case dtype::int8: return "i8";
      case dtype::int16: return "i16";
      case dtype::int32: return "i32";
      case dtype::int64: return "i64";
      default: refuse("found the dtype " + std::string(name_of(t.dtype())) + ", which the format does not have");
    }
  }
  if (t.layout() != layout::quantized) {
    refuse("found a " + std::string(name_of(t.layout())) + " tensor, wanted a strided or quantized one");
  }
  const payload& p = t.payload<payload>();
  const bool has_offsets = p.offsets.defined();
  const bool fits = !p.transposed && p.how.scales == granularity::per_group && p.how.group == block && t.dim() != 0 &&
                    t.sizes()[t.dim() - 1] % block == 0 && p.scales.dtype() == dtype::float16 &&
                    (p.how.bits == 4 || (p.codes.dtype() == dtype::int8 && !has_offsets)) &&
                    (!has_offsets || p.offsets.dtype() == dtype::float16);
  if (!fits) {
    refuse("found " + to_string(p.how) + ", scales of " + std::string(name_of(p.scales.dtype())) +
           ", wanted groups of 32 that fill each row, with float16 scales, symmetric or of 4 bits; "
           "quantize_gguf(dequantize(x), bits) gives such a tensor");
  }
  return p.how.bits == 8 ? "q8_0" : has_offsets ? "q4_1" : "q4_0";
}

class output {
 public:
  output(const std::string& who, const std::string& path)
      : who_(who), path_(path), part_(path + ".part"), out_(part_, std::ios::binary | std::ios::trunc) {
    if (!out_) refuse("cannot be created");
  }

  void write(const void* from, std::uint64_t bytes) {
    out_.write(static_cast<const char*>(from), static_cast<std::streamsize>(bytes));
    if (!out_) refuse("cannot be written completely");
    position_ += bytes;
  }
  void fill(std::uint64_t position) {
    while (position_ < position) write("", 1);
  }
  void finish() {
    out_.close();
    if (!out_ || std::rename(part_.c_str(), path_.c_str()) != 0) refuse("cannot be written completely");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw error(who_ + what, "save_gguf"); }

  const std::string &who_, &path_;
  std::string part_;
  std::ofstream out_;
  std::uint64_t position_ = 0;
};

void write_blocks(output& out, const gguf_tensor& t, const payload& p) {
  const tensor codes = aten::contiguous(to(p.codes, cpu)), scales = aten::contiguous(to(p.scales, cpu));
  const tensor offsets = p.offsets.defined() ? aten::contiguous(to(p.offsets, cpu)) : tensor();
  const std::int64_t count = scales.numel(), bytes = count == 0 ? 0 : static_cast<std::int64_t>(t.bytes) / count;
  const std::int64_t code_bytes = p.how.bits == 8 ? block : block / 2;
  std::vector<char> blocks(static_cast<std::size_t>(std::min(count, most_blocks) * bytes));
  for (std::int64_t first = 0; first < count; first += most_blocks) {
    const std::int64_t n = std::min(most_blocks, count - first);
    const tb_blocks call{.blocks = blocks.data(),
                         .codes = static_cast<char*>(codes.data()) + first * code_bytes,
                         .scales = scales.data_ptr<half>() + first,
                         .minima = offsets.defined() ? offsets.data_ptr<half>() + first : nullptr,
                         .type = t.type == "q8_0"    ? TB_BLOCK_Q8_0
                                 : offsets.defined() ? TB_BLOCK_Q4_1
                                                     : TB_BLOCK_Q4_0,
                         .reserved = 0};
    kernels().write_blocks(&call, 0, n);
    out.write(blocks.data(), static_cast<std::uint64_t>(n * bytes));
  }
}

}  // namespace

gguf_contents list_gguf(const std::string& path) { return file("list_gguf", path).contents(); }

std::map<std::string, tensor> load_gguf(const std::string& path, dtype type) {
  const no_grad guard;
  check_type("load_gguf", type);
  file from("load_gguf", path);
  std::map<std::string, tensor> all;
  const gguf_contents contents = from.contents();
  for (const gguf_tensor& t : contents.tensors) all.emplace(t.name, from.load(t, type));
  return all;
}

tensor load_gguf_tensor(const std::string& path, std::string_view name, dtype type) {
  const no_grad guard;
  check_type("load_gguf_tensor", type);
  file from("load_gguf_tensor", path);
  const gguf_contents contents = from.contents();
  const auto found = std::ranges::find(contents.tensors, name, &gguf_tensor::name);
  if (found == contents.tensors.end()) {
    from.refuse("found no tensor " + gguf::in_quotes(name) + ", wanted one of those that list_gguf() gives");
  }
  return from.load(*found, type);
}

tensor quantize_gguf(const tensor& x, int bits) {
  const no_grad guard;
  const auto refuse = [](const std::string& what) { return "quantize_gguf: " + what; };
  if (bits != 8 && bits != 4) {
    throw bad_argument(refuse("found bits=" + std::to_string(bits) + ", wanted 8 (q8_0) or 4 (q4_0)"), "quantize_gguf");
  }
  if (!is_floating(x.dtype())) {
    throw dtype_error(refuse("found " + std::string(name_of(x.dtype())) + ", wanted a floating-point tensor"),
                      "quantize_gguf");
  }
  if (x.dim() == 0 || x.sizes()[x.dim() - 1] % block != 0) {
    throw shape_error(refuse("found " + to_string(x.sizes()) + ", wanted rows of a multiple of 32 elements"),
                      "quantize_gguf");
  }
  const scheme how{.scales = granularity::per_group, .bits = bits, .group = block};
  const tensor numbers = aten::contiguous(to(to(x, cpu), dtype::float32));
  const tensor codes = author::make_tensor(code_sizes(how, x.sizes()), bits == 8 ? dtype::int8 : dtype::uint8, cpu);
  const tensor scales = author::make_tensor(scale_sizes(how, x.sizes()), dtype::float16, cpu);
  const tb_quantize_blocks call{.x = numbers.data_ptr<float>(),
                                .codes = codes.data(),
                                .scales = scales.data(),
                                .type = bits == 8 ? TB_BLOCK_Q8_0 : TB_BLOCK_Q4_0,
                                .reserved = 0};
  kernels().quantize_blocks(&call, 0, scales.numel());
  return from_parts(how, x.sizes(), x.dtype(), to(codes, x.device()), to(scales, x.device()));
}

void save_gguf(const std::string& path, std::span<const std::pair<std::string, tensor>> tensors,
               std::span<const std::pair<std::string, gguf_value>> metadata) {
  const no_grad guard;
  const std::string me = who("save_gguf", path);
  std::vector<gguf_tensor> infos;
  for (const auto& [name, t] : tensors) infos.push_back({name, t.sizes(), type_for(me, name, t), 0, 0, true});
  const std::string header = gguf::write_header(me, infos, metadata);
  output out(me, path);
  out.write(header.data(), header.size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const tensor& t = tensors[i].second;
    out.fill(infos[i].offset);
    if (t.layout() == layout::quantized) {
      write_blocks(out, infos[i], t.payload<payload>());
    } else {
      const tensor dense = aten::contiguous(to(t, cpu));
      out.write(dense.data(), infos[i].bytes);
    }
  }
  out.finish();
}

}  // namespace topbit::quantized
