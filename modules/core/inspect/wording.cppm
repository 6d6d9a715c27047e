// The pieces of text that several answers about a registry share, so that one fact reads the same in each. Internal.
module topbit.core:inspect.wording;

import topbit.std;
import :inspect.computed_table;
import :inspect.inspect;
import :keys.key;
import :keys.key_set;

namespace topbit {

namespace detail {

// ", registered at f.cpp:12", ", registered for Autograd at f.cpp:12", " (from the signature)"
std::string registered_text(const inspect::source_location& place, std::optional<key_target> target = std::nullopt);

// " (casts to float32)"; empty for a kernel without a note.
std::string note_text(std::string_view note);

// What a slot holds, without its key: "kernel, registered at f.cpp:12".
std::string content_of(const inspect::table_row& row);

struct keyed_line {
  dispatch_key key;
  std::string text;
};
// "<indent>CPU: <text>", one line each; neighbouring backends with the same text become "CPU to CUDA: <text>".
std::string grouped(std::span<const keyed_line> lines, std::string_view indent);

// The names of the keys of a set; of its functionalities where it has no backend, as sets to exclude or mask have none.
std::vector<std::string> names_in(key_set s);
// "{Autograd, Tracer}" of these.
std::string layers_text(key_set s);

}  // namespace detail

}  // namespace topbit
