// What PyTorch and scipy computed with sparse and quantized tensors, stored in <family>.txt, against what the operators
// compute: called by name, with gradients, on the CPU or on a device, if TOPBIT_TEST_DEVICE names one. README.md says
// how the files are made and read.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "observers.h"
#include "replay.h"

namespace {

namespace tb = topbit;
using layout_golden::block;
using layout_golden::one_case;

const std::filesystem::path folder = TOPBIT_LAYOUT_GOLDEN_FOLDER;
constexpr const char* families[] = {"construct", "elementwise", "reduce", "product",
                                    "shape",     "embedding",   "scipy",  "quantized"};

const golden::pending& known() {
  static const golden::pending p = golden::read_pending(folder / "pending.txt");
  return p;
}

std::filesystem::path file_of(std::string_view family) { return folder / (std::string(family) + ".txt"); }

// What a case of the block gives: empty, a difference, or nothing for an unknown operator.
std::optional<std::string> replayed(const block& b, const one_case& c) {
  constexpr std::string_view observer = "observer::";
  if (b.name.starts_with(observer)) return replay_observer(b.name.substr(observer.size()), c, b.how);
  const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
  if (!op) return std::nullopt;
  return replay(*op, c, b.how);
}

// A process that was told which kernels to take but cannot says so by skipping, not by passing with others.
void prepare() {
  const char* wanted = std::getenv("TOPBIT_CPU_ISA");
  if (wanted != nullptr && *wanted != '\0' && tb::cpu_isa() != wanted)
    SKIP("wanted the kernels of " << wanted << ", this machine takes " << tb::cpu_isa());
  if (const char* device = std::getenv("TOPBIT_TEST_DEVICE"); device != nullptr && *device != '\0') {
    layout_golden::tested = tb::parse_device(device);
  }
}

void check_family(std::string_view family) {
  std::size_t run = 0, skipped = 0;
  for (const block& b : layout_golden::read_blocks(file_of(family))) {
    INFO("operator " << b.name);
    for (const one_case& c : b.cases) {
      const bool is_pending = known().cases.contains(b.name + " " + c.line);
      if (known().operators.contains(b.name)) {
        ++skipped;
        continue;
      }
      const std::optional<std::string> problem = replayed(b, c);
      ++run;
      if (!problem) FAIL_CHECK(b.name << ": found no such operator");
      if (problem && !is_pending && !problem->empty()) FAIL_CHECK(b.name << " " << c.line << "\n" << *problem);
      if (problem && is_pending && problem->empty()) {
        FAIL_CHECK(b.name << " " << c.line << "\npasses, so delete its line of pending.txt");
      }
    }
  }
  INFO(family << ": " << run << " cases, " << skipped << " skipped");
  CHECK(run > 0);
}

}  // namespace

TEST_CASE("layouts: results and gradients are PyTorch's", "[family]") {
  prepare();
  for (const char* family : families) {
    DYNAMIC_SECTION(family) { check_family(family); }
  }
}

TEST_CASE("layouts: every intended difference from PyTorch is one, and gives what is wanted", "[family]") {
  prepare();
  for (const block& b : layout_golden::read_blocks(file_of("deviations"))) {
    if (known().operators.contains(b.name)) continue;
    const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
    REQUIRE(op.has_value());
    for (one_case c : b.cases) {
      INFO(b.name << " " << c.line << "\nbecause " << c.because);
      one_case as_pytorch = c;
      if (!c.is_error(0)) CHECK(replay(*op, as_pytorch, b.how) != "");
      c.sections.erase(c.sections.begin());
      CHECK(replay(*op, c, b.how) == "");
    }
  }
}

TEST_CASE("layouts: the folder has a file for each family, and the pending list names what is there", "[golden]") {
  std::set<std::string> wanted(std::begin(families), std::end(families)), found, operators, cases;
  wanted.insert({"deviations"});
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (golden::is_data(entry.path().filename().string())) found.insert(entry.path().stem());
  }
  CHECK(found == wanted);
  for (const std::string& family : wanted) {
    for (const block& b : layout_golden::read_blocks(file_of(family))) {
      operators.insert(b.name);
      for (const one_case& c : b.cases) cases.insert(b.name + " " + c.line);
    }
  }
  for (const std::string& name : known().operators) {
    if (tb::registry::process().try_find(name)) FAIL_CHECK(name << " is registered, so delete its line of pending.txt");
    if (!operators.contains(name)) FAIL_CHECK("pending.txt lists " << name << ", which no file has");
  }
  for (const std::string& line : known().cases) {
    if (!cases.contains(line)) FAIL_CHECK("pending.txt lists a case that no file has:\n" << line);
  }
}

// No test: run by its name, it makes pending.txt say what is missing now. Read the difference.
TEST_CASE("layouts: regenerate the pending list", "[.]") {
  std::set<std::string> operators, cases;
  for (const char* family : families) {
    for (const block& b : layout_golden::read_blocks(file_of(family))) {
      for (const one_case& c : b.cases) {
        const std::optional<std::string> problem = replayed(b, c);
        if (!problem) operators.insert("operator " + b.name);
        if (problem && !problem->empty()) cases.insert("case " + b.name + " " + c.line);
      }
    }
  }
  std::ofstream out(folder / "pending.txt");
  out << "# What the files ask for and topbit does not do yet. README.md says who changes it, and how.\n";
  for (const auto* part : {&operators, &cases}) {
    for (const std::string& line : *part) out << line << "\n";
  }
  SUCCEED();
}
