// What an independent library computed, stored in <family>.txt, against what the operators compute: called by name, in
// every arrangement of memory, on the CPU and on meta; or on a device, if TOPBIT_TEST_DEVICE names one. README.md says
// how the files are made and read.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <set>
#include <string>

#include "kernel_abi.h"
#include "replay_forms.h"
#include "support/scale.h"

import topbit;
import topbit.cuda;

namespace tb = topbit;

namespace {

// The programs may be run on another machine than that which built them.
const std::filesystem::path folder =
    std::getenv("TOPBIT_GOLDEN_FOLDER") != nullptr ? std::getenv("TOPBIT_GOLDEN_FOLDER") : TOPBIT_GOLDEN_FOLDER;
constexpr const char* families[] = {"unary",  "activation", "binary", "compare", "create", "reduce",
                                    "scan",   "linalg",     "index",  "sort",    "norm",   "loss",
                                    "window", "view",       "random", "update",  "dtype"};

const golden::pending& known() {
  static const golden::pending p = golden::read_pending(folder / "pending.txt");
  return p;
}

bool is_dtype(const std::string& name) {
  try {
    (void)tb::author::read_text<tb::dtype>(name);
    return true;
  } catch (const tb::bad_argument&) {
    return false;
  }
}

// A process that was told which kernels to take but cannot says so by skipping, not by passing with others.
void need_wanted_kernels() {
  if (const char* device = std::getenv("TOPBIT_TEST_DEVICE"); device != nullptr && *device != '\0') {
    golden::tested = tb::parse_device(device);
    if (golden::tested.type == tb::backend::CUDA && !tb::cuda_available()) SKIP(tb::cuda_unavailable_reason());
  }
  const char* wanted = std::getenv("TOPBIT_CPU_ISA");
  if (wanted == nullptr || *wanted == '\0') return;
  const std::string found = tb_cpu_kernels()->name;
  if (found != std::string("cpu/") + wanted)
    SKIP("wanted the kernels of " << wanted << ", this machine takes " << found);
}

bool needs_pending_dtype(const golden::one_case& c) {
  for (const std::string& type : known().dtypes) {
    if (golden::has_word(c.line, type)) return true;
  }
  return false;
}

struct tally {
  std::size_t checked = 0, without_operator = 0, without_dtype = 0, single = 0;
};

void replay(const golden::block& b, tally& counts) {
  const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
  if (!op) {
    counts.without_operator += b.cases.size();
    if (!known().operators.contains(b.name))
      FAIL_CHECK(b.name << " is not registered, and pending.txt does not say so");
    return;
  }
  std::size_t failed = 0;
  constexpr std::size_t most = 10;
  const std::vector<golden::form> forms = golden::forms_of(*op);
  std::size_t turn = 0;
  // A device may be emulated, which takes minutes; all cases are for the CPU, whatever TOPBIT_TEST_SCALE is.
  sampled_cases on_device;
  for (const golden::one_case& c : b.cases) {
    if (golden::tested.type != tb::backend::CPU && !on_device.is_drawn()) continue;
    if (needs_pending_dtype(c)) {
      ++counts.without_dtype;
      continue;
    }
    const std::string problem = golden::replay(*op, forms, c, b.how, turn++);
    if (known().cases.contains(b.name + " " + c.line)) {
      ++counts.single;
      if (problem.empty()) FAIL_CHECK("passes, so delete this line of pending.txt:\ncase " << b.name << " " << c.line);
      continue;
    }
    ++counts.checked;
    if (problem.empty()) continue;
    if (++failed <= most) FAIL_CHECK(b.name << " " << c.line << "\n" << problem);
  }
  if (failed > most) FAIL_CHECK(b.name << ": " << failed << " cases in all");
}

void replay_family(const std::string& family) {
  need_wanted_kernels();
  tally counts;
  for (const golden::block& b : golden::read_blocks(folder / (family + ".txt"))) replay(b, counts);
  std::cout << "golden " << family << ": " << counts.checked << " cases checked; pending " << counts.without_operator
            << " without operator, " << counts.without_dtype << " without dtype, " << counts.single << " others\n";
  SUCCEED();
}

template <class Visit>
void each_block(Visit visit) {
  for (const char* family : families) {
    for (const golden::block& b : golden::read_blocks(folder / (std::string(family) + ".txt"))) visit(b);
  }
}

}  // namespace

