// What a table of kernels registers, and what its kernels are given.
#include <topbit/kernel_abi.h>
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using tb::dtype;
using tb::tensor;
using sizes = std::vector<std::int64_t>;

namespace {

void take(tb::dispatch_key k, const tb_kernels& table) { tb::author::register_strided_backend(table, k); }

// Operators with a kernel registered for exactly this key.
std::size_t rows_at(tb::dispatch_key k) { return tb::inspect::operators_with_kernel(k).size(); }

tb_kernels cpu_like(const char* name) {
  tb_kernels k = *tb_cpu_kernels();
  k.name = name;
  return k;
}

tb_kernels empty_table(const char* name) {
  tb_kernels k{};
  k.size = sizeof(tb_kernels);
  k.version = TB_ABI_VERSION;
  k.name = name;
  return k;
}

const tb_kernels no_kernels = empty_table("nulls");

// Adds and fills, and nothing else.
const tb_kernels adding = [] {
  tb_kernels k = empty_table("adding");
  k.elementwise = tb_cpu_kernels()->elementwise;
  k.reduce = tb_cpu_kernels()->reduce;
  k.runs = [](std::int32_t entry, std::int32_t op) {
    return std::int32_t{entry == TB_ENTRY_ELEMENTWISE ? op == TB_ADD || op == TB_FILL || op == TB_DIV : op == TB_SUM};
  };
  return k;
}();

const tb_kernels complete = [] {
  tb_kernels k = cpu_like("complete");
  k.runs = nullptr;
  return k;
}();

bool runs_at(const tb::operator_handle& op, tb::dispatch_key k) { return tb::inspect::has_kernel(op, k); }

}  // namespace

namespace {

int fallbacks = 0, own = 0;
tensor own_exp(const tensor& self) { return ++own, self; }
tensor own_empty(std::span<const std::int64_t>, std::optional<dtype>, std::optional<tb::layout>,
                 std::optional<tb::device>, std::optional<bool>, std::optional<tb::memory_format>) {
  return ++own, tensor();
}
void note_fallback(const tb::operator_handle&, tb::key_set, tb::boxed_stack& values) {
  ++fallbacks;
  values.pop();
}

}  // namespace

TEST_CASE("kernel_table: a table of null entries registers nothing, and hides no fallback", "[ops][kernel_table]") {
  const tb::dispatch_key k = tb::key::PrivateUse3;
  const auto block =
      std::move(tb::implement("aten", k).impl<&own_exp>(aten::exp).impl<&own_empty>(aten::empty_memory_format));
  const auto caught = tb::fallback<&note_fallback>(k);
  const std::size_t before = rows_at(k);
  take(k, no_kernels);
  CHECK(rows_at(k) == before);
  tensor t = tensor_of({1, 2}, {2});
  aten::exp.call_at(k, t);
  aten::empty_memory_format(sizes{1}, tb::arg<"device"> = tb::device{tb::backend::PrivateUse3, 0});
  CHECK(own == 2);
  aten::fill_Scalar_.call_at(k, t, 1);
  CHECK(fallbacks == 1);
}

TEST_CASE("kernel_table: an operator is registered if the table supports all operations it uses",
          "[ops][kernel_table]") {
  const tb::dispatch_key k = tb::key::PrivateUse2;
  take(k, adding);
  for (const auto& op : {aten::add_Tensor.handle(), aten::add_Tensor_.handle(), aten::add_out.handle(),
                         aten::fill_Scalar_.handle(), aten::zero_.handle(), aten::div_Tensor.handle(),
                         aten::sum.handle(), aten::sum_dim_IntList.handle(), aten::empty_memory_format.handle()}) {
    INFO(op.name());
    CHECK(runs_at(op, k));
  }
  // Codes it does not run, codes of which it runs one, entries it lacks.
  for (const auto& op :
       {aten::mul_Tensor.handle(), aten::relu.handle(), aten::where_self.handle(), aten::prod.handle(),
        aten::argmax.handle(), aten::div_Tensor_mode.handle(), aten::tril.handle(), aten::masked_fill_Scalar.handle(),
        aten::copy_.handle(), aten::cat.handle(), aten::arange_start_out.handle(), aten::linspace_out.handle(),
        aten::constant_pad_nd.handle(), aten::linalg_cross.handle()}) {
    INFO(op.name());
    CHECK_FALSE(runs_at(op, k));
  }
  CHECK(rows_at(k) < 25);
  tensor t = tensor_of({1, 2}, {2});
  CHECK(support::values(aten::add_Tensor.call_at(k, t, t, 1)) == std::vector<double>{2, 4});
  CHECK(toy::text_of<tb::no_kernel>([&] { aten::mul_Tensor.call_at(k, t, t); }).find("in the table") ==
        std::string::npos);
}

