module topbit.training;

import topbit.std;
import topbit.core;
import topbit.ops;
import :sparse_gradient;

namespace topbit::detail {

namespace {

constexpr op<"aten::coalesce(Tensor(a) self) -> Tensor(a)"> coalesce;

tensor part_of(const tensor& gradient, std::string_view wanted) {
  if (const author::layout_payload* const payload = author::parts_of(gradient); payload != nullptr) {
    for (const auto& [name, value] : payload->parts()) {
      if (name == wanted) return value;
    }
  }
  throw layout_error("found a gradient of layout " + std::string(name_of(gradient.layout())) +
                     " without indices and values, wanted one of topbit.sparse");
}

std::vector<std::optional<tensor>> as_list(std::span<const tensor> index) { return {index.begin(), index.end()}; }

}  // namespace

bool has_rows(const tensor& gradient) noexcept { return gradient.layout() == layout::sparse_coo; }

tensor coalesced(const tensor& gradient) { return has_rows(gradient) ? coalesce(gradient) : gradient; }

tensor elements_of(const tensor& gradient) {
  return gradient.layout() == layout::strided ? gradient : part_of(gradient, "values");
}

gradient_rows rows_of(const tensor& gradient) {
  const tensor once = coalesce(gradient), indices = part_of(once, "indices");
  gradient_rows rows{{}, part_of(once, "values")};
  for (std::int64_t d = 0; d < indices.size(0); ++d) rows.index.push_back(aten::select_int(indices, 0, d));
  return rows;
}

tensor take_rows(const tensor& from, std::span<const tensor> index) {
  if (index.size() == 1) return aten::index_select(from, 0, index[0]);
  return aten::index_Tensor(from, as_list(index));
}

void put_rows(tensor to, std::span<const tensor> index, const tensor& rows) {
  if (index.size() == 1) {
    aten::index_copy_(to, 0, index[0], rows);
  } else {
    aten::index_put_(to, as_list(index), rows);
  }
}

}  // namespace topbit::detail