TEST_CASE("unary: functions of one argument", "[golden][family]") { replay_family("unary"); }
TEST_CASE("activation: activations", "[golden][family]") { replay_family("activation"); }
TEST_CASE("binary: functions of two or three arguments", "[golden][family]") { replay_family("binary"); }
TEST_CASE("compare: comparisons, logical and bitwise operators", "[golden][family]") { replay_family("compare"); }
TEST_CASE("create: factory functions", "[golden][family]") { replay_family("create"); }
TEST_CASE("reduce: reductions", "[golden][family]") { replay_family("reduce"); }
TEST_CASE("scan: cumulative sums and softmax", "[golden][family]") { replay_family("scan"); }
TEST_CASE("linalg: matrix products", "[golden][family]") { replay_family("linalg"); }
TEST_CASE("index: indexing and rearranging", "[golden][family]") { replay_family("index"); }
TEST_CASE("sort: sorting and searching", "[golden][family]") { replay_family("sort"); }
TEST_CASE("norm: normalisation and attention", "[golden][family]") { replay_family("norm"); }
TEST_CASE("loss: losses", "[golden][family]") { replay_family("loss"); }
TEST_CASE("window: convolution and pooling", "[golden][family]") { replay_family("window"); }

TEST_CASE("view: views and copies", "[golden][family]") { replay_family("view"); }
TEST_CASE("random: cases with a determined result", "[golden][family]") { replay_family("random"); }
TEST_CASE("update: optimizer steps", "[golden][family]") { replay_family("update"); }
TEST_CASE("dtype: one small call of every dtype", "[golden][family]") { replay_family("dtype"); }

TEST_CASE("files: every file of the folder is replayed", "[golden]") {
  std::set<std::string> found, wanted(std::begin(families), std::end(families));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (golden::is_data(entry.path().filename().string())) found.insert(entry.path().stem());
  }
  CHECK(found == wanted);
}

TEST_CASE("pending: every listed operator is missing and needed by the files", "[golden]") {
  std::set<std::string> operators, cases;
  each_block([&](const golden::block& b) {
    operators.insert(b.name);
    for (const golden::one_case& c : b.cases) cases.insert(b.name + " " + c.line);
  });
  for (const std::string& name : known().operators) {
    if (tb::registry::process().try_find(name)) FAIL_CHECK(name << " is registered, so delete its line of pending.txt");
    if (!operators.contains(name)) FAIL_CHECK("pending.txt lists " << name << ", which no file has");
  }
  for (const std::string& type : known().dtypes) {
    if (is_dtype(type)) FAIL_CHECK(type << " is a dtype, so delete its line of pending.txt");
  }
  for (const std::string& line : known().cases) {
    if (!cases.contains(line)) FAIL_CHECK("pending.txt lists a case that no file has:\n" << line);
  }
}

// No test: run by its name, it makes pending.txt say what is missing now. Read the difference.
TEST_CASE("pending: regenerate the list", "[.]") {
  std::set<std::string> dtypes, operators, cases;
  for (const std::string& type : known().dtypes) {
    if (!is_dtype(type)) dtypes.insert("dtype " + type);
  }
  each_block([&](const golden::block& b) {
    const std::optional<tb::operator_handle> op = tb::registry::process().try_find(b.name);
    if (!op) operators.insert("operator " + b.name);
    const std::vector<golden::form> forms = op ? golden::forms_of(*op) : std::vector<golden::form>();
    std::size_t turn = 0;
    for (const golden::one_case& c : b.cases) {
      if (op && !needs_pending_dtype(c) && !golden::replay(*op, forms, c, b.how, turn++).empty()) {
        cases.insert("case " + b.name + " " + c.line);
      }
    }
  });
  std::ofstream out(folder / "pending.txt");
  out << "# What the golden files ask for and topbit does not have yet. README.md says who changes it, and how.\n";
  for (const auto* part : {&dtypes, &operators, &cases}) {
    for (const std::string& line : *part) out << line << "\n";
  }
  SUCCEED();
}
