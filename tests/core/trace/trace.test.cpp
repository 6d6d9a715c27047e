#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support/allocations.h"
#include "support/print.h"
#include "support/raw_entry.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using tb::key_set;
using tb::inspect::row_reason;
using toy::image;

namespace {

inline constexpr tb::op<"trace::leaf", int(const image&)> leaf;
inline constexpr tb::op<"trace::layered", int(const image&)> layered;
inline constexpr tb::op<"trace::parts", int(const image&)> parts;
inline constexpr tb::op<"trace::fails", void(const image&)> fails;
inline constexpr tb::op<"trace::on_device", int(toy::device)> on_device;
inline constexpr tb::op<"trace::boxed", int(const image&)> boxed;
inline constexpr tb::op<"trace::skips", int(const image&)> skips;
inline constexpr tb::op<"trace::through", toy::tensor&(toy::tensor&, toy::tensor)> through;
inline constexpr tb::op<"trace::pair", std::tuple<int, toy::tensor>(toy::tensor)> pair;
inline constexpr tb::op<"trace::comes", int(const image&)> comes;

int width(const image& i) { return i.width; }
int layered_autograd(key_set keys, const image& i) { return layered.redispatch(keys & tb::below(key::Autograd), i); }
int parts_kernel(const image& i) { return leaf(i) + layered(i); }
void failing(const image&) { throw std::runtime_error("no"); }
int one(toy::device) { return 1; }
void boxed_width(const tb::operator_handle&, tb::boxed_stack& s) {
  const int w = s[s.size() - 1].get<image>().width;
  s.drop(1);
  s.push(w);
}
void passes_on(const tb::operator_handle& op, key_set keys, tb::boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(key::UserMiddle2), s);
}
int skips_cuda(const image&) { return -1; }
toy::tensor& returns_first(toy::tensor& out, toy::tensor) { return out; }
std::tuple<int, toy::tensor> both(toy::tensor t) { return {7, std::move(t)}; }

// One line each.
constexpr auto A = std::source_location::current();
constexpr auto B = std::source_location::current();
constexpr auto C = std::source_location::current();

const auto kernels = tb::library("trace")
                         .def(leaf)
                         .impl<&width>(leaf, key::CPU, A)
                         .def(layered)
                         .impl<&width>(layered, key::CPU, A)
                         .impl<&layered_autograd>(layered, key::Autograd, B)
                         .def(parts)
                         .impl<&parts_kernel>(parts, key::CompositeImplicitAutograd, C)
                         .def(fails)
                         .impl<&failing>(fails, key::CPU, A)
                         .def(on_device)
                         .impl<&one>(on_device, key::CPU, A)
                         .def(boxed)
                         .impl_boxed<&boxed_width>(boxed, key::CPU, B)
                         .def(skips)
                         .impl<&width>(skips, key::CPU, A)
                         .impl<&skips_cuda>(skips, key::AutogradCUDA, A)
                         .fallthrough(skips, key::AutogradCPU)
                         .def(through)
                         .impl<&returns_first>(through, key::CPU, A)
                         .def(pair)
                         .impl<&both>(pair, key::CPU, A);
const auto fallback = tb::fallback<&passes_on>(key::UserMiddle2, tb::registry::process(), C);

const image on_cpu{key::CPU, 7, 0};
const image with_autograd{{key::CPU, key::AutogradCPU}, 7, 0};
const image with_top{{key::CPU, key::UserMiddle2}, 7, 0};

std::string at(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}
// The events as text, without the times.
std::string told(const tb::trace_session& t) {
  std::string text;
  for (const tb::inspect::trace_event& e : t.events()) text += std::string(2 * e.depth, ' ') + to_string(e) + "\n";
  return text;
}
// The text without the times.
std::string untimed(std::string text) {
  for (std::size_t end = 0; (end = text.find(" us\n", end)) != std::string::npos; ++end) {
    const std::size_t begin = text.rfind(", ", end);
    text.erase(begin, end + 3 - begin);
    end = begin;
  }
  return text;
}
int by_value(const tb::operator_handle& op, const image& i) {
  tb::boxed_stack s;
  s.push(i);
  op.call_boxed(s);
  return s[0].get<int>();
}

}  // namespace