TEST_CASE("kernel_table: a table of another ABI version, or a shorter one, is refused", "[ops][kernel_table]") {
  tb_kernels old = cpu_like("old");
  old.version = TB_ABI_VERSION - 1;
  tb_kernels shorter = cpu_like("shorter");
  shorter.size = offsetof(tb_kernels, context);
  for (const tb_kernels* k : {&old, &shorter}) {
    CHECK(toy::text_of<tb::bad_registration>([&] { take(tb::key::PrivateUse1, *k); }) ==
          "register_strided_backend: found a kernel table of ABI version " + std::to_string(k->version) + " and " +
              std::to_string(k->size) +
              " bytes, wanted version 8 and at least 168 bytes; rebuild it with this "
              "<topbit/kernel_abi.h>");
  }
  CHECK(rows_at(tb::key::PrivateUse1) == 0);
}

TEST_CASE("kernel_table: a table without `runs` supports all operations of its entries", "[ops][kernel_table]") {
  take(tb::key::PrivateUse8, complete);
  std::vector<std::string> of_cpu;
  for (const std::string& name : tb::inspect::operators_with_kernel(tb::key::CPU)) {
    if (name.starts_with("aten::") || name.starts_with("topbit::")) of_cpu.push_back(name);
  }
  CHECK(tb::inspect::operators_with_kernel(tb::key::PrivateUse8) == of_cpu);
}

namespace {

// All kernels of the CPU but those that later tables have in addition, for which operators use others.
const tb_kernels earlier = [] {
  tb_kernels k = cpu_like("earlier");
  k.runs = [](std::int32_t entry, std::int32_t op) {
    return std::int32_t{entry != TB_ENTRY_ROWWISE ||
                        (op != TB_MINMAX && op != TB_BINCOUNT && op != TB_HISTC && op != TB_COMPRESS)};
  };
  return k;
}();

bool same(const tensor& a, const tensor& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes()) && support::values(a) == support::values(b);
}

}  // namespace

TEST_CASE("kernel_table: counts and masked elements are the same without kernels of their own", "[ops][kernel_table]") {
  const tb::dispatch_key k = tb::key::MTIA;
  take(k, earlier);
  std::vector<double> some, numbers, flags;
  for (int i = 0; i < 400; ++i) {
    some.push_back(i % 50 == 7 ? NAN : i % 50 == 8 ? INFINITY : (i * 37 % 101) * 0.13 - 4);
    numbers.push_back(i * 37 % 101);
    flags.push_back(i % 3 == 0 ? 1 : 0);
  }
  for (const dtype t : {dtype::float32, dtype::float64}) {
    const tensor x = tensor_of(some, {400}, t), finite = tensor_of(numbers, {400}, t);
    for (const std::int64_t bins : {1, 10, 77}) {
      CHECK(same(aten::histc.call_at(k, x, bins, -3.3, 5.1), aten::histc(x, bins, -3.3, 5.1)));
      CHECK(same(aten::histc.call_at(k, finite, bins, 0, 0), aten::histc(finite, bins)));
    }
    const tensor n = tensor_of(numbers, {400}, dtype::int32);
    CHECK(same(aten::bincount.call_at(k, n, finite, 3), aten::bincount(n, finite, 3)));
    CHECK(same(aten::bincount.call_at(k, n, std::nullopt, 300), aten::bincount(n, std::nullopt, 300)));
    const tensor mask = tensor_of(flags, {400}, dtype::boolean), row = tensor_of({1, 0, 1, 1}, {4}, dtype::boolean);
    CHECK(same(aten::masked_select.call_at(k, finite, mask), aten::masked_select(finite, mask)));
    const tensor matrix = aten::t(aten::view(finite, sizes{4, 100}));
    CHECK(same(aten::masked_select.call_at(k, matrix, row), aten::masked_select(matrix, row)));
  }
  const tensor below = tensor_of({0, -1}, {2}, dtype::int64);
  CHECK_THROWS_AS(aten::bincount.call_at(k, below, std::nullopt, 0), tb::shape_error);
  CHECK_THROWS_AS(aten::bincount(below), tb::shape_error);
}

namespace {

// A device in the host's memory that notes the elementwise calls it gets.
constexpr tb::device watched{tb::backend::PrivateUse4, 0};
struct seen_call {
  std::int32_t op, number_type, number_on_host;
};
std::vector<seen_call> seen;
tb_kernels watching = [] {
  tb_kernels k = cpu_like("watching");
  k.dense_loops = nullptr;
  k.context = &seen;
  k.elementwise = [](const tb_elementwise* call, const tb_call* where) {
    CHECK((where->context == &seen && where->device == 0 && where->stream == nullptr));
    seen_call& s = seen.emplace_back(call->op, -1, -1);
    for (int i = 1; i < call->plan.operands; ++i) {
      const tb_operand& o = call->plan.operand[i];
      if (o.strides[0] == 0) s.number_type = o.dtype, s.number_on_host = o.on_host;
    }
    return tb_cpu_kernels()->elementwise(call, where);
  };
  return k;
}();
void watch() {
  const auto bytes = [](tb::device, void* to, const void* from, std::size_t n) { std::memcpy(to, from, n); };
  tb::set_memory_hook(watched.type, {[](tb::device, std::size_t n) { return std::calloc(n, 1); },
                                     [](tb::device, void* p) noexcept { std::free(p); }, bytes, bytes});
  take(tb::key::PrivateUse4, watching);
}

}  // namespace

