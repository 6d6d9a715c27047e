// CPU settings of this process: instruction set and number of threads.
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

void report_cpu_problems();

}  // namespace topbit::detail