TEST_CASE("trace: a call is an event that says what ran, why, and where it was registered", "[core][trace][I6]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK(leaf(on_cpu) == 7);
  t.stop();
  CHECK(leaf(on_cpu) == 7);
  const auto events = t.events();
  REQUIRE(events.size() == 1);
  const tb::inspect::trace_event& e = events[0];
  CHECK(e.op == "trace::leaf");
  CHECK(e.keys == key_set(key::CPU));
  CHECK(
      e.selected_kernel ==
      tb::inspect::table_row{key::CPU, row_reason::kernel, false, tb::key_target(key::CPU), {A.file_name(), A.line()}});
  CHECK_FALSE(e.redispatch);
  CHECK_FALSE(e.threw);
  CHECK(e.depth == 0);
  CHECK(e.thread > 0);
  CHECK(e.start_ns >= 0);
  CHECK(e.duration_ns >= 0);
  CHECK(to_string(e) == "trace::leaf call at CPU: kernel, registered at " + at(A));
}

TEST_CASE("trace: text shows calls inside calls, in the order they began", "[core][trace][I6]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK(parts(with_autograd) == 14);
  t.stop();
  const std::string expected =
      "trace::parts call at AutogradCPU: composite kernel, registered for CompositeImplicitAutograd at " + at(C) +
      "\n"
      "  trace::leaf call at CPU: kernel, registered at " +
      at(A) +
      "\n"
      "  trace::layered call at AutogradCPU: autograd kernel, registered for Autograd at " +
      at(B) +
      "\n"
      "    trace::layered redispatch at CPU: kernel, registered at " +
      at(A) + "\n";
  CHECK(untimed(t.text()) == expected);
  CHECK(t.text() == to_string(t.events()));
  const auto events = t.events();
  REQUIRE(events.size() == 4);
  CHECK(events[0].keys == key_set{key::CPU, key::AutogradCPU});
  CHECK(events[3].keys == (events[2].keys & tb::below(key::Autograd)));
  for (std::size_t i = 1; i < events.size(); ++i) {
    CHECK(events[i].start_ns >= events[i - 1].start_ns);
    const tb::inspect::trace_event& outer = events[i == 3 ? 2 : 0];
    CHECK(events[i].start_ns + events[i].duration_ns <= outer.start_ns + outer.duration_ns);
  }
}

TEST_CASE("trace: a redispatch with the set a call would have had is a call", "[core][trace][I6]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK(leaf.redispatch(key::CPU, on_cpu) == 7);
  CHECK(leaf.redispatch(key::CPU, with_top) == 7);
  {
    const tb::include_guard guard(key::UserMiddle2);
    CHECK(leaf(on_cpu) == 7);
  }
  t.stop();
  const auto events = t.events();
  REQUIRE(events.size() == 4);
  CHECK_FALSE(events[0].redispatch);
  CHECK(events[1].redispatch);
  CHECK_FALSE(events[2].redispatch);
  CHECK(events[2].selected_kernel.key == key::UserMiddle2);
  CHECK(events[3].redispatch);
}

TEST_CASE("trace: what is passed through is no event, and does not make a call a redispatch", "[core][trace][I6]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK(skips(with_autograd) == 7);
  CHECK(by_value(skips.handle(), with_autograd) == 7);
  t.stop();
  const std::string one = "trace::skips call at CPU: kernel, registered at " + at(A) + "\n";
  CHECK(told(t) == one + one);
}

TEST_CASE("trace: boxed kernels and fallbacks, called with arguments and with values", "[core][trace][I6]") {
  const std::string here = ": backend fallback, registered at " + at(C) + "\n";
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK(boxed(on_cpu) == 7);
  CHECK(by_value(boxed.handle(), on_cpu) == 7);
  CHECK(told(t) == "trace::boxed call at CPU: kernel, registered at " + at(B) +
                       "\ntrace::boxed call at CPU: kernel, registered at " + at(B) + "\n");
  const auto two = [&](const char* op, const std::source_location& where) {
    return std::string(op) + " call at UserMiddle2" + here + "  " + op + " redispatch at CPU: kernel, registered at " +
           at(where) + "\n";
  };
  t.clear();
  CHECK(boxed(with_top) == 7);
  CHECK(by_value(leaf.handle(), with_top) == 7);
  CHECK(told(t) == two("trace::boxed", B) + two("trace::leaf", A));
}

