module topbit.graphs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :memory;

namespace topbit::graphs {

tensor whole_memory_of(const tensor& t) {
  const author::tensor_record& r = author::record_of(t);
  return author::make_view(t, {static_cast<std::int64_t>(r.data->bytes / size_of(r.type))}, {1}, 0);
}

}  // namespace topbit::graphs
