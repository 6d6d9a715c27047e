// The other half of compare_safetensors.py: what topbit says of the files that it made, line by line.
#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;

namespace {

std::string hex(const auto& bytes) {
  std::string text;
  for (const auto byte : bytes) {
    const auto number = static_cast<unsigned char>(byte);
    text.append(1, "0123456789abcdef"[number / 16]).append(1, "0123456789abcdef"[number % 16]);
  }
  return text;
}

// "refused <why>", or "taken" and for each tensor its name and bytes in hexadecimal digits, its dtype and sizes.
std::string verdict(const std::string& path) {
  try {
    std::string text = "taken";
    for (const tb::named_tensor& one : tb::load_tensors(path)) {
      text += " " + hex(one.name) + ":" + std::string(tb::name_of(one.value.dtype())) + ":";
      for (const std::int64_t size : one.value.sizes()) text += std::to_string(size) + ",";
      text += ":" + hex(support::bytes(one.value));
    }
    return text;
  } catch (const tb::error& e) {
    return std::string("refused ") + e.what();
  }
}

}  // namespace

TEST_CASE("safetensors: agrees with the Python package on accepted and refused files and their tensors", "[.compare]") {
  const char* const folder = std::getenv("TOPBIT_COMPARED_FOLDER");
  if (folder == nullptr) SKIP("run by tests/training/compare_safetensors.py");
  const std::filesystem::path in(folder);
  std::ofstream out(in / "verdicts");
  for (int i = 0; std::filesystem::exists(in / std::to_string(i)); ++i) out << verdict(in / std::to_string(i)) << '\n';

  support::numbers source(5);
  std::vector<tb::named_tensor> all;
  for (const tb::dtype type : tb::all_dtypes) {
    all.push_back({"\u00e9\n\u0001 " + std::string(tb::name_of(type)), source.tensor({3, 2}, type)});
    all.push_back({"empty " + std::string(tb::name_of(type)), source.tensor({2, 0}, type)});
    all.push_back({"one " + std::string(tb::name_of(type)), source.tensor({}, type)});
  }
  tb::save_tensors(in / "written", all);
  std::ofstream(in / "written verdict") << verdict(in / "written") << '\n';
}
