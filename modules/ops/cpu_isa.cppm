// Which of the CPU's kernel tables this process uses: what a program prints before it times anything.
export module topbit.ops:cpu_isa;

import topbit.std;

export namespace topbit {

/// The instruction set of the CPU kernels in use: "avx512", "avx2", "sse2", or "reference" for plain loops. Chosen once
/// per process: the best one this processor runs, unless TOPBIT_CPU_ISA names another.
std::string_view cpu_isa() noexcept;

/// Why it is not the one TOPBIT_CPU_ISA names, or why it is slow, as a sentence; empty if all is well.
std::string_view cpu_isa_problem() noexcept;

}  // namespace topbit
