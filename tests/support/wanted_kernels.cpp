// Skips all tests of a program if TOPBIT_CPU_ISA names kernels that this machine cannot run, instead of passing with
// others. Link it into a test program to run it once per ISA.
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <cstdlib>
#include <iostream>
#include <string>

#include "kernel_abi.h"

namespace {

class wanted_kernels : public Catch::EventListenerBase {
 public:
  using EventListenerBase::EventListenerBase;
  void testRunStarting(const Catch::TestRunInfo&) override {
    const char* wanted = std::getenv("TOPBIT_CPU_ISA");
    if (wanted == nullptr || *wanted == '\0') return;
    const std::string found = tb_cpu_kernels()->name;
    if (found == std::string("cpu/") + wanted) return;
    std::cout << "wanted the kernels of " << wanted << ", this machine takes " << found << std::endl;
    constexpr int all_skipped = 4;
    std::_Exit(all_skipped);
  }
};

CATCH_REGISTER_LISTENER(wanted_kernels)

}  // namespace
