// expect: error: static assertion failed: kernel for toy::show, argument 1 'text': the schema needs 'std::string_view', the kernel takes 'const std::string&'; a str of a schema is std::string_view$
// rule: R15
// topic: kernels
// A schema's str is lent as a view.
#include <string>
#include <string_view>
import topbit.core;

inline constexpr topbit::op<"toy::show(str text) -> ()"> show;

#ifndef FIXED
void show_cpu(const std::string& text);
#else
void show_cpu(std::string_view text);
#endif
const auto kernels = topbit::library("toy").def(show).impl<&show_cpu>(show, topbit::key::CPU);
