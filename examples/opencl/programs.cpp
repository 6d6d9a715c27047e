// Programs: built on first use, and kept as binaries in the user's cache directory. A file of the cache begins with
// what it is of and the sum of its bytes; one that does not fit, or is damaged, is made again.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "opencl.h"

namespace ocl {

namespace {

namespace files = std::filesystem;

// Division as the CPU's kernels have it; and the text is made by a program, which no warning helps.
constexpr const char* options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -w";

std::uint64_t sum_of(const std::string& bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : bytes) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}
std::string hex(std::uint64_t x) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(x));
  return text.data();
}

// Empty if there is no such directory and none can be made: then programs are built in every process.
files::path cache_directory() {
  const char *const own = std::getenv("XDG_CACHE_HOME"), *const home = std::getenv("HOME");
  if ((own == nullptr || *own != '/') && home == nullptr) return {};
  const files::path folder =
      (own != nullptr && *own == '/' ? files::path(own) : files::path(home) / ".cache") / "topbit_opencl";
  std::error_code failed;
  files::create_directories(folder, failed);
  return failed ? files::path() : folder;
}

std::string read_binary(const files::path& file, const std::string& of) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  const std::string bytes = all.str(), begin = of + ' ';
  if (bytes.size() < begin.size() + 17 || !bytes.starts_with(begin)) return {};
  std::string binary = bytes.substr(begin.size() + 17);
  return bytes.compare(begin.size(), 16, hex(sum_of(binary))) == 0 ? binary : std::string();
}

// Several processes may write one file; each replaces it as a whole.
void write_binary(const files::path& file, const std::string& of, const std::string& binary) {
  const files::path own = file.string() + '.' + std::to_string(::getpid());
  std::ofstream out(own, std::ios::binary);
  out << of << ' ' << hex(sum_of(binary)) << '\n' << binary;
  out.close();
  std::error_code failed;
  if (out) files::rename(own, file, failed);
  if (!out || failed) files::remove(own, failed);
}

std::string binary_of(cl_program p) {
  std::size_t bytes = 0;
  if (clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) return {};
  std::string binary(bytes, '\0');
  auto* at = reinterpret_cast<unsigned char*>(binary.data());
  if (clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr) != CL_SUCCESS) return {};
  return binary;
}

cl_program from_binary(const device& d, const std::string& binary) {
  const auto* at = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t bytes = binary.size();
  cl_int loaded = CL_SUCCESS, status = CL_SUCCESS;
  const cl_program p = clCreateProgramWithBinary(d.context, 1, &d.id, &bytes, &at, &loaded, &status);
  if (status == CL_SUCCESS && loaded == CL_SUCCESS &&
      clBuildProgram(p, 1, &d.id, options, nullptr, nullptr) == CL_SUCCESS)
    return p;
  if (status == CL_SUCCESS) clReleaseProgram(p);
  return nullptr;
}

cl_program from_source(const device& d, const std::string& source) {
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  const cl_program p = clCreateProgramWithSource(d.context, 1, &text, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  status = clBuildProgram(p, 1, &d.id, options, nullptr, nullptr);
  if (status == CL_SUCCESS) return p;
  std::string log(1 << 14, '\0');
  std::size_t length = 0;
  clGetProgramBuildInfo(p, d.id, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), &length);
  log.resize(length > 0 && length <= log.size() ? length - 1 : 0);
  clReleaseProgram(p);
  throw error(status, "clBuildProgram: found " + name_of(status) + ", wanted a program; the compiler says: " + log);
}

cl_program program_of(const device& d, const std::string& source) {
  static const files::path folder = cache_directory();
  if (folder.empty()) return from_source(d, source);
  const std::string of = hex(sum_of(d.identity)) + hex(sum_of(options + source));
  const files::path file = folder / of;
  if (const std::string binary = read_binary(file, of); !binary.empty()) {
    if (const cl_program p = from_binary(d, binary); p != nullptr) return p;
  }
  const cl_program p = from_source(d, source);
  if (const std::string binary = binary_of(p); !binary.empty()) write_binary(file, of, binary);
  return p;
}

}  // namespace

kernel& kernel_of(device& d, std::uint64_t key, const char* name, std::string (*source)(const void*), const void* of) {
  // Held while a program is built: other threads most likely want the same one.
  const std::lock_guard lock(d.mutex);
  std::unique_ptr<kernel>& found = d.kernels[key];
  if (found != nullptr) return *found;
  const cl_program p = program_of(d, source(of));
  cl_int status = CL_SUCCESS;
  const cl_kernel handle = clCreateKernel(p, name, &status);
  clReleaseProgram(p);
  check(status, "clCreateKernel");
  found.reset(new kernel{handle, {}});
  return *found;
}

}  // namespace ocl
