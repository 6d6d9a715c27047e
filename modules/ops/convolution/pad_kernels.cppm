// Shape functions and kernel thunks of padding with elements of the tensor itself.
module topbit.ops:convolution.pad_kernels;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.backend_call;
import :convolution.convolution_kernels;
import :convolution.pad;
import :elementwise.elementwise;
import :rowwise.softmax_kernels;
import :rowwise.rowwise;
import :registration.structured;
import :registration.structured_forms;

namespace topbit::detail {

enum class edge : std::uint8_t { reflect, replicate, circular };

// The padding of one dimension, counted from the last.
struct both_ends {
  std::int64_t before, behind;
  both_ends(sizes_view pad, std::size_t i) : before(pad[2 * i]), behind(pad[2 * i + 1]) {}
  bool any() const { return before != 0 || behind != 0; }
};

// The source index of each element of a padded dimension: int64, on the CPU. reflect and replicate may read cropped
// elements; circular reads only those that are left.
tensor indices_of(edge mode, std::int64_t size, both_ends pad);

// The number of padded dimensions; 0: the number of pairs.
result_meta edge_pad_meta(std::string_view op, edge mode, std::size_t dimensions, const tensor& self, sizes_view pad);
void run_edge_pad(backend_call c, edge mode, const tensor& self, sizes_view pad, const tensor& out);

template <edge Mode, std::size_t Dimensions>
struct edge_pad_kernel {
  static constexpr auto needs = all_of(table_entry::copy, take_code::take);
  static result_meta meta(std::string_view op, const tensor& self, sizes_view pad) {
    return edge_pad_meta(op, Mode, Dimensions, self, pad);
  }
  static void run(backend_call c, const tensor& self, sizes_view pad, const tensor& out) {
    run_edge_pad(c, Mode, self, pad, out);
  }
};

template <edge Mode, std::size_t Dimensions, const auto&... Ops>
using edge_pad = structured_forms<edge_pad_kernel<Mode, Dimensions>, no_abilities, Ops...>;

inline constexpr auto pad_forms =
    forms_list<edge_pad<edge::reflect, 1, aten::reflection_pad1d, aten::reflection_pad1d_out>,
               edge_pad<edge::reflect, 2, aten::reflection_pad2d, aten::reflection_pad2d_out>,
               edge_pad<edge::reflect, 3, aten::reflection_pad3d, aten::reflection_pad3d_out>,
               edge_pad<edge::replicate, 1, aten::replication_pad1d, aten::replication_pad1d_out>,
               edge_pad<edge::replicate, 2, aten::replication_pad2d, aten::replication_pad2d_out>,
               edge_pad<edge::replicate, 3, aten::replication_pad3d, aten::replication_pad3d_out>,
               edge_pad<edge::circular, 0, aten::_pad_circular>>();

}  // namespace topbit::detail
