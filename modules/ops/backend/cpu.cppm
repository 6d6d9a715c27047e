// The CPU as kernels use it: instruction set, number of threads, parallel loops.
export module topbit.ops:backend.cpu;

import topbit.std;

export namespace topbit {

// Invalid values of TOPBIT_CPU_ISA, TOPBIT_PARALLEL_GRAIN and TOPBIT_NUM_THREADS are reported on stderr when this
// module is loaded, a line each; the functions below return the same.

/// The instruction set of the CPU kernels in use: "avx512", "avx2", "sse2", or "scalar" for the scalar build.
/// Selected once per process: the best one this processor supports, unless TOPBIT_CPU_ISA names another.
std::string_view cpu_isa() noexcept;

/// Why it is not the one TOPBIT_CPU_ISA names, why it is slow, or why TOPBIT_PARALLEL_GRAIN is invalid; empty if there
/// is no problem.
std::string_view cpu_isa_problem() noexcept;

/// The number of threads of CPU kernels with more than about 30,000 elements of work. The default is
/// TOPBIT_NUM_THREADS, or one per available processor; 1 in a build without oneTBB.
int num_threads() noexcept;

/// Results are bitwise the same for every number, except NaN payloads. Applies to later calls of all threads. Throws
/// bad_argument unless 1 <= count <= 1024. In a build without oneTBB kernels are single-threaded.
void set_num_threads(int count);

/// Why TOPBIT_NUM_THREADS is invalid, as a sentence; empty if there is no problem.
std::string_view num_threads_problem() noexcept;

}  // namespace topbit

namespace topbit::detail {

void run_parts(std::int64_t parts, void (*part)(const void* context, std::int64_t i), const void* context) noexcept;

}  // namespace topbit::detail

export namespace topbit::author {

/// Calls part(i) for each i below `parts`, in any order, on the threads of the CPU kernels; returns when all calls have
/// returned. `part` must not throw. Choose the parts by the problem alone, never by num_threads(), where they affect a
/// rounding: results are then the same for every number of threads. Nested loops run on the calling thread.
template <std::invocable<std::int64_t> Part>
void parallel_for(std::int64_t parts, const Part& part) noexcept {
  if (parts == 1) return part(std::int64_t{0});
  topbit::detail::run_parts(
      parts, [](const void* context, std::int64_t i) { (*static_cast<const Part*>(context))(i); }, &part);
}

}  // namespace topbit::author

namespace topbit::detail {

void report_cpu_problems();

}  // namespace topbit::detail