TEST_CASE(
    "kernel_table: a number beside tensors is an operand in the type they are computed in, and is not computed itself",
    "[ops][kernel_table][number]") {
  watch();
  for (const std::uint32_t on_host : {0U, 1U}) {
    watching.host_scalars = on_host;
    for (const auto& [type, computed] :
         {std::pair{dtype::float16, TB_F32}, std::pair{dtype::float32, TB_F32}, std::pair{dtype::float64, TB_F64},
          std::pair{dtype::int32, TB_I64}, std::pair{dtype::int64, TB_I64}}) {
      const tensor here = tensor_of({1, -2, 3, 4, 5, 6}, {2, 3}, type);
      const tensor x = tb::to(here, watched);
      const auto once = [&](auto call, std::int32_t op, std::int32_t number_type) {
        seen.clear();
        const tensor found = call(x);
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].op == op);
        CHECK(seen[0].number_type == number_type);
        CHECK(seen[0].number_on_host == static_cast<std::int32_t>(on_host));
        const tensor wanted = call(here);
        CHECK(found.dtype() == wanted.dtype());
        CHECK(support::values(tb::to(found, tb::cpu)) == support::values(wanted));
      };
      INFO(tb::name_of(type) << " " << on_host);
      once([](const tensor& t) { return t + 1; }, TB_ADD, computed);
      once([](const tensor& t) { return 2 - t; }, TB_SUB, computed);
      once([](const tensor& t) { return t * true; }, TB_MUL, computed);
      once([](const tensor& t) { return t < 3; }, TB_LT, computed);
      const tensor mask = tensor_of({1, 0, 1}, {3}, dtype::boolean), mask_there = tb::to(mask, watched);
      once([&](const tensor& t) { return aten::masked_fill_Scalar(t, t.device() == watched ? mask_there : mask, 7); },
           TB_WHERE, static_cast<std::int32_t>(type));
      once(
          [](const tensor& t) {
            tensor copy = aten::clone(t);
            return copy += 1;
          },
          TB_ADD, computed);
    }
    // Of a greater category it raises the type, as a number of Python does.
    const tensor x = tb::to(tensor_of({1, 2}, {2}, dtype::int32), watched);
    seen.clear();
    CHECK((x + 0.5).dtype() == dtype::float32);
    CHECK(seen.size() == 1);
    CHECK(seen[0].number_type == TB_F32);
  }
}

TEST_CASE("kernel_table: the gradient of a tensor combined with a number is on its device",
          "[ops][kernel_table][number]") {
  watch();
  tensor x = tb::require_grad(tb::to(tensor_of({1, 2}, {2}), watched));
  tb::backward(aten::sum((x + 1) * 2 / (3 - x)));
  const tensor g = tb::leaf_grad(x);
  CHECK(g.device() == watched);
  CHECK(support::values(tb::to(g, tb::cpu)) == std::vector<double>{2, 8});
}

namespace {

constexpr tb::device partial{tb::backend::PrivateUse7, 0};

// Of the CPU's kernels those that every table has.
const tb_kernels partial_table = [] {
  tb_kernels k = empty_table("partial");
  k.copy = tb_cpu_kernels()->copy;
  k.arange = tb_cpu_kernels()->arange;
  k.elementwise = tb_cpu_kernels()->elementwise;
  return k;
}();
void register_partial() {
  static const bool once = [] {
    const auto bytes = [](tb::device, void* to, const void* from, std::size_t n) { std::memcpy(to, from, n); };
    tb::set_memory_hook(partial.type, {[](tb::device, std::size_t n) { return std::calloc(n, 1); },
                                       [](tb::device, void* p) noexcept { std::free(p); }, bytes, bytes});
    tb::author::register_strided_backend(partial_table, tb::key::PrivateUse7);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace

TEST_CASE("kernel_table: an operator is not registered if the table has no kernel for it", "[ops][kernel_table]") {
  register_partial();
  const auto has_row = [](const auto& op) {
    return tb::why_not(op.handle(), tb::key::PrivateUse7).reason == tb::inspect::why_not_reason::runs;
  };
  CHECK(has_row(aten::add_Tensor));
  CHECK(has_row(aten::cat));
  CHECK(has_row(aten::tril));
  CHECK(has_row(aten::masked_fill_Scalar));
  CHECK(has_row(aten::constant_pad_nd));
  CHECK(has_row(aten::arange_start_out));
  CHECK_FALSE(has_row(aten::sum));
  CHECK_FALSE(has_row(aten::_softmax));
  CHECK_FALSE(has_row(aten::mm));
  CHECK_FALSE(has_row(aten::index_select));
  CHECK_FALSE(has_row(aten::uniform_));
  CHECK_FALSE(has_row(aten::randperm_generator_out));
  CHECK_FALSE(has_row(aten::nonzero));
  CHECK_FALSE(has_row(aten::max_pool2d_with_indices));
  CHECK_THROWS_AS(aten::sum(tb::author::make_tensor({2}, dtype::float32, partial)), tb::no_kernel);
}
