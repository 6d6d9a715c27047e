// bench_dispatch: what topbit's dispatcher costs, as times, instructions and bytes, and the cost table made of them.
#include "cases.h"
#include "programs.h"

int main(int argc, char** argv) {
  programs::add_calls();
  programs::add_lookup();
  programs::add_registration();
  return cases::run(argc, argv);
}
