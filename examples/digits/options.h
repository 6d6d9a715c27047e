// Command line options of the demo.
#pragma once

#include <cstdint>
#include <string>

struct options {
  std::string model = "mlp";
  std::string data = TOPBIT_DIGITS_FILE;
  std::string device = "cpu";
  std::string precision = "float32";
  int epochs = 0;   // the defaults of these two
  double rate = 0;  // depend on the model
  int batch = 32;
  std::uint32_t seed = 1;
  bool quiet = false;
  bool help = false;
};

// Throws std::runtime_error that names the option, what was found and what was wanted.
options parse_options(int argc, char** argv);

extern const char* const usage;
