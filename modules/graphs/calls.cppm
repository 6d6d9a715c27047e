// Which calls a graph is made of, for what runs or changes it. Internal.
module topbit.graphs:calls;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :graph;

namespace topbit::graphs {

// The calls that together are the program: a composite's, unless a tensor that a part of it makes is read outside of
// it, or a part draws random numbers; then its parts' instead.
class chosen_calls {
 public:
  // Throws graph_error where a composite makes a tensor itself, and another one that only its parts give is read too.
  explicit chosen_calls(const graph& g);

  inline std::span<const number> all() const noexcept { return calls_; }

 private:
  bool gives(number n, number t) const;
  const graph& g_;
  std::vector<bool> opened_;
  std::vector<number> calls_;
};

// What a call does, its parts included.
struct call_effects {
  std::vector<number> written;  // storages
  tag_set tags;                 // of its own operator, or of its parts
  bool draws = false;
};
call_effects effects_of(const graph& g, number call);

// Whether a composite writes a storage that no part of it writes.
bool writes_itself(const graph& g, number call);

// Replays compare what such a call returned, or its sizes, with the recording; no capture may have one.
inline constexpr std::array<tag, 3> host_tags{tag::escape, tag::dynamic_output_shape, tag::data_dependent_output};
template <class Tags>
std::optional<tag> tag_among(tag_set tags, const Tags& wanted) {
  const auto found = std::ranges::find_if(wanted, [&](tag t) { return tags.contains(t); });
  return found == wanted.end() ? std::nullopt : std::optional(*found);
}

// Two constants are equal if these texts are, which say their types and bits.
std::string exact_text(const value& v);

std::string text_of_node(const graph& g, number n);  // "node 3, aten::mm"
// Where a node's kernel runs: the device of its first tensor; the CPU where it has none.
device place_of(const graph& g, const node& n);

}  // namespace topbit::graphs
