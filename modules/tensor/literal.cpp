module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

namespace {

// Collects the numbers of nested braces in row-major order; throws if lists differ in length or depth.
class nested_values {
 public:
  explicit nested_values(std::initializer_list<literal> values) { list(values); }
  explicit nested_values(const scalar& x) { number(x); }

  tensor make(std::optional<dtype> wanted) const {
    const dtype type = wanted.value_or(type_);
    const tensor t = author::make_tensor(sizes_, type, cpu);
    with_element_type(type, [&]<class T>(T) {
      T* to = t.data_ptr<T>();
      for (const scalar& x : numbers_) *to++ = converted<T>(x);
    });
    return t;
  }

 private:
  void list(std::initializer_list<literal> values) {
    const std::size_t depth = path_.size();
    const auto count = static_cast<std::int64_t>(values.size());
    if (depth == max_dims) {
      throw shape_error("tensor: found braces in " + std::to_string(depth) + " others, wanted at most " +
                        std::to_string(max_dims) + " dimensions");
    }
    if (depth < sizes_.size()) {
      if (sizes_[depth] != count) {
        throw shape_error("tensor: found " + std::to_string(sizes_[depth]) + " elements in row " + first() + " and " +
                          std::to_string(count) + " in row " + to_string(path_) + ", wanted as many in each");
      }
    } else {
      if (!numbers_.empty()) refuse_depth("a list");
      sizes_.push_back(count);
    }
    path_.push_back(0);
    for (const literal& x : values) {
      x.is_list() ? list(x.list()) : number(x.number());
      ++path_[depth];
    }
    path_.erase(depth);
  }

  void number(const scalar& x) {
    if (path_.size() != sizes_.size()) refuse_depth("a number");
    if (numbers_.empty()) {
      type_ = is_floating(x.type()) ? dtype::float32 : x.type();
    } else {
      const bool is_bool = x.type() == dtype::boolean;
      if (is_bool != (type_ == dtype::boolean)) {
        throw dtype_error("tensor: found " + std::string(is_bool ? "a number" : "a bool") + " at " + first() + " and " +
                          (is_bool ? "a bool" : "a number") + " at " + to_string(path_) +
                          ", wanted bools alone or numbers alone; write 1 for true and 0 for false");
      }
      if (is_floating(x.type())) type_ = dtype::float32;
    }
    numbers_.push_back(x);
  }

  [[noreturn]] void refuse_depth(std::string_view found) const {
    throw shape_error("tensor: found " + std::string(found) + " at " + to_string(path_) + " and " +
                      (found == "a list" ? "a number" : "a list") + " at " + first() +
                      ", wanted all numbers equally deep in braces");
  }

  // Index of the first element at the current depth, for messages.
  std::string first() const { return to_string(shape(path_.size(), 0)); }

  template <class T>
  static T converted(const scalar& x) {
    if constexpr (std::same_as<T, bool>) {
      if (x.type() != dtype::boolean) refuse(x, dtype::boolean, "true or false");
      return x.to_int64() != 0;
    } else if constexpr (std::integral<T>) {
      constexpr std::int64_t least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
      // False for fractions, NaN and values outside int64.
      const bool is_whole = static_cast<double>(x.to_int64()) == x.to_double();
      if (!is_whole || x.to_int64() < least || x.to_int64() > most) {
        refuse(x, dtype_of<T>, "whole numbers from " + std::to_string(least) + " to " + std::to_string(most));
      }
      return static_cast<T>(x.to_int64());
    } else if constexpr (std::same_as<T, double>) {
      return x.to_double();
    } else {
      return T(static_cast<float>(x.to_double()));
    }
  }
  [[noreturn]] static void refuse(const scalar& x, dtype type, const std::string& wanted) {
    const bool beyond = x.to_int64() < 0 && x.to_double() > 0;  // an unsigned value above the int64 maximum
    throw dtype_error("tensor: found " + to_string(beyond ? scalar(x.to_double()) : x) + " for " +
                      std::string(name_of(type)) + ", wanted " + wanted);
  }

  shape sizes_, path_;
  std::vector<scalar> numbers_;
  dtype type_ = dtype::float32;
};

}  // namespace

tensor::tensor(std::initializer_list<literal> values, std::optional<topbit::dtype> type)
    : tensor(nested_values(values).make(type)) {}
tensor tensor::of_number(const scalar& number, std::optional<topbit::dtype> type) {
  return nested_values(number).make(type);
}
tensor tensor::of_bytes(const void* elements, std::size_t count, topbit::dtype type) {
  tensor t = author::make_tensor({static_cast<std::int64_t>(count)}, type, cpu);
  if (count != 0) std::memcpy(t.data(), elements, count * size_of(type));
  return t;
}

}  // namespace topbit
