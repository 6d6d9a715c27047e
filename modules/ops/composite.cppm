// The kernels that are no backend's: composites. Internal; the list of rows is in :builtin.
export module topbit.ops:composite;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

tensor log_softmax_composite(const tensor& self, std::int64_t dim, std::optional<dtype> type);
tensor nll_loss_composite(const tensor& self, const tensor& target, const std::optional<tensor>& weight,
                          std::int64_t reduction, std::int64_t ignore_index);
tensor full(std::span<const std::int64_t> size, const scalar& value, std::optional<dtype> type,
            std::optional<layout> how, std::optional<device> where, std::optional<bool> pinned);
tensor zeros(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
             std::optional<device> where, std::optional<bool> pinned);
tensor ones(std::span<const std::int64_t> size, std::optional<dtype> type, std::optional<layout> how,
            std::optional<device> where, std::optional<bool> pinned);
tensor to_copy(const tensor& self, std::optional<dtype> type, std::optional<layout> how, std::optional<device> where,
               std::optional<bool> pinned, bool non_blocking, std::optional<memory_format> format);
tensor clone(const tensor& self, std::optional<memory_format> format);

}  // namespace topbit::detail
