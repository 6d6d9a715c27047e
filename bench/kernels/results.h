// A report as data: what a run found, as it stands in its JSON file. What is printed, drawn or written to a page is
// made from this alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct result {
  std::string by = {};       // topbit, libtorch, ..., or the name of a loop
  std::string setting = {};  // how it ran: which kernels it said it had chosen
  int threads = 1;
  bool yardstick = false;
  double seconds = 0, low = 0, high = 0;  // of one call: median and quartiles of the rounds
  double rate = 0;                        // in the row's unit; the seconds in ns, where that is ns
};

struct measured_row {
  std::string name = {}, family = {}, operation = {}, form = {}, label = {}, unit = {};
  double size = 0, bytes = 0, flops = 0;
  int threads = 1;
  std::vector<result> results = {};
};

struct measured_error {
  std::string function = {}, by = {}, setting = {};
  double ulp = 0, worse = 0, ulp_beyond = 0;  // see accuracy.h
  int special = 0;
};

struct report {
  std::vector<std::pair<std::string, std::string>> header =
      {};  // machine, clock, compiler, kernels, each peer's version
  std::vector<measured_row> rows = {};
  std::vector<measured_error> errors = {};
};

std::string to_json(const report& r);
// Throws std::runtime_error, naming the file, for one that cannot be read.
report read_report(const std::string& path);
// Adds what another run found; a row or an error that is there already is replaced, a line of the header is not.
void merge(report& into, const report& more);

// The row of a name, or null.
const measured_row* find(const report& r, const std::string& name);
// The fastest result of a library, whatever its setting; or null.
const result* best_of(const measured_row& row, const std::string& by, int threads = 1);
// The column's heading: its name, with the setting where a row has several of the name.
std::string heading(const measured_row& row, const result& of);

// The error bound that a function's speeds are compared at: the least whole number of ulp that topbit stays within, at
// most 2. Nothing where no error was measured, or topbit's is greater.
std::optional<double> bound(const report& r, const std::string& function);
// Whether a result's error stays within that bound; true for what is no function.
bool within_bound(const report& r, const measured_row& row, const result& of);
// The greatest error of a result; nothing where it was not measured.
std::optional<double> error_of(const report& r, const std::string& function, const result& of);

}  // namespace bench
