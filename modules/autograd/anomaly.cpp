module;

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdlib>

module topbit.autograd;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

namespace detail {

namespace {

constexpr op<"aten::isnan(Tensor self) -> Tensor"> isnan;
constexpr op<"aten::any(Tensor self) -> Tensor"> any;
constexpr op<
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor">
    to_copy;

bool has_nan(const tensor& t) {
  if (t.device() == meta) return false;
  const tensor found = to_copy(any(isnan(t)), std::nullopt, std::nullopt, cpu, std::nullopt, false, std::nullopt);
  return *found.data_as<bool>();
}

constexpr int most_frames = 48;
struct place {
  std::array<void*, most_frames> frames;
  int count = 0;
};
struct place_table {
  std::mutex mutex;
  std::map<const node*, place> of;
};
place_table& places() {
  static place_table& t = *new place_table;  // never destroyed, as graphs in statics may end after everything else
  return t;
}

// Without its arguments, which templates make pages long.
std::string function_name(void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_sname == nullptr) return {};
  int status = 0;
  char* const plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string name(plain != nullptr ? plain : info.dli_sname);
  std::free(plain);
  return name.substr(0, name.find('('));
}

}  // namespace

constinit thread_local bool looks_for_anomalies [[gnu::tls_model("initial-exec")]] = false;

void keep_place(node& n) {
  place here;
  here.count = backtrace(here.frames.data(), most_frames);
  place_table& t = places();
  const std::lock_guard lock(t.mutex);
  t.of.insert_or_assign(&n, here);
  node_access::raise_flag(n, node_access::traced);
}

void forget_place(const node& n) noexcept {
  place_table& t = places();
  const std::lock_guard lock(t.mutex);
  t.of.erase(&n);
}

// The user's functions: those of this library and of the standard one are left out.
std::string place_of(const node& n) {
  if ((node_access::flags(n) & node_access::traced) == 0) return {};
  place here;
  {
    place_table& t = places();
    const std::lock_guard lock(t.mutex);
    const auto found = t.of.find(&n);
    if (found == t.of.end()) return {};
    here = found->second;
  }
  std::string text;
  for (int i = 0; i < here.count; ++i) {
    const std::string name = function_name(here.frames[static_cast<std::size_t>(i)]);
    if (name.empty() || name.starts_with("topbit::") || name.find("topbit::detail") != std::string::npos ||
        name.starts_with("_"))
      continue;
    text += (text.empty() ? "" : " <- ") + name;
  }
  return "; it was recorded in " + (text.empty() ? "functions without names: link with -rdynamic" : text);
}

void check_for_nan(const node& n, std::span<const tensor> of_inputs) {
  for (std::size_t i = 0; i < of_inputs.size(); ++i) {
    if (!of_inputs[i].defined() || !has_nan(of_inputs[i])) continue;
    throw error(
        std::string(n.name()) + ": its gradient rule gave NaN for argument " + std::to_string(n.argument_of(i) + 1),
        std::string(n.name()));
  }
}

}  // namespace detail

detect_anomaly::detect_anomaly() noexcept : before_(std::exchange(detail::looks_for_anomalies, true)) {}
detect_anomaly::~detect_anomaly() { detail::looks_for_anomalies = before_; }

}  // namespace topbit
