module;

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>

module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace views = ranges::views;

namespace {

constexpr std::array all_memory_formats{memory_format::contiguous, memory_format::preserve};

std::string listed(auto names) { return names | views::join(std::string(", ")) | ranges::to<std::string>(); }

template <class T, std::size_t N>
T read_name(author::text_reader& in, const std::array<T, N>& all) {
  for (const T x : all) {
    if (in.take_word(name_of(x))) return x;
  }
  in.fail("one of " + listed(all | views::transform([](T x) { return name_of(x); })));
}
// An enumerator without a name (from a cast) is written as its number.
template <class T, std::size_t N>
void write_name(std::string& out, T x, const std::array<T, N>& all) {
  if (std::ranges::find(all, x) == all.end()) return void(out += std::to_string(static_cast<int>(x)));
  out += name_of(x);
}

}  // namespace

dtype boxed_type<dtype>::read(author::text_reader& in) {
  const std::size_t begin = in.column();
  if (const std::optional<dtype> named = dtype_named(in.word())) return *named;
  in.fail_at(begin, "one of " + listed(all_dtypes | views::transform([](dtype t) { return name_of(t); })));
}
void boxed_type<dtype>::write(std::string& out, dtype x) {
  out += static_cast<std::size_t>(x) < dtype_count ? std::string(name_of(x)) : std::to_string(static_cast<int>(x));
}
layout boxed_type<layout>::read(author::text_reader& in) { return read_name(in, all_layouts); }
void boxed_type<layout>::write(std::string& out, layout x) { write_name(out, x, all_layouts); }
memory_format boxed_type<memory_format>::read(author::text_reader& in) { return read_name(in, all_memory_formats); }
void boxed_type<memory_format>::write(std::string& out, memory_format x) { write_name(out, x, all_memory_formats); }

device boxed_type<device>::read(author::text_reader& in) {
  const std::size_t begin = in.column();
  const std::string_view text = in.token();
  try {
    return parse_device(text);
  } catch (const device_error&) {
    in.fail_at(begin, "a device: cpu, cuda, cuda:N, meta, or another backend's name");
  }
}
void boxed_type<device>::write(std::string& out, device x) { out += to_string(x); }

scalar boxed_type<scalar>::read(author::text_reader& in) {
  if (in.take_word("True") || in.take_word("true")) return true;
  if (in.take_word("False") || in.take_word("false")) return false;
  const author::text_reader::number_text n = in.number_token();
  return n.is_integer ? scalar(in.convert<std::int64_t>(n)) : scalar(in.convert<double>(n));
}
void boxed_type<scalar>::write(std::string& out, const scalar& x) {
  if (x.type() == dtype::boolean) return author::write_text(out, x.to_int64() != 0);
  if (x.type() == dtype::int64) return author::write_text(out, x.to_int64());
  author::write_text(out, x.to_double());
}

}  // namespace topbit
