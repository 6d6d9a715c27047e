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
  return *found.data_ptr<bool>();
}

constexpr int most_frames = 48;
struct stack_trace {
  std::array<void*, most_frames> frames{};
  int count = 0;
  friend auto operator<=>(const stack_trace&, const stack_trace&) = default;
};
[[gnu::always_inline]] inline stack_trace current_trace() {
  stack_trace p;
  p.count = backtrace(p.frames.data(), most_frames);
  return p;
}
struct trace_table {
  trace_table() { author::hold_at_fork(mutex, author::fork_order::leaf); }

  std::mutex mutex;
  std::map<const node*, stack_trace> of;
};
trace_table& node_traces() {
  static trace_table& t = *new trace_table;  // never destroyed: graphs in statics may be destroyed later
  return t;
}

// Names of operators that wrote in place, one per call site. Never erased: storages point to them.
struct writer_table {
  writer_table() { author::hold_at_fork(mutex, author::fork_order::leaf); }

  std::mutex mutex;
  std::map<std::pair<std::string_view, stack_trace>, std::string_view> names;
};
writer_table& writers() {
  static writer_table& t = *new writer_table;
  return t;
}

// Reads namespaces, classes and function from a mangled name. For functions with types attached to modules, such as
// every function that takes a tensor, which not every demangler reads. An operator like `a * b` yields its namespace
// only. Returns names that are not mangled unchanged.
std::string spelled_name(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  std::string name;
  for (mangled.remove_prefix(std::min(mangled.find_first_of("0123456789"), mangled.size())); !mangled.empty();) {
    const bool module_follows = mangled.front() == 'W';
    if (module_follows) mangled.remove_prefix(1);
    std::size_t length = 0;
    while (!mangled.empty() && mangled.front() >= '0' && mangled.front() <= '9') {
      length = 10 * length + static_cast<std::size_t>(mangled.front() - '0');
      mangled.remove_prefix(1);
    }
    if (length == 0 || length > mangled.size()) break;
    if (!module_follows) name.append(name.empty() ? "" : "::").append(mangled.substr(0, length));
    mangled.remove_prefix(length);
  }
  return name;
}

// Without arguments, which are very long for templates.
std::string function_name(void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_sname == nullptr) return {};
  int status = 0;
  char* const plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string name = plain != nullptr ? plain : spelled_name(info.dli_sname);
  std::free(plain);
  return name.substr(0, name.find('('));
}

// Names the user's functions, without those of this library and the standard library. Call without holding the tables'
// locks: dladdr() may wait for an initialiser that records.
std::string functions_of(const stack_trace& p) {
  std::string text;
  for (int i = 0; i < p.count; ++i) {
    const std::string name = function_name(p.frames[static_cast<std::size_t>(i)]);
    if (name.empty() || name == "topbit" || name.starts_with("topbit::") ||
        name.find("topbit::detail") != std::string::npos || name.starts_with("_"))
      continue;
    text += (text.empty() ? "" : " <- ") + name;
  }
  return text.empty() ? "functions without names: link with -rdynamic" : text;
}

}  // namespace

constinit thread_local bool looks_for_anomalies [[gnu::tls_model("initial-exec")]] = false;

void store_trace(node& n) {
  const stack_trace p = current_trace();
  trace_table& t = node_traces();
  const std::lock_guard lock(t.mutex);
  t.of.insert_or_assign(&n, p);
  node_access::raise_flag(n, node_access::traced);
}

void erase_trace(const node& n) noexcept {
  trace_table& t = node_traces();
  const std::lock_guard lock(t.mutex);
  t.of.erase(&n);
}

std::string trace_text(const node& n) {
  if ((node_access::flags(n) & node_access::traced) == 0) return {};
  const std::optional<stack_trace> found = [&]() -> std::optional<stack_trace> {
    trace_table& t = node_traces();
    const std::lock_guard lock(t.mutex);
    const auto at = t.of.find(&n);
    return at == t.of.end() ? std::nullopt : std::optional(at->second);
  }();
  return found ? "; it was recorded in " + functions_of(*found) : std::string();
}

const std::string_view* store_writer_trace(std::string_view writer) {
  const std::pair from(writer, current_trace());
  writer_table& t = writers();
  const std::lock_guard lock(t.mutex);
  return &t.names.try_emplace(from, writer).first->second;
}

std::string writer_trace_text(const std::string_view* writer) {
  const stack_trace* const found = [&]() -> const stack_trace* {
    writer_table& t = writers();
    const std::lock_guard lock(t.mutex);
    for (const auto& [from, name] : t.names) {
      if (&name == writer) return &from.second;
    }
    return nullptr;
  }();
  return found != nullptr ? "; it was written in " + functions_of(*found) : std::string();
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
