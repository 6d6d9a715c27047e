// Which memory the arguments of a kernel table's entry refer to: for each address in the struct, the elements that the
// entry reads or writes there. Include this file after the imports of a unit of topbit.backend.
#pragma once

namespace topbit::detail {

// A strided set of elements, and the place of its address in the struct.
struct operand {
  void* address_at;  // of a pointer to data, whatever its type
  std::int64_t element_bytes;
  bool reads, writes;
  int dims = 0;
  struct {
    std::int64_t size, stride;
  } of[TB_MAX_DIMS + 2]{};

  void* address() const noexcept {
    void* p = nullptr;
    std::memcpy(&p, address_at, sizeof p);
    return p;
  }
  void set_address(const void* p) const noexcept { std::memcpy(address_at, &p, sizeof p); }
  operand& along(std::int64_t size, std::int64_t stride) noexcept {
    of[dims++] = {size, stride};
    return *this;
  }
};

// Null addresses are left out, and operands without elements.
class operand_list {
 public:
  static constexpr std::size_t most = TB_MAX_DIMS + 4;

  template <class P>
  operand& add(P*& address, std::int64_t element_bytes, bool reads, bool writes) noexcept {
    return all_[count_++] = {&address, element_bytes, reads, writes};
  }
  template <class P>
  void read(P*& address, std::int64_t bytes, std::int64_t count) noexcept {
    add(address, bytes, true, false).along(count, 1);
  }
  template <class P>
  void write(P*& address, std::int64_t bytes, std::int64_t count) noexcept {
    add(address, bytes, false, true).along(count, 1);
  }
  template <class P>
  void update(P*& address, std::int64_t bytes, std::int64_t count) noexcept {
    add(address, bytes, true, true).along(count, 1);
  }
  std::span<operand> used() noexcept {
    const auto is_empty = [](const operand& o) {
      return o.address() == nullptr ||
             std::ranges::any_of(o.of, o.of + o.dims, [](const auto& d) { return d.size == 0; });
    };
    return {all_, static_cast<std::size_t>(std::remove_if(all_, all_ + count_, is_empty) - all_)};
  }

