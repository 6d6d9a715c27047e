// A running test: calls made on the device and on the CPU, and what was found.
module topbit.backend_test:session;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :report;

namespace topbit::backend_test {

// How exactly floating-point elements agree: units in the last place of the element, and of the largest one, of the
// result or of the arguments, since sums cancel.
struct bound {
  double of_element = 4, of_largest = 0, largest_argument = 0;
};
inline constexpr bound exactly{0, 0}, elementwise{4, 0}, summed{4, 64};

// The shortest text that reads back.
std::string text_of(double x);

// What a call did: its results, its arguments after it, and the text of the exception that it threw.
struct outcome {
  std::vector<value> results, arguments;
  std::string error;
};

class session {
 public:
  session(device where, const options& how, report& r) : where_(where), how_(how), report_(r), random_(how.seed) {}

  device where() const noexcept { return where_; }
  bool quick() const noexcept { return how_.quick; }
  std::uint64_t seed() const noexcept { return how_.seed; }

  // Fewer cases if it has to be quick.
  int cases(int all) const noexcept { return how_.quick ? std::max(1, all / 8) : all; }
  // 0 to count - 1.
  int any(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }
  double any_number() { return static_cast<double>(next() >> 11) * 0x1p-53 * 4 - 2; }

  void check(bool holds, std::string what, std::string reproduce = {});
  // Runs a part of a level. What it throws is a failure.
  void part(std::string_view name, const std::function<void()>& run);

  // The first difference of what the device answered, as a sentence; empty if it agrees with the CPU.
  std::string difference(const tensor& found, const tensor& wanted, bound b) const;
  // Checks that there is none.
  void compare(const std::string& what, const tensor& found, const tensor& wanted, bound b,
               const std::string& reproduce = {});
  // One call with these arguments, whose tensors are on the CPU, made there and on the device: results, written
  // arguments and errors agree.
  void compare_call(const operator_handle& op, std::span<const value> arguments, bound b,
                    const std::string& reproduce = {});

  // The same tensor on the device, in the same arrangement in memory.
  tensor there(const tensor& t) const;

  bool begin_level(int level, std::string_view name);
  void end_level();
  void check_holes();

 private:
  std::string difference(const value& found, const value& wanted, bound b) const;
  std::string difference(const operator_handle& op, const outcome& found, const outcome& wanted, bound b) const;
  // splitmix64, since distributions of the standard library differ.
  std::uint64_t next() noexcept {
    std::uint64_t z = random_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  bool is_hole(std::string_view op, std::span<const value> arguments, bool works);

  device where_;
  const options& how_;
  report& report_;
  std::uint64_t random_;
  std::mutex mutex_;
  std::int64_t began_ = 0;  // nanoseconds
  struct use {
    std::uint64_t calls = 0, failures = 0;
  };
  std::vector<use> holes_ = std::vector<use>(how_.holes.size());
};

// A tensor of random elements, which the dtype can hold, in one of the arrangements in memory: dense, transposed, every
// other element, broadcast, at an offset. `way` counts them.
inline constexpr int arrangements = 5;
// What the elements are; special: some are NaN, infinite, -0, the least and greatest of the dtype.
enum class elements { ordinary, special };
tensor arranged(session& s, const shape& sizes, dtype type, int way, elements which = elements::ordinary);
std::string name_of_arrangement(int way);

// The levels.
void test_memory(session& s);
void test_copies(session& s);
void test_views(session& s);
void test_factories(session& s);
void test_pointwise(session& s);
void test_reductions(session& s);
void test_products(session& s);
void test_indices(session& s);
void test_random_numbers(session& s);
void test_documented(session& s);
void test_gradients(session& s);
void test_programs(session& s);
void test_training(session& s);
void test_threads(session& s);
void test_streams(session& s);
void test_layouts(session& s);

}  // namespace topbit::backend_test
