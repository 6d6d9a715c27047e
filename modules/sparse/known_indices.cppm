// Index tensors that need no check in the calls that this module's kernels make. Internal.
//
// Anybody can call the operators on parts, by text and from a graph file too, so their kernels check the indices, which
// reads all of them: up to a third of the time of a product with a vector. The kernels of the layouts have indices that
// are valid: those of a payload, or what was computed from them. They say so for the time of their call, and the check
// is left out on this thread for what they named.
//
// What was named is known by its memory, sizes and bounds, not by a flag: a mode, an observer or a hook that runs
// inside the call, and calls such an operator itself, is checked unless it passes the same memory for the same purpose.
// That memory is read-only from then on, and is kept alive. Values are not part of it; their sizes are always checked.
module topbit.sparse:known_indices;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::sparse {

// COO indices, the index tensors of a matrix by lines, or the first of these alone.
enum class index_kind : std::uint8_t { places, matrix, lines };

struct index_facts {
  index_kind kind = index_kind::places;
  bool ascends = true;
  dtype type = dtype::int64;
  const void *first = nullptr, *second = nullptr;
  std::int64_t first_count = 0, second_count = 0;
  // The sizes of the sparse dimensions, or the number of columns.
  shape bounds;

  friend bool operator==(const index_facts&, const index_facts&) = default;
};
// Nothing for tensors whose memory is not in row-major order.
std::optional<index_facts> facts_of_places(const tensor& indices, const shape& sparse_sizes, bool ascends);
std::optional<index_facts> facts_of_matrix(const tensor& compressed, const tensor& plain, std::int64_t columns);
std::optional<index_facts> facts_of_lines(const tensor& compressed, std::int64_t entries);

// Whether this thread is in a scope that named them.
bool is_known(const std::optional<index_facts>& facts) noexcept;

// A scope. The tensors must be valid for these facts.
class [[nodiscard("the scope ends with the full expression that makes it")]] known_indices {
 public:
  known_indices(const std::optional<index_facts>& facts, const tensor& first, const tensor& second = {});
  known_indices(const known_indices&) = delete;
  known_indices& operator=(const known_indices&) = delete;
  ~known_indices();

 private:
  friend bool is_known(const std::optional<index_facts>& facts) noexcept;
  const std::optional<index_facts> facts_;
  const tensor first_, second_;
  const known_indices* const outer_;
};

// Of index tensors that were checked, or a copy of those that can be written to, for a gradient that names them later.
saved_tensor saved_indices(const tensor& t);

// Calls of the operators on parts, see :product and :rows, with indices that are valid.
namespace known {

tensor spmm(const tensor& compressed, const tensor& plain, const tensor& values, const tensor& dense);
tensor sddmm(const tensor& compressed, const tensor& plain, const tensor& left, const tensor& right);
tensor spmm_reduce(const tensor& compressed, const tensor& plain, const tensor& values, const tensor& dense,
                   std::string_view reduce);
std::tuple<tensor, tensor, tensor> spgemm(const tensor& compressed, const tensor& plain, const tensor& values,
                                          const tensor& other_compressed, const tensor& other_plain,
                                          const tensor& other_values, std::int64_t columns);
tensor masked_spgemm(const tensor& compressed, const tensor& plain, const tensor& left_compressed,
                     const tensor& left_plain, const tensor& left, const tensor& right_compressed,
                     const tensor& right_plain, const tensor& right, std::int64_t columns);
tensor row_sums(const tensor& compressed, const tensor& values);
tensor row_softmax(const tensor& compressed, const tensor& values, bool log);

}  // namespace known

}  // namespace topbit::sparse
