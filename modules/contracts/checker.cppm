// The contract checker: a mode that looks at each call before and after it is made.
export module topbit.contracts:checker;

import topbit.std;
import topbit.core;
import topbit.modes;
import :finding;

namespace topbit::contracts {

/// How much is checked. Each has the ones before.
export enum class level : std::uint8_t {
  metadata,  // arguments' and results' sizes, devices and sharing, and the thread
  bytes,     // the memory of all arguments is compared with a copy
  repeated   // the call is made again on copies, with two and with one thread, and on Meta: several times the call
};

export struct options {
  level depth = level::bytes;
  /// Throws contract_error at the first finding. The call has been made.
  bool raises = false;
  /// Writes each finding to standard error, when it is found first.
  bool prints = false;
  /// Looks for the first NaN or infinity: rule::finite. Not for programs that mean them, such as masks of -inf.
  bool finite = false;
};

/// Checks the calls of the threads that it is a mode of:
///
///   tb::contracts::checker check;
///   { const tb::modes::scope on(check, tb::modes::below); train(); }
///   for (const auto& f : check.findings()) std::cout << f << "\n";
///
/// `modes::below` blames kernels, `modes::above` what callers see, composites and layers included. Tensors in host
/// memory and strided layouts; others pass by. May be a mode of several threads at once, if none writes memory that a
/// call of another one uses; with level::repeated the number of threads of the process changes while a call is
/// repeated.
export class checker {
 public:
  explicit checker(options o = {});
  checker(const checker&) = delete;
  checker& operator=(const checker&) = delete;
  ~checker();

  void operator()(modes::call& c);

  /// In the order in which they were found.
  std::vector<finding> findings() const;
  /// Written arguments that were written in none of at least `calls` calls with elements, and results that never shared
  /// the memory that the schema lets them share: schemas that promise more than they need, or kernels that forgot. Not
  /// among findings(), since other arguments might show it.
  std::vector<finding> hints(std::uint64_t calls = 100) const;
  /// Calls that were checked.
  std::uint64_t calls() const noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

// Starts what TOPBIT_CHECK asks for: before main(), in every program that imports this module.
bool check_as_environment_says();
const bool environment_is_read = check_as_environment_says();

}  // namespace topbit::contracts
