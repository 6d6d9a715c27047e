#include "options.h"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

const char* const usage =
    "usage: demo_digits [options]\n"
    "trains a classifier on 1,797 handwritten digits, every step a call through the dispatcher\n\n"
    "  --model mlp|cnn     linear layers 64-128-64-10, or two convolutions and a linear layer (mlp)\n"
    "  --device cpu|cuda   where to compute (cpu); exit code 2 if it is not there\n"
    "  --precision TYPE    of products and convolutions: float32, or bfloat16 or float16 by autocast (float32)\n"
    "  --epochs N          passes over the training images (mlp 60, cnn 20)\n"
    "  --batch N           images per step (32)\n"
    "  --rate R            learning rate of AdamW, falling to 0 (mlp 0.008, cnn 0.005)\n"
    "  --seed N            of the weights, the order of the images and their shifts (1)\n"
    "  --data FILE         the digits (examples/data/digits.csv)\n"
    "  --quiet             the last line only\n"
    "  --help              this text\n\n"
    "exit codes: 0 done; 1 bad input; 2 the device is not there\n";

namespace {

template <class T>
T number(std::string_view option, std::string_view text, T least) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || !(value >= least)) {
    throw std::runtime_error(std::string(option) + ": found '" + std::string(text) + "', wanted a number from " +
                             std::to_string(static_cast<long long>(least)) + " up");
  }
  return value;
}

}  // namespace

options parse_options(int argc, char** argv) {
  options o;
  std::optional<int> epochs;
  std::optional<double> rate;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      o.help = true;
      continue;
    }
    if (name == "--quiet") {
      o.quiet = true;
      continue;
    }
    const auto value = [&]() -> std::string_view {
      if (++i == argc) throw std::runtime_error(std::string(name) + ": found nothing after it, wanted a value");
      return argv[i];
    };
    if (name == "--model") {
      o.model = value();
      if (o.model != "mlp" && o.model != "cnn")
        throw std::runtime_error("--model: found '" + o.model + "', wanted mlp or cnn");
    } else if (name == "--precision") {
      o.precision = value();
      if (o.precision != "float32" && o.precision != "bfloat16" && o.precision != "float16")
        throw std::runtime_error("--precision: found '" + o.precision + "', wanted float32, bfloat16 or float16");
    } else if (name == "--data")
      o.data = value();
    else if (name == "--device")
      o.device = value();
    else if (name == "--epochs")
      epochs = number<int>(name, value(), 1);
    else if (name == "--batch")
      o.batch = number<int>(name, value(), 1);
    else if (name == "--rate")
      rate = number<double>(name, value(), 0);
    else if (name == "--seed")
      o.seed = number<std::uint32_t>(name, value(), 0);
    else
      throw std::runtime_error("found '" + std::string(name) + "', which is no option; --help lists them");
  }
  o.epochs = epochs.value_or(o.model == "cnn" ? 20 : 60);
  o.rate = rate.value_or(o.model == "cnn" ? 0.005 : 0.008);
  return o;
}
