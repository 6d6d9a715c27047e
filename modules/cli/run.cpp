module topbit.cli;

import topbit.std;
import topbit.core;
import :help;

namespace topbit::cli {

namespace {

// Withdraws plugins in the reverse order of loading: a later one may depend on an earlier one.
class loaded_plugins {
 public:
  void load(const std::string& path) { all_.push_back(load_plugin(path)); }
  loaded_plugins() = default;
  loaded_plugins(const loaded_plugins&) = delete;
  loaded_plugins& operator=(const loaded_plugins&) = delete;
  ~loaded_plugins() {
    while (!all_.empty()) all_.pop_back();
  }

 private:
  std::vector<plugin> all_;
};

bool colors_wanted(const request& r, bool is_terminal, const terminal& around) {
  const std::string when = r.has("--color") ? r.value("--color") : "auto";
  if (when == "always") return true;
  if (when == "never") return false;
  if (when != "auto") throw bad_request("found '" + when + "' for --color, wanted auto, always or never");
  return is_terminal && !around.no_color;
}

answer answer_of(const request& r, loaded_plugins& plugins) {
  if (r.has("--help")) return {r.what == nullptr ? help_of_program(r.to) : help_of(r.to, *r.what)};
  if (r.has("--version")) return {"topbit " + std::string(version) + "\n"};
  if (r.what == nullptr) throw bad_request("found no command; topbit --help lists what there is");
  for (const std::string& path : r.values("--load")) plugins.load(path);
  return r.what->run(r);
}

}  // namespace

outcome run(std::span<const std::string> words, const terminal& around) {
  loaded_plugins plugins;
  style errors;
  std::string sentence;
  try {
    request r = parse_args(words);
    errors.colors = colors_wanted(r, around.error_is_terminal, around);
    r.to = {colors_wanted(r, around.output_is_terminal, around), around.columns};
    answer a = answer_of(r, plugins);
    return {std::move(a.text), {}, static_cast<int>(a.ends)};
  } catch (const error& e) {  // keeps the message even if the error is also a bad_alloc
    sentence = printable(e.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    sentence = printable(e.what());
  }
  return {{}, styled(errors, emphasis::red, "topbit:") + " " + sentence + "\n", static_cast<int>(status::refused)};
}

}  // namespace topbit::cli
