// Composites that make a tensor and fill it with random numbers. The generator is passed on, so that a generator with
// dispatch keys selects the kernels of those keys.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :random.random_kernels;
import :registration.composite;
import :registration.factory;

namespace topbit::detail {

namespace {

using optional_dtype = std::optional<dtype>;
using optional_layout = std::optional<layout>;
using optional_device = std::optional<device>;
using optional_bool = std::optional<bool>;
using optional_format = std::optional<memory_format>;

tensor& fill_uniform(tensor& out, generator_argument g) { return aten::uniform_(out, 0.0, 1.0, g); }
tensor& fill_normal(tensor& out, generator_argument g) { return aten::normal_(out, 0.0, 1.0, g); }

// rand and randn in all forms; `Op` is the called operator.
template <const auto& Op, auto Fill, class Sig = std::remove_cvref_t<decltype(Op)>::signature>
struct floating_factory;
template <const auto& Op, auto Fill>
struct floating_factory<Op, Fill,
                        tensor(sizes_argument, generator_argument, optional_dtype, optional_layout, optional_device,
                               optional_bool)> {
  static tensor run(sizes_argument size, generator_argument g, optional_dtype type, optional_layout how,
                    optional_device where, optional_bool pinned) {
    constexpr backend_call c{nullptr, Op.name()};
    check_floating(c, type.value_or(dtype::float32));
    tensor out = new_tensor(c, size, {type, how, where, pinned});
    return Fill(out, g);
  }
};
template <const auto& Op, auto Fill>
struct floating_factory<Op, Fill,
                        tensor(sizes_argument, optional_dtype, optional_layout, optional_device, optional_bool)> {
  static tensor run(sizes_argument size, optional_dtype type, optional_layout how, optional_device where,
                    optional_bool pinned) {
    constexpr backend_call c{nullptr, Op.name()};
    check_floating(c, type.value_or(dtype::float32));
    tensor out = new_tensor(c, size, {type, how, where, pinned});
    return Fill(out, std::nullopt);
  }
};
template <const auto& Op, auto Fill>
struct floating_factory<Op, Fill, tensor&(sizes_argument, generator_argument, tensor&)> {
  static tensor& run(sizes_argument size, generator_argument g, tensor& out) {
    constexpr backend_call c{nullptr, Op.name()};
    check_out(c, out, new_sizes(c, size));
    return Fill(out, g);
  }
};
template <const auto& Op, auto Fill>
struct floating_factory<Op, Fill, tensor&(sizes_argument, tensor&)> {
  static tensor& run(sizes_argument size, tensor& out) {
    constexpr backend_call c{nullptr, Op.name()};
    check_out(c, out, new_sizes(c, size));
    return Fill(out, std::nullopt);
  }
};
template <const auto& Op, auto Fill>
struct floating_factory<
    Op, Fill, tensor(const tensor&, optional_dtype, optional_layout, optional_device, optional_bool, optional_format)> {
  static tensor run(const tensor& self, optional_dtype type, optional_layout how, optional_device where,
                    optional_bool pinned, optional_format format) {
    constexpr backend_call c{nullptr, Op.name()};
    check_defined(c, self);
    check_floating(c, type.value_or(self.dtype()));
    tensor out = new_like(c, self, {type, how, where, pinned}, format);
    return Fill(out, std::nullopt);
  }
};

template <auto Fill, const auto& Plain, const auto& Generator, const auto& Out, const auto& GeneratorOut,
          const auto& Like>
void register_floating() {
  register_factory<&floating_factory<Plain, Fill>::run, Plain>();
  register_factory<&floating_factory<Generator, Fill>::run, Generator>();
  register_composite<&floating_factory<Out, Fill>::run, Out>();
  register_composite<&floating_factory<GeneratorOut, Fill>::run, GeneratorOut>();
  register_like<&floating_factory<Like, Fill>::run, Like>();
}

tensor new_integers(backend_call c, std::int64_t low, std::int64_t high, sizes_argument size, generator_argument g,
                    tensor_options o) {
  o.type = o.type.value_or(dtype::int64);
  check_integers(c, low, high, *o.type);
  tensor out = new_tensor(c, size, o);
  return aten::random_from_(out, low, high, g);
}
tensor randint(std::int64_t high, sizes_argument size, optional_dtype type, optional_layout how, optional_device where,
               optional_bool pinned) {
  return new_integers({nullptr, aten::randint.name()}, 0, high, size, {}, {type, how, where, pinned});
}
tensor randint_generator(std::int64_t high, sizes_argument size, generator_argument g, optional_dtype type,
                         optional_layout how, optional_device where, optional_bool pinned) {
  return new_integers({nullptr, aten::randint_generator.name()}, 0, high, size, g, {type, how, where, pinned});
}
tensor randint_low(std::int64_t low, std::int64_t high, sizes_argument size, optional_dtype type, optional_layout how,
                   optional_device where, optional_bool pinned) {
  return new_integers({nullptr, aten::randint_low.name()}, low, high, size, {}, {type, how, where, pinned});
}
tensor randint_low_generator(std::int64_t low, std::int64_t high, sizes_argument size, generator_argument g,
                             optional_dtype type, optional_layout how, optional_device where, optional_bool pinned) {
  return new_integers({nullptr, aten::randint_low_generator.name()}, low, high, size, g, {type, how, where, pinned});
}

tensor& integers_out(backend_call c, std::int64_t low, std::int64_t high, sizes_argument size, generator_argument g,
                     tensor& out) {
  check_out(c, out, new_sizes(c, size));
  check_integers(c, low, high, out.dtype());
  return aten::random_from_(out, low, high, g);
}
tensor& randint_out(std::int64_t high, sizes_argument size, tensor& out) {
  return integers_out({nullptr, aten::randint_out.name()}, 0, high, size, {}, out);
}
tensor& randint_generator_out(std::int64_t high, sizes_argument size, generator_argument g, tensor& out) {
  return integers_out({nullptr, aten::randint_generator_out.name()}, 0, high, size, g, out);
}
tensor& randint_low_out(std::int64_t low, std::int64_t high, sizes_argument size, tensor& out) {
  return integers_out({nullptr, aten::randint_low_out.name()}, low, high, size, {}, out);
}
tensor& randint_low_generator_out(std::int64_t low, std::int64_t high, sizes_argument size, generator_argument g,
                                  tensor& out) {
  return integers_out({nullptr, aten::randint_low_generator_out.name()}, low, high, size, g, out);
}

tensor integers_like(backend_call c, const tensor& self, std::int64_t low, std::int64_t high, const tensor_options& o,
                     optional_format format) {
  check_defined(c, self);
  check_integers(c, low, high, o.type.value_or(self.dtype()));
  tensor out = new_like(c, self, o, format);
  return aten::random_from_(out, low, high);
}
tensor randint_like(const tensor& self, std::int64_t high, optional_dtype type, optional_layout how,
                    optional_device where, optional_bool pinned, optional_format format) {
  return integers_like({nullptr, aten::randint_like.name()}, self, 0, high, {type, how, where, pinned}, format);
}
tensor randint_like_low(const tensor& self, std::int64_t low, std::int64_t high, optional_dtype type,
                        optional_layout how, optional_device where, optional_bool pinned, optional_format format) {
  return integers_like({nullptr, aten::randint_like_low_dtype.name()}, self, low, high, {type, how, where, pinned},
                       format);
}

tensor new_permutation(backend_call c, std::int64_t n, generator_argument g, tensor_options o) {
  o.type = o.type.value_or(dtype::int64);
  check_permutation(c, n, *o.type);
  const std::int64_t sizes[] = {n};
  tensor out = new_tensor(c, sizes, o);
  return aten::randperm_generator_out(n, g, out);
}
tensor randperm(std::int64_t n, optional_dtype type, optional_layout how, optional_device where, optional_bool pinned) {
  return new_permutation({nullptr, aten::randperm.name()}, n, {}, {type, how, where, pinned});
}
tensor randperm_generator(std::int64_t n, generator_argument g, optional_dtype type, optional_layout how,
                          optional_device where, optional_bool pinned) {
  return new_permutation({nullptr, aten::randperm_generator.name()}, n, g, {type, how, where, pinned});
}
tensor& randperm_plain_out(std::int64_t n, tensor& out) { return aten::randperm_generator_out(n, std::nullopt, out); }

void check_deviation(backend_call c, double std) {
  if (!(std >= 0)) refuse<error>(c, "found std " + to_string(scalar(std)) + ", wanted 0 or more");
}
void check_deviations(backend_call c, const tensor& std) {
  check_defined(c, std);
  check_floating(c, std.dtype());
  if (std.device().type == backend::Meta) return;
  const tensor bad = aten::logical_not(aten::ge_Scalar(author::make_alias(std), 0));
  if (item(aten::sum(bad)) != 0) refuse<error>(c, "found a std " + describe(std) + " with negative elements");
}

tensor normal_tensor_float(const tensor& mean, double std, generator_argument g) {
  constexpr backend_call c{nullptr, aten::normal_Tensor_float.name()};
  check_defined(c, mean);
  check_floating(c, mean.dtype());
  check_deviation(c, std);
  tensor out = new_like(c, mean, {}, memory_format::contiguous);
  aten::normal_(out, 0.0, std, g);
  return aten::add_Tensor_(out, author::make_alias(mean));
}
tensor normal_float_tensor(double mean, const tensor& std, generator_argument g) {
  constexpr backend_call c{nullptr, aten::normal_float_Tensor.name()};
  check_deviations(c, std);
  tensor out = new_like(c, std, {}, memory_format::contiguous);
  aten::normal_(out, 0.0, 1.0, g);
  aten::mul_Tensor_(out, author::make_alias(std));
  return aten::add_Scalar_(out, mean);
}
tensor normal_tensor_tensor(const tensor& mean, const tensor& std, generator_argument g) {
  constexpr backend_call c{nullptr, aten::normal_Tensor_Tensor.name()};
  author::check_one_device(aten::normal_Tensor_Tensor, mean, std);
  check_defined(c, mean);
  check_floating(c, mean.dtype());
  const shape sizes = broadcast(c.op, mean.sizes(), std.sizes());
  check_deviations(c, std);
  tensor out = new_tensor(c, sizes, {mean.dtype(), {}, mean.device(), {}});
  aten::normal_(out, 0.0, 1.0, g);
  aten::mul_Tensor_(out, author::make_alias(std));
  return aten::add_Tensor_(out, author::make_alias(mean));
}
tensor& normal_tensor_float_out(const tensor& mean, double std, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, aten::normal_Tensor_float_out.name()};
  check_out(c, out, mean.sizes());
  check_floating(c, out.dtype());
  return aten::copy_(out, normal_tensor_float(mean, std, g));
}
tensor& normal_float_tensor_out(double mean, const tensor& std, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, aten::normal_float_Tensor_out.name()};
  check_out(c, out, std.sizes());
  check_floating(c, out.dtype());
  return aten::copy_(out, normal_float_tensor(mean, std, g));
}
tensor& normal_tensor_tensor_out(const tensor& mean, const tensor& std, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, aten::normal_Tensor_Tensor_out.name()};
  check_out(c, out, broadcast(c.op, mean.sizes(), std.sizes()));
  check_floating(c, out.dtype());
  return aten::copy_(out, normal_tensor_tensor(mean, std, g));
}