TEST_CASE("trace: values that a boxed kernel does not take are found while tracing too", "[core][trace][boxing]") {
  const tb::trace_session t = tb::trace_session::this_thread();
  tb::boxed_stack s;
  s.push(std::string("seven"));
  CHECK_THROWS_AS(boxed.handle().redispatch_boxed(key::CPU, s), tb::bad_argument);
  tb::boxed_stack none;
  CHECK_THROWS_AS(boxed.handle().redispatch_boxed(key::CPU, none), tb::bad_argument);
  CHECK_THROWS_AS(leaf.handle().redispatch_boxed(key::CPU, none), tb::bad_argument);
}

TEST_CASE("trace: a kernel made from the signature is an event of its own", "[core][trace][I6]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK(on_device(toy::device{}) == 1);
  t.stop();
  CHECK(told(t) ==
        "trace::on_device call at BackendSelect: kernel (from the signature)\n"
        "  trace::on_device redispatch at CPU: kernel, registered at " +
            at(A) + "\n");
}

TEST_CASE("trace: a call without a kernel is an event without a kernel", "[core][trace][I6][E1]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK_THROWS_AS(leaf(image{key::CUDA, 1, 0}), tb::no_kernel);
  t.stop();
  CHECK(told(t) == "trace::leaf call at CUDA: missing, threw\n");
  const auto events = t.events();
  REQUIRE(events.size() == 1);
  CHECK(events[0].selected_kernel == tb::inspect::table_row{key::CUDA});
  CHECK(events[0].threw);
}

TEST_CASE("trace: an exception ends every call it leaves", "[core][trace][I6]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK_THROWS_AS(fails(with_top), std::runtime_error);
  CHECK(leaf(on_cpu) == 7);
  t.stop();
  CHECK(told(t) == "trace::fails call at UserMiddle2: backend fallback, registered at " + at(C) +
                       ", threw\n  trace::fails redispatch at CPU: kernel, registered at " + at(A) +
                       ", threw\ntrace::leaf call at CPU: kernel, registered at " + at(A) + "\n");
}

TEST_CASE("trace: arguments and results go through it as they are", "[core][trace][boxing]") {
  toy::tensor out(key::CPU, 1), other(key::CPU, 2);
  const tb::trace_session t = tb::trace_session::this_thread();
  CHECK(&through(out, other) == &out);
  (void)pair(other);  // the first call of an operator may allocate: it is bound
  const auto taken = toy::tensor::references_taken;
  const auto allocated = toy::allocations();
  const auto [number, same] = pair(std::move(other));
  CHECK(toy::tensor::references_taken == taken);
  CHECK(toy::allocations() == allocated);
  CHECK(number == 7);
  CHECK(same.value() == 2);
}

TEST_CASE("trace: what is registered and unregistered meanwhile is seen", "[core][trace][I6][D5]") {
  tb::trace_session t = tb::trace_session::this_thread();
  CHECK_THROWS_AS(comes(on_cpu), tb::no_kernel);
  std::optional<tb::library_block> block = tb::fragment("trace").def(comes).impl<&width>(comes, key::CPU, A);
  CHECK(comes(on_cpu) == 7);
  const tb::operator_handle op = comes.handle();
  CHECK(verify(op).empty());
  {
    const auto newer = tb::fragment("trace").impl<&skips_cuda>(comes, key::CPU, B);
    CHECK(comes(on_cpu) == -1);
    CHECK(verify(op).empty());
  }
  CHECK(comes(on_cpu) == 7);
  block.reset();
  CHECK_THROWS_AS(comes(on_cpu), tb::no_kernel);
  CHECK(verify(op).empty());
  const std::string missing = "trace::comes call at CPU: missing, threw\n";
  const auto kernel = [](const auto& where) {
    return "trace::comes call at CPU: kernel, registered at " + at(where) + "\n";
  };
  CHECK(told(t) == missing + kernel(A) + kernel(B) + kernel(A) + missing);
}

