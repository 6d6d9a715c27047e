// 200: queries with range-v3. Key sets, dumps and schemas are ranges, so its views answer questions about them.
#include <cstdio>
#include <range/v3/algorithm/any_of.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>
#include <string>
#include <vector>

import topbit.core;
namespace tb = topbit;
namespace key = topbit::key;
namespace views = ranges::views;

struct image {
  tb::key_set keys;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

inline constexpr tb::op<"img::blur(Image x, *, float sigma=1.0) -> Image", image(const image&, double)> blur;
inline constexpr tb::op<"img::sharpen(Image x, *, float amount=0.5, bool clip=True) -> Image",
                        image(const image&, double, bool)>
    sharpen;
inline constexpr tb::op<"img::flip(Image x) -> Image", image(const image&)> flip;

image blur_any(const image& x, double) { return x; }
image sharpen_any(const image& x, double, bool) { return x; }
image flip_any(const image& x) { return x; }

const auto library = tb::library("img").def(blur).def(sharpen).def(flip);
const auto cpu = tb::implement("img", key::CPU).impl<&blur_any>(blur).impl<&sharpen_any>(sharpen).impl<&flip_any>(flip);
const auto cuda = tb::implement("img", key::CUDA).impl<&flip_any>(flip);

void print(const char* question, const std::vector<std::string>& answer) {
  std::printf("%s: %s\n", question, (answer | views::join(std::string(", ")) | ranges::to<std::string>()).c_str());
}

int main() {
  // Key sets: the keys of an image, by rising priority.
  const image photo{{key::CUDA, key::AutogradCUDA}};
  print("keys",
        photo.keys | views::transform([](tb::dispatch_key k) { return to_string(k); }) | ranges::to<std::vector>());

  // Operator lists: what the CPU computes and CUDA does not.
  const tb::inspect::registry_dump all = tb::dump();
  const auto has_kernel_for = [](tb::key_target k) {
    return [k](const tb::inspect::operator_dump& o) {
      return ranges::any_of(o.kernels, [&](const tb::inspect::kernel_dump& found) { return found.key == k; });
    };
  };
  const auto lacks_cuda = [&](const tb::inspect::operator_dump& o) { return !has_kernel_for(key::CUDA)(o); };
  print("without CUDA", all.operators | views::filter(has_kernel_for(key::CPU)) | views::filter(lacks_cuda) |
                            views::transform(&tb::inspect::operator_dump::name) | ranges::to<std::vector>());

  // Schemas: the keyword arguments of all operators.
  const std::vector schemas = all.operators |
                              views::transform([](const auto& o) { return tb::find(o.name).parsed_schema(); }) |
                              ranges::to<std::vector>();
  print("keywords", schemas | views::transform([](const auto* s) { return s->arguments; }) | views::join |
                        views::filter(&tb::author::schema_item::keyword_only) |
                        views::transform([](const auto& a) { return std::string(a.name); }) |
                        ranges::to<std::vector>());
}

// prints: keys: CUDA, AutogradCUDA
// prints: without CUDA: img::blur, img::sharpen
// prints: keywords: sigma, amount, clip
