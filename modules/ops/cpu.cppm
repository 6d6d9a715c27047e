// How this process computes on the CPU: with which instructions, on how many threads.
export module topbit.ops:cpu;

import topbit.std;

export namespace topbit {

// What is wrong with TOPBIT_CPU_ISA, TOPBIT_PARALLEL_GRAIN and TOPBIT_NUM_THREADS is written to stderr when this module
// is loaded, a line each; the functions below give the same to programs.

/// The instruction set of the CPU kernels in use: "avx512", "avx2", "sse2", or "reference" for plain loops. Chosen once
/// per process: the best one this processor runs, unless TOPBIT_CPU_ISA names another.
std::string_view cpu_isa() noexcept;

/// Why it is not the one TOPBIT_CPU_ISA names, why it is slow, or what is wrong with TOPBIT_PARALLEL_GRAIN; empty if
/// all is well.
std::string_view cpu_isa_problem() noexcept;

/// The threads among which a CPU kernel splits work of more than some 30,000 elements. At first TOPBIT_NUM_THREADS, or
/// one for each processor that this process may run on; 1 in a build without oneTBB.
int num_threads() noexcept;

/// Results are the same for every number, bit for bit; of a NaN, that it is one. For all threads and calls that begin
/// later. Throws bad_argument unless 1 <= count <= 1024. In a build without oneTBB kernels use one thread, whatever is
/// asked for.
void set_num_threads(int count);

/// What is wrong with TOPBIT_NUM_THREADS, as a sentence; empty if all is well.
std::string_view num_threads_problem() noexcept;

}  // namespace topbit

namespace topbit::detail {

void report_cpu_problems();

}  // namespace topbit::detail