 private:
  operand all_[most];
  int count_ = 0;
};

inline std::int64_t bytes_of(std::int32_t dtype) noexcept {
  return static_cast<std::int64_t>(size_of(static_cast<topbit::dtype>(dtype)));
}

// The first `written` operands are written.
inline void add_plan(operand_list& to, tb_plan& plan, int written) {
  for (int i = 0; i < plan.operands; ++i) {
    tb_operand& o = plan.operand[i];
    if (o.on_host != 0) continue;
    operand& added = to.add(o.data, bytes_of(o.dtype), i >= written, i < written);
    for (int d = 0; d < plan.ndim; ++d) added.along(plan.sizes[d], o.strides[d]);
  }
}
inline void list_operands(operand_list& to, tb_plan& plan) { add_plan(to, plan, 1); }
inline void list_operands(operand_list& to, tb_elementwise& e) { add_plan(to, e.plan, 1); }
inline void list_operands(operand_list& to, tb_reduction& r) { add_plan(to, r.plan, r.plan.operands - 1); }
inline void list_operands(operand_list& to, tb_random& r) {
  to.read(r.philox_state, sizeof *r.philox_state, 2);
  const bool checks = r.op == TB_RANDOM_CHECK_PROBABILITIES || r.op == TB_RANDOM_CHECK_WEIGHTS;
  const bool has_rows = r.op == TB_RANDOM_MULTINOMIAL || r.op == TB_RANDOM_CHECK_WEIGHTS;
  for (int i = checks ? 1 : 0; i < r.plan.operands; ++i) {
    tb_operand& o = r.plan.operand[i];
    operand& added = to.add(o.data, bytes_of(o.dtype), i != 0, i == 0);
    for (int d = 0; d < r.plan.ndim; ++d) {
      added.along(d == 0 && i == 1 && has_rows ? r.number[0].i : r.plan.sizes[d], o.strides[d]);
    }
  }
}
inline void list_operands(operand_list& to, tb_nonzero& n) {
  add_plan(to, n.plan, 0);
  to.write(n.out, sizeof *n.out, n.count * n.coordinates);
}
inline void list_operands(operand_list& to, tb_rowwise& r) {
  const bool scatters = r.op == TB_SCATTER || r.op == TB_SCATTER_ADD || r.op == TB_SCATTER_MUL ||
                        r.op == TB_SCATTER_AMAX || r.op == TB_SCATTER_AMIN;
  for (int i = 0; i < r.operands; ++i) {
    if (r.op == TB_CHECK_INDEX && i == 1) continue;  // only its length counts
    tb_row_operand& o = r.row[i];
    const bool writes = o.written != 0;
    operand& added = to.add(o.data, bytes_of(o.dtype), !writes || scatters, writes).along(o.length, o.step);
    for (int d = 0; d < r.ndim; ++d) added.along(r.sizes[d], o.strides[d]);
  }
}
inline void list_operands(operand_list& to, tb_matmul& m) {
  const std::int64_t out = bytes_of(m.out_dtype), in = bytes_of(m.dtype);
  to.add(m.out, out, false, true).along(m.batch, m.out_batch).along(m.m, m.out_row).along(m.n, m.out_col);
  to.add(m.a, in, true, false).along(m.batch, m.a_batch).along(m.m, m.a_row).along(m.k, m.a_col);
  to.add(m.b, in, true, false).along(m.batch, m.b_batch).along(m.k, m.b_row).along(m.n, m.b_col);
  to.add(m.added, out, true, false).along(m.batch, m.added_batch).along(m.m, m.added_row).along(m.n, m.added_col);
}
inline void list_operands(operand_list& to, tb_take& t) {
  const std::int64_t bytes = bytes_of(t.dtype);
  std::int64_t table = t.outer * t.inner;
  for (int i = 0; i < t.indices; ++i) {
    table *= t.length[i];
    to.read(t.index[i], sizeof *t.index[i], t.count);
  }
  if (t.op == TB_CHECK) return;
  const bool takes = t.op == TB_TAKE;
  to.add(t.rows, bytes, !takes, takes).along(t.outer * t.count * t.inner, 1);
  to.add(t.table, bytes, true, !takes).along(table, 1);
}
inline void list_operands(operand_list& to, tb_pool& p) {
  const std::int64_t bytes = bytes_of(p.dtype);
  const std::int64_t image = p.images * p.height * p.width, pooled = p.images * p.out_height * p.out_width;
  const bool backward = p.op == TB_MAX_POOL_BACKWARD || p.op == TB_AVG_POOL_BACKWARD;
  to.write(p.out, bytes, backward ? image : pooled);
  to.read(p.in, bytes, backward ? pooled : image);
  to.add(p.index, sizeof *p.index, backward, !backward).along(pooled, 1);
}
inline void list_operands(operand_list& to, tb_convolution& c) {
  const std::int64_t bytes = bytes_of(c.dtype);
  const auto product = [](const std::int64_t (&n)[3]) { return n[0] * n[1] * n[2]; };
  to.write(c.out, bytes, c.images * c.outputs * product(c.out_size));
  to.read(c.image, bytes, c.images * c.channels * product(c.size));
  to.read(c.weight, bytes, c.outputs * (c.channels / c.groups) * product(c.kernel));
  to.read(c.bias, bytes, c.outputs);
}
inline void list_operands(operand_list& to, tb_update& u) {
  const std::int64_t bytes = bytes_of(u.dtype);
  to.update(u.parameter, bytes, u.count);
  const bool scaled = u.gradient_scale != 0 || u.scale_there != nullptr;  // then it is divided in place
  to.add(u.gradient, bytes, true, scaled).along(u.count, 1);
  for (void*& state : u.state) to.update(state, bytes, u.count);
  for (const double** const there : {&u.step_there, &u.scale_there, &u.skip_there}) to.read(*there, sizeof **there, 1);
}
inline void list_operands(operand_list& to, tb_attention& a) {
  const auto add = [&](tb_matrices& m, std::int32_t dtype, bool writes, std::int64_t rows, std::int64_t columns) {
    operand& added = to.add(m.data, bytes_of(dtype), !writes, writes).along(rows, m.row).along(columns, m.col);
    for (int d = 0; d < a.ndim; ++d) added.along(a.sizes[d], m.batch[d]);
  };
  add(a.out, a.dtype, true, a.queries, a.value_width);
  add(a.query, a.dtype, false, a.queries, a.width);
  add(a.key, a.dtype, false, a.keys, a.width);
  add(a.value, a.dtype, false, a.keys, a.value_width);
  add(a.mask, a.mask_dtype, false, a.queries, a.keys);
}

inline void list_operands(operand_list& to, tb_channel_norm& n) {
  const std::int64_t bytes = bytes_of(n.dtype), of_channel = n.dtype == TB_F64 ? 8 : 4;
  const std::int64_t count = n.images * n.channels * n.inner,
                     statistics = n.groups == 0 ? n.channels : n.images * n.groups;
  to.write(n.out, bytes, count);
  to.read(n.in, bytes, count);
  to.read(n.gradient, bytes, count);
  to.read(n.weight, of_channel, n.channels);
  to.read(n.bias, of_channel, n.channels);
  const bool written = n.gradient == nullptr && n.given == 0;
  to.add(n.mean, of_channel, !written, written).along(statistics, 1);
  to.add(n.variance, of_channel, !written, written).along(statistics, 1);
  to.write(n.weight_gradient, of_channel, n.channels);
  to.write(n.bias_gradient, of_channel, n.channels);
}

}  // namespace topbit::detail
