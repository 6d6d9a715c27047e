module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :checks;
import :forms;

namespace topbit::sparse {

tensor& write_result(std::string_view op, const tensor& result, tensor& out) {
  if (result.layout() != out.layout()) {
    refuse<layout_error>(op, "found a result of layout " + std::string(name_of(result.layout())) +
                                 " and a tensor of layout " + std::string(name_of(out.layout())) +
                                 " to write it to, wanted one layout; to_dense(x) makes a strided tensor");
  }
  if (result.sizes() != out.sizes()) {
    refuse<shape_error>(op, "found a result of sizes " + to_string(result.sizes()) + " and a tensor of sizes " +
                                to_string(out.sizes()) + " to write it to, wanted equal ones");
  }
  if (!can_cast(result.dtype(), out.dtype())) {
    refuse<dtype_error>(op, "found a result of " + std::string(name_of(result.dtype())) + " and a tensor of " +
                                std::string(name_of(out.dtype())) +
                                " to write it to, wanted a dtype that can hold it; to(x, dtype) converts");
  }
  if (result.device() != out.device()) {
    refuse<device_error>(op, "found a result on " + to_string(result.device()) + " and a tensor on " +
                                 to_string(out.device()) + " to write it to, wanted one device");
  }
  if (!is_sparse(out)) return copy_(out, result);
  replace(out, to(result, out.dtype()));
  return out;
}

}  // namespace topbit::sparse
