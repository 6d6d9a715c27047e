// Compiled by the build and never linked: bench_compile takes the command it was compiled with, and the list of
// modules.
import topbit;