tensor normal_float_float(double mean, double std, sizes_argument size, generator_argument g, optional_dtype type,
                          optional_layout how, optional_device where, optional_bool pinned) {
  constexpr backend_call c{nullptr, aten::normal_float_float.name()};
  check_floating(c, type.value_or(dtype::float32));
  check_deviation(c, std);
  tensor out = new_tensor(c, size, {type, how, where, pinned});
  return aten::normal_(out, mean, std, g);
}
tensor& normal_float_float_out(double mean, double std, sizes_argument size, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, aten::normal_float_float_out.name()};
  check_out(c, out, new_sizes(c, size));
  return aten::normal_(out, mean, std, g);
}

}  // namespace

void register_random_factories() {
  register_floating<&fill_uniform, aten::rand, aten::rand_generator, aten::rand_out, aten::rand_generator_out,
                    aten::rand_like>();
  register_floating<&fill_normal, aten::randn, aten::randn_generator, aten::randn_out, aten::randn_generator_out,
                    aten::randn_like>();
  register_factory<&randint, aten::randint>();
  register_factory<&randint_generator, aten::randint_generator>();
  register_factory<&randint_low, aten::randint_low>();
  register_factory<&randint_low_generator, aten::randint_low_generator>();
  register_composite<&randint_out, aten::randint_out>();
  register_composite<&randint_generator_out, aten::randint_generator_out>();
  register_composite<&randint_low_out, aten::randint_low_out>();
  register_composite<&randint_low_generator_out, aten::randint_low_generator_out>();
  register_like<&randint_like, aten::randint_like>();
  register_like<&randint_like_low, aten::randint_like_low_dtype>();
  register_factory<&randperm, aten::randperm>();
  register_factory<&randperm_generator, aten::randperm_generator>();
  register_composite<&randperm_plain_out, aten::randperm_out>();
  register_like<&normal_tensor_float, aten::normal_Tensor_float>();
  register_like<&normal_float_tensor, aten::normal_float_Tensor>();
  register_like<&normal_tensor_tensor, aten::normal_Tensor_Tensor>();
  register_composite<&normal_tensor_float_out, aten::normal_Tensor_float_out>();
  register_composite<&normal_float_tensor_out, aten::normal_float_Tensor_out>();
  register_composite<&normal_tensor_tensor_out, aten::normal_Tensor_Tensor_out>();
  register_factory<&normal_float_float, aten::normal_float_float>();
  register_composite<&normal_float_float_out, aten::normal_float_float_out>();
  register_without_gradient<aten::rand, aten::rand_generator, aten::randn, aten::randn_generator, aten::randint,
                            aten::randint_generator, aten::randint_low, aten::randint_low_generator, aten::randperm,
                            aten::randperm_generator, aten::normal_float_float>();
}

}  // namespace topbit::detail