TEST_CASE("trace: tables are the same while one is on, and after it", "[core][trace][I4]") {
  const auto ops = {leaf.handle(), layered.handle(), parts.handle(), on_device.handle(), skips.handle()};
  for (const tb::operator_handle& op : ops) {
    const auto before = computed_table(op);
    {
      const tb::trace_session t = tb::trace_session::this_thread();
      CHECK(verify(op).empty());
      CHECK(computed_table(op) == before);
    }
    CHECK(verify(op).empty());
  }
}

TEST_CASE("trace: slots hold the very records again when the last trace has ended", "[core][trace]") {
  const raw_entry& head = raw_entry::of(layered.handle());
  std::vector<const void*> before, after;
  for (unsigned row = 0; row < tb::author::row_count; ++row) before.push_back(head.rows[row].load());
  {
    tb::trace_session outer = tb::trace_session::this_thread();
    const tb::trace_session inner = tb::trace_session::process();
    CHECK(head.rows[key_set(key::CPU).row()].load() != before[key_set(key::CPU).row()]);
    outer.stop();
    outer.stop();
    CHECK(head.rows[key_set(key::CPU).row()].load() != before[key_set(key::CPU).row()]);
  }
  for (unsigned row = 0; row < tb::author::row_count; ++row) after.push_back(head.rows[row].load());
  CHECK(before == after);
}

TEST_CASE("trace: every trace that is on hears of a call, at its own depth", "[core][trace]") {
  tb::trace_session outer = tb::trace_session::this_thread();
  CHECK(leaf(on_cpu) == 7);
  {
    const tb::trace_session second = tb::trace_session::this_thread();
    CHECK(layered(with_autograd) == 7);
    CHECK(second.events().size() == 2);
  }
  CHECK(outer.events().size() == 3);
}

namespace {
std::optional<std::vector<tb::inspect::trace_event>> seen_inside;
inline constexpr tb::op<"trace::traces", int(const image&)> traces;
int traces_kernel(const image& i) {
  tb::trace_session t = tb::trace_session::this_thread();
  const int result = layered(i);
  seen_inside = t.events();
  return result;
}
inline constexpr tb::op<"trace::ends", void(const image&)> ends;
tb::trace_session* to_end = nullptr;
void ends_kernel(const image&) { to_end->stop(); }
inline constexpr tb::op<"trace::keeps", int(const image&)> keeps;
std::unique_ptr<const tb::trace_session> kept;
int keeps_kernel(const image& i) {
  kept.reset(new tb::trace_session(tb::trace_session::this_thread()));
  return leaf(i);
}
inline constexpr tb::op<"trace::around", int(const image&)> around;
int around_kernel(const image& i) {
  const int width = keeps(i);
  return width + leaf(i);
}
const auto more = tb::fragment("trace")
                      .def(keeps)
                      .impl<&keeps_kernel>(keeps, key::CPU, B)
                      .def(around)
                      .impl<&around_kernel>(around, key::CPU, B)
                      .def(traces)
                      .impl<&traces_kernel>(traces, key::CompositeExplicitAutograd, A)
                      .def(ends)
                      .impl<&ends_kernel>(ends, key::CPU, A);
}  // namespace

TEST_CASE("trace: one that begins or ends inside a call does not have that call", "[core][trace]") {
  CHECK(traces(with_autograd) == 7);
  REQUIRE(seen_inside.has_value());
  REQUIRE(seen_inside->size() == 2);
  CHECK((*seen_inside)[0].depth == 0);
  CHECK((*seen_inside)[1].depth == 1);
  {
    const tb::trace_session outer = tb::trace_session::this_thread();
    CHECK(traces(with_autograd) == 7);
    CHECK(seen_inside->front().depth == 0);
    CHECK(outer.events().size() == 3);
  }
  tb::trace_session t = tb::trace_session::this_thread();
  to_end = &t;
  ends(on_cpu);
  CHECK(t.events().empty());
}

