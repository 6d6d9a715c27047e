// The kernels that are no backend's: composites and views. Internal; the list of rows is in :builtin.
export module topbit.ops:composite;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::detail {

tensor mean(const tensor& self, std::optional<dtype> type);
tensor matmul(const tensor& self, const tensor& other);
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
tensor transpose(const tensor& self, std::int64_t dim0, std::int64_t dim1);
tensor t(const tensor& self);
tensor expand(const tensor& self, std::span<const std::int64_t> size, bool implicit);
tensor view(const tensor& self, std::span<const std::int64_t> size);
tensor reshape(const tensor& self, std::span<const std::int64_t> shape);
tensor slice(const tensor& self, std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
             std::int64_t step);

}  // namespace topbit::detail
