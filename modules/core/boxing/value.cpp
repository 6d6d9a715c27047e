module topbit.core;

import topbit.std;

namespace topbit {

std::string to_string(const value& v) {
  std::string text;
  if (v.is_none())
    text = "None";
  else
    v.type()->write(text, v.fetched());
  return text;
}

value detail::read_value(const value_type& type, author::text_reader& in) {
  value v;
  v.payload_ = type.read(in);
  v.type_ = reinterpret_cast<std::uintptr_t>(&type) | (type.destroy != nullptr ? value::owned_bit : 0);
  return v;
}

void detail::raise_no_copy(std::string_view type) {
  throw bad_argument("type '" + std::string(type) +
                     "' cannot be copied; specialise topbit::boxed_type for it, with copy()");
}

bool detail::value_word::is(const value& v, const value_type& wanted) noexcept {
  if (v.is_none()) return false;
  return v.type() == &wanted || (v.type()->identity == wanted.identity && !is_local_name(wanted.identity));
}

}  // namespace topbit
