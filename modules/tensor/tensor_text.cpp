// Reads tensors from text: nested lists of numbers, a description such as (float32 [2, 3] on meta), or both.
module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

// Limit for tensors with memory: a short description could otherwise allocate any amount.
constexpr std::int64_t most_elements = std::int64_t{1} << 24;

// Also correct for sizes whose product overflows 64 bits.
bool has_no_elements(const shape& sizes) {
  return std::ranges::any_of(sizes, [](std::int64_t n) { return n == 0; });
}

class tensor_text {
 public:
  explicit tensor_text(author::text_reader& in) : in_(in) {}

  tensor read() {
    if (in_.take_word("undefined")) {
      if (!in_.take_word("tensor")) in_.fail("'tensor' after 'undefined'");
      return tensor();
    }
    const bool has_values = in_.peek() != '(';
    if (has_values) values(0);
    shape sizes = sizes_;
    dtype type = type_;
    device where = cpu;
    if (in_.peek() == '(') {
      const std::size_t begin = in_.column();
      in_.take('(');
      type = author::read_text<dtype>(in_);
      if (!has_values || in_.peek() == '[') sizes = described_sizes();
      // After a size of 0, a list does not show the inner sizes.
      if (has_values && sizes != sizes_ && !(has_no_elements(sizes) && has_no_elements(sizes_))) {
        in_.fail_at(begin, "the sizes of the values, " + to_string(sizes_));
      }
      if (in_.take_word("on")) where = read_device();
      in_.expect(')', "')' or 'on' and a device");
      if (where == cpu) check_elements(begin, sizes);
    }
    tensor t = author::make_tensor(sizes, type, where);
    if (where == cpu && !has_values && t.numel() != 0) {
      std::memset(t.data(), 0, static_cast<std::size_t>(t.numel()) * size_of(type));
    }
    if (where == cpu && has_values) fill(t);
    return t;
  }

 private:
  struct element {
    author::text_reader::number_text number;
    bool is_bool;
  };

  void values(std::size_t depth) {
    if (in_.peek() != '[') return element_at(depth);
    const std::size_t begin = in_.column();
    if (depth == max_dims) in_.fail("at most " + std::to_string(max_dims) + " dimensions");
    if (leaf_ && depth >= *leaf_) in_.fail("a number, as before");
    in_.take('[');
    const bool first_of_depth = depth == sizes_.size();
    if (first_of_depth) sizes_.push_back(-1);
    std::int64_t count = 0;
    if (in_.peek() != ']') {
      do {
        values(depth + 1);
        ++count;
      } while (in_.take(','));
    } else if (!leaf_) {
      leaf_ = depth + 1;
    }
    in_.expect(']', "',' or ']'");
    if (sizes_[depth] < 0) sizes_[depth] = count;
    if (sizes_[depth] != count) {
      in_.fail_at(begin,
                  "a list of " + std::to_string(sizes_[depth]) + ", as before; this one has " + std::to_string(count));
    }
  }

  // All numbers have the nesting depth of the first.
  void element_at(std::size_t depth) {
    if (leaf_ && depth < *leaf_) in_.fail("a list, '[', as before");
    leaf_ = depth;
    const std::size_t begin = in_.column();
    if (const std::string_view word = in_.word(); word == "True" || word == "true") {
      all_.push_back({{"1", begin, true}, true});
    } else if (word == "False" || word == "false") {
      all_.push_back({{"0", begin, true}, true});
    } else {
      in_.go_to(begin);
      all_.push_back({in_.number_token(), false});
    }
    const element& e = all_.back();
    const dtype found = e.is_bool ? dtype::boolean : e.number.is_integer ? dtype::int64 : dtype::float32;
    type_ = all_.size() == 1 ? found : promote(type_, found);
  }

  shape described_sizes() {
    const std::size_t begin = in_.column();
    shape sizes;
    for (std::int64_t n : author::read_text<std::vector<std::int64_t>>(in_)) {
      if (sizes.size() == max_dims) in_.fail_at(begin, "at most " + std::to_string(max_dims) + " dimensions");
      if (n < 0) in_.fail_at(begin, "sizes that are not negative");
      sizes.push_back(n);
    }
    return sizes;
  }

  // Not for meta tensors: their elements take no memory.
  void check_elements(std::size_t column, const shape& sizes) const {
    std::int64_t elements = 1;
    for (std::int64_t n : sizes) {
      if (n > most_elements || (elements *= std::max(n, std::int64_t{1})) > most_elements) {
        in_.fail_at(column, "at most " + std::to_string(most_elements) + " elements");
      }
    }
  }

  device read_device() {
    const std::size_t begin = in_.column();
    const device where = author::read_text<device>(in_);
    if (where != cpu && where != meta) in_.fail_at(begin, "cpu or meta; operators move tensors to other devices");
    return where;
  }

  void fill(const tensor& t) const {
    with_element_type(t.dtype(), [&]<class T>(T) { fill_with<T>(t); });
  }
  template <class T>
  void fill_with(const tensor& t) const {
    T* to = t.data_ptr<T>();
    for (const element& e : all_) {
      if constexpr (std::same_as<T, bool>) {
        if (!e.is_bool) in_.fail_at(e.number.column, "True or False");
        *to++ = e.number.text == "1";
      } else if constexpr (std::same_as<T, half> || std::same_as<T, bfloat16>) {
        *to++ = T(in_.convert<float>(e.number));
      } else {
        *to++ = in_.convert<T>(e.number);
      }
    }
  }

  author::text_reader& in_;
  shape sizes_;  // -1 while the first list of that depth is open
  std::optional<std::size_t> leaf_;
  std::vector<element> all_;
  dtype type_ = dtype::float32;
};

}  // namespace

tensor boxed_type<tensor>::read(author::text_reader& in) { return tensor_text(in).read(); }
void boxed_type<tensor>::write(std::string& out, const tensor& t) { out += to_string(t, {.one_line = true}); }

}  // namespace topbit
