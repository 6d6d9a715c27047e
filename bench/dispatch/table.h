// The cost table: what a dispatcher's operations may cost, what they should, and what they were measured to cost. A
// line is a formula over medians of one run, so one table serves every program that measures the same cases.
#pragma once

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace table {

using numbers = std::map<std::string, double>;

struct figures {
  // Nanoseconds; bytes for names that begin with "memory/"; for those that end with "/share", the part of the time in
  // which a thread had a processor.
  numbers medians;
  numbers instructions;  // per call, those of the loop around it included
};

// The numbers under "cases" in a file that this program or icount.sh wrote; nothing if it cannot be read.
std::optional<numbers> read_cases(const std::string& path);

struct line {
  std::string what = {}, unit = {};
  std::optional<double> must = {}, aim = {};  // nothing: no goal, for comparison only
  std::optional<double> measured = {}, libtorch = {};
  std::optional<double> control =
      {};                            // what the machine does to work that cannot be at fault; the verdict takes it out
  std::optional<double> share = {};  // of a processor that each of several threads had; with little they did not meet
  std::string elsewhere = {};        // what another program was measured to cost on another machine
  bool at_least = false;             // the goals are lower bounds, else upper ones
  std::string verdict() const;
};

std::vector<line> lines(const figures& measured, const figures& libtorch);

struct layout {
  bool counts = true;     // instructions were looked for
  bool libtorch = false;  // has a column
  std::string elsewhere;  // the heading of that column; empty: there is none
  std::string note;       // the line below
};

void print(std::ostream& out, const std::vector<line>& all, const layout& how);
void write_json(std::ostream& out, const numbers& medians, const std::vector<line>& all);

}  // namespace table
