// Every operator of several tensors refuses those of two devices, in words that name both; and so can others.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_calls.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using support::twin_argument;
using tb::tensor;

namespace {

// Copying reaches across, and what reads only the sizes of another tensor does not mind where it is.
template <class Op>
constexpr bool spans = tb::author::spans_devices<const std::remove_cvref_t<Op>>;

template <class T>
constexpr bool holds_tensor = std::is_same_v<std::remove_cvref_t<T>, tensor>;

// Which arguments of a call are defined tensors.
template <class... T>
std::vector<std::size_t> tensors_of(const T&... given) {
  std::vector<std::size_t> found;
  std::size_t i = 0;
  const auto look = [&](const auto& x) {
    if constexpr (holds_tensor<decltype(x)>) {
      if (x.defined()) found.push_back(i);
    }
    ++i;
  };
  (look(given), ...);
  return found;
}

std::string label(const tb::operator_handle& op, std::size_t i) {
  return "argument " + std::to_string(i + 1) + " '" + std::string(op.parsed_schema()->arguments[i].name) + "'";
}

inline constexpr tb::op<"apart::check(Tensor[] all, int n, Tensor? maybe, Tensor?[] some, Tensor last) -> ()"> check;
inline constexpr tb::op<"apart::unnamed", void(const tensor&, const tensor&)> unnamed;
inline constexpr tb::op<"apart::send(Tensor from, Tensor to) -> ()"> send;

}  // namespace

template <>
inline constexpr bool tb::author::spans_devices<decltype(send)> = true;

TEST_CASE("device_check: every operator of two tensors refuses two devices, wherever the other one is",
          "[ops][device_check][Y8]") {
  std::set<std::string> refused;
  support::each_call([&](const auto& op, const auto&... given) {
    const tb::operator_handle h = op.handle();
    const std::vector<std::size_t> tensors = tensors_of(given...);
    if (tensors.size() < 2 || spans<decltype(op)>) return;
    for (std::size_t odd : tensors) {
      INFO(h.schema() << ", with argument " << odd << " elsewhere");
      std::size_t i = 0;
      const auto placed = [&](const auto& x) { return twin_argument(x, i++ == odd ? tb::meta : tb::cpu); };
      std::tuple arguments{placed(given)...};
      const bool first_is_odd = odd == tensors.front();
      const std::string wanted = std::string(op.name()) + ": found " + label(h, tensors.front()) + " on " +
                                 (first_is_odd ? "meta" : "cpu") + " and " + label(h, first_is_odd ? tensors[1] : odd) +
                                 " on " + (first_is_odd ? "cpu" : "meta") + ", wanted one device; move one with to()";
      CHECK(toy::text_of<tb::device_error>([&] { std::apply(op, arguments); }) == wanted);
      refused.emplace(op.name());
    }
  });
  CHECK(refused.size() >= 40);
}

TEST_CASE("device_check: lists and optionals are looked into, and what is absent or undefined is nowhere",
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

TEST_CASE("device_check: lists that are written are looked into, and lists of lists", "[ops][device_check][Y8]") {
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

TEST_CASE("device_check: exactly these operators take tensors of several devices, as they declare",
          "[ops][device_check]") {
  std::set<std::string> open;
  support::each_call([&](const auto& op, const auto&... given) {
    if (!spans<decltype(op)>) return;
    open.emplace(op.name());
    std::size_t i = 0;
    const auto placed = [&](const auto& x) {
      const bool second = holds_tensor<decltype(x)> && i++ == 1;
      return twin_argument(x, second ? tb::meta : tb::cpu);
    };
    std::tuple arguments{placed(given)...};
    CHECK(toy::text_of<tb::device_error>([&] { std::apply(op, arguments); }).find("wanted one device") ==
          std::string::npos);
  });
  CHECK(open == std::set<std::string>{"aten::copy_", "aten::expand_as", "aten::view_as", "aten::reshape_as"});
}

TEST_CASE("device_check: an operator from elsewhere declares that it spans devices", "[ops][device_check]") {
  const tensor here = support::tensor_of({1}, {1}), there = tb::author::make_tensor({1}, tb::dtype::float32, tb::meta);
  CHECK(toy::text_of<tb::device_error>([&] { tb::author::check_one_device(send, here, there); }) ==
        "nothing was thrown");
}