TEST_CASE("trace: one that began inside a call has the calls after it at their own depths", "[core][trace]") {
  const tb::trace_session first = tb::trace_session::this_thread();
  CHECK(around(on_cpu) == 14);
  for (int i = 0; i < 2; ++i) CHECK(parts(on_cpu) == 14);
  std::vector<unsigned> depths;
  for (const tb::inspect::trace_event& e : kept->events()) depths.push_back(e.depth);
  CHECK(depths == std::vector<unsigned>{0, 0, 0, 1, 1, 0, 1, 1});  // two calls of leaf, and parts twice
  CHECK(kept->dropped() == 0);
  kept.reset();
  CHECK(first.events().size() == 4 + 2 * 3);
}

TEST_CASE("trace: the limit keeps the first events and counts the rest", "[core][trace]") {
  tb::trace_session t = tb::trace_session::this_thread(3);
  for (int i = 0; i < 5; ++i) CHECK(leaf(on_cpu) == 7);
  CHECK(t.events().size() == 3);
  CHECK(t.dropped() == 2);
  t.clear();
  CHECK(t.events().empty());
  CHECK(t.dropped() == 0);
  // An outer call is kept where one inside it is: the one that is kept comes first.
  CHECK(parts(with_autograd) == 14);
  CHECK(t.dropped() == 1);
  const auto events = t.events();
  REQUIRE(events.size() == 3);
  CHECK(events[0].op == "trace::parts");
  CHECK(events[1].op == "trace::leaf");
  CHECK(events[2].op == "trace::layered");
  CHECK(events[2].depth == 1);
  const tb::trace_session nothing = tb::trace_session::this_thread(0);
  CHECK(leaf(on_cpu) == 7);
  CHECK(nothing.events().empty());
  CHECK(nothing.dropped() == 1);
}

TEST_CASE("trace: more events than a block of its buffer holds, read and forgotten in parts", "[core][trace]") {
  tb::trace_session t = tb::trace_session::this_thread();
  for (const std::size_t count : {255u, 1u, 256u, 257u, 1000u}) {
    for (std::size_t i = 0; i < count; ++i) (void)leaf(on_cpu);
    CHECK(t.events().size() == count);
    t.clear();
    CHECK(t.events().empty());
  }
  CHECK(t.dropped() == 0);
}

namespace {

// Sanitizers keep operator new to themselves: then none fails.
bool allocations_fail() {
  const auto before = toy::allocations();
  ::operator delete(::operator new(1));
  return toy::allocations() != before;
}

// Kernels that no trace has met.
template <std::size_t I>
int numbered(const image& i) {
  return i.width;
}
// Registers the kernel while an allocation fails: now the first, now the second, ... A registration has three or four,
// and what is made once the first few rounds have made. True if calls found the kernel and the trace did not.
template <std::size_t I>
bool goes_untraced() {
  const tb::trace_session t = tb::trace_session::this_thread();
  std::optional<tb::library_block> block;
  toy::fail_allocation(I < 4 ? 0 : I % 4 + 1);
  try {
    block = tb::fragment("trace").def(comes).impl<&numbered<I>>(comes, key::CPU);
  } catch (const std::bad_alloc&) {
  }
  toy::fail_allocation(0);
  CHECK(verify(comes.handle()).empty());
  if (!block) return false;
  CHECK(comes(on_cpu) == 7);
  return t.events().empty();
}

}  // namespace

TEST_CASE("trace: without memory it goes without an event, and calls go on", "[core][trace]") {
  if (!allocations_fail()) SKIP("a sanitizer keeps operator new to itself");
  tb::trace_session t = tb::trace_session::this_thread();
  toy::fail_allocation(1);  // for the buffer's first block
  CHECK(leaf(on_cpu) == 7);
  toy::fail_allocation(0);
  CHECK(leaf(on_cpu) == 7);
  CHECK(t.events().size() == 1);
  CHECK(t.dropped() == 1);
}

TEST_CASE("trace: without memory a slot goes untraced, and what is registered is not refused", "[core][trace][H5]") {
  if (!allocations_fail()) SKIP("a sanitizer keeps operator new to itself");
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    CHECK((std::size_t{0} + ... + goes_untraced<I>()) > 0);
  }(std::make_index_sequence<30>());
}
