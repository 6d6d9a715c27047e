// Every operator of several tensors refuses those of two devices, in words that name both; and so can others.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
using tb::tensor;

namespace {

inline constexpr tb::op<"apart::check(Tensor[] all, int n, Tensor? maybe, Tensor?[] some, Tensor last) -> ()"> check;
inline constexpr tb::op<"apart::unnamed", void(const tensor&, const tensor&)> unnamed;
inline constexpr tb::op<"apart::send(Tensor from, Tensor to) -> ()"> send;

}  // namespace

template <>
inline constexpr bool tb::author::spans_devices<decltype(send)> = true;

TEST_CASE("device_check: lists and optionals are checked, absent and undefined tensors have no device",
          "[ops][device_check][Y8]") {
  const tensor here = support::tensor_of({1}, {1}), there = tb::author::make_tensor({1}, tb::dtype::float32, tb::meta);
  const tensor nothing;
  using maybe = std::optional<tensor>;
  const auto text = [](std::vector<tensor> all, maybe one, std::vector<maybe> some, const tensor& last) {
    return toy::text_of<tb::device_error>([&] {
      tb::author::check_one_device(check, std::span<const tensor>(all), std::int64_t{1}, one,
                                   std::span<const maybe>(some), last);
    });
  };
  const std::string none = "nothing was thrown";
  const std::string end = ", wanted one device; move one with to()";
  CHECK(text({}, {}, {}, nothing) == none);
  CHECK(text({nothing, here}, here, {std::nullopt, here, nothing}, here) == none);
  CHECK(text({nothing}, std::nullopt, {}, there) == none);
  CHECK(text({here, there}, {}, {}, nothing) ==
        "apart::check: found argument 1 'all' on cpu and argument 1 'all' on meta" + end);
  CHECK(text({here}, there, {}, nothing) ==
        "apart::check: found argument 1 'all' on cpu and argument 3 'maybe' on meta" + end);
  CHECK(text({}, there, {std::nullopt, here}, nothing) ==
        "apart::check: found argument 3 'maybe' on meta and argument 4 'some' on cpu" + end);
  CHECK(text({nothing}, {}, {there}, here) ==
        "apart::check: found argument 4 'some' on meta and argument 5 'last' on cpu" + end);
}

TEST_CASE("device_check: mutable lists and lists of lists are checked", "[ops][device_check][Y8]") {
  const tensor here = support::tensor_of({1}, {1}), there = tb::author::make_tensor({1}, tb::dtype::float32, tb::meta);
  using tensors = std::vector<tensor>;
  const auto text = [](auto&& first, auto&& second) {
    return toy::text_of<tb::device_error>([&] { tb::author::check_one_device(unnamed, first, second); });
  };
  const std::string apart =
      "apart::unnamed: found argument 1 on cpu and argument 2 on meta, wanted one device; move one with to()";
  tensors written{there};
  CHECK(text(here, written) == apart);
  CHECK(text(here, std::vector<tensors>{{}, {there}}) == apart);
  const std::vector<tensors> nested{{here}, {there}};
  CHECK(text(here, std::span<const tensors>(nested)) == apart);
  CHECK(text(here, std::vector<std::optional<tensor>>{std::nullopt, there}) == apart);
  CHECK(text(here, std::optional<std::vector<std::optional<tensors>>>({std::nullopt, tensors{there}})) == apart);
  CHECK(text(std::vector<tensors>{{here}, {here}}, std::vector<bool>{true}) == "nothing was thrown");
}

TEST_CASE("device_check: an operator without a schema numbers its arguments, and a device has an index",
          "[ops][device_check][Y8]") {
  const auto keys = tb::key_set(tb::key::CUDA);
  const tensor one = tb::author::make_opaque({1}, tb::dtype::float32, tb::cuda(0), keys);
  const tensor two = tb::author::make_opaque({1}, tb::dtype::float32, tb::cuda(1), keys);
  CHECK(toy::text_of<tb::device_error>([&] { tb::author::check_one_device(unnamed, one, two); }) ==
        "apart::unnamed: found argument 1 on cuda:0 and argument 2 on cuda:1, wanted one device; move one with to()");
}

TEST_CASE("device_check: an external operator can declare that it spans devices", "[ops][device_check]") {
  const tensor here = support::tensor_of({1}, {1}), there = tb::author::make_tensor({1}, tb::dtype::float32, tb::meta);
  CHECK(toy::text_of<tb::device_error>([&] { tb::author::check_one_device(send, here, there); }) ==
        "nothing was thrown");
}

namespace placed {

// A type from elsewhere, with a device of its own; or nowhere.
struct block {
  std::optional<tb::device> where;
};
std::optional<tb::device> device_of(const block& b) noexcept { return b.where; }
tb::key_set keys_of(const block& b) noexcept {
  return b.where ? tb::key_set(tb::key_of(b.where->type)) : tb::key_set();
}

inline constexpr tb::op<"placed::join",
                        int(const block&, const tensor&, std::span<const block>, const std::optional<block>&)>
    join;
int joined(const block& a, const tensor& t, std::span<const block> more, const std::optional<block>& last) {
  tb::author::check_one_device(join, a, t, more, last);
  return 1;
}
const auto kernels = tb::library("placed").def(join).impl<&joined>(join, key::CPU).impl<&joined>(join, key::CUDA);

}  // namespace placed

TEST_CASE("device_check: a user's type is checked by its device_of()", "[ops][device_check][Y8]") {
  using placed::block;
  using placed::join;
  const block here{tb::cpu}, there{tb::cuda(1)}, other{tb::cuda(2)}, nowhere{};
  const tensor none;
  CHECK(join(there, none, std::array{nowhere, there}, std::nullopt) == 1);
  const auto refusal = [](auto&& f) { return toy::text_of<tb::device_error>(f); };
  CHECK(refusal([&] { (void)join(here, none, std::array{nowhere, there}, std::nullopt); }) ==
        "placed::join: found argument 1 on cpu and argument 3 on cuda:1, wanted one device; move one with to()");
  // Two devices of one backend, which the dispatcher cannot tell apart.
  CHECK(refusal([&] { (void)join(there, none, {}, other); }) ==
        "placed::join: found argument 1 on cuda:1 and argument 4 on cuda:2, wanted one device; move one with to()");
  CHECK(refusal([&] { (void)join(there, support::tensor_of({1}, {1}), {}, nowhere); }) ==
        "placed::join: found argument 1 on cuda:1 and argument 2 on cpu, wanted one device; move one with to()");
}
