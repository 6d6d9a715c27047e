// Operators that make a tensor and fill it with random numbers: composites of the operators that fill. The generator is
// passed on, so one with keys reaches the kernels of its keys there.
module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

using optional_dtype = std::optional<dtype>;
using optional_layout = std::optional<layout>;
using optional_device = std::optional<device>;
using optional_bool = std::optional<bool>;
using optional_format = std::optional<memory_format>;

tensor& fill_uniform(tensor& out, generator_argument g) { return ops::uniform_(out, 0.0, 1.0, g); }
tensor& fill_normal(tensor& out, generator_argument g) { return ops::normal_(out, 0.0, 1.0, g); }

// rand and randn in all their forms; `Op` is the one that is called.
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
  return ops::random_from_(out, low, high, g);
}
tensor randint(std::int64_t high, sizes_argument size, optional_dtype type, optional_layout how, optional_device where,
               optional_bool pinned) {
  return new_integers({nullptr, ops::randint.name()}, 0, high, size, {}, {type, how, where, pinned});
}
tensor randint_generator(std::int64_t high, sizes_argument size, generator_argument g, optional_dtype type,
                         optional_layout how, optional_device where, optional_bool pinned) {
  return new_integers({nullptr, ops::randint_generator.name()}, 0, high, size, g, {type, how, where, pinned});
}
tensor randint_low(std::int64_t low, std::int64_t high, sizes_argument size, optional_dtype type, optional_layout how,
                   optional_device where, optional_bool pinned) {
  return new_integers({nullptr, ops::randint_low.name()}, low, high, size, {}, {type, how, where, pinned});
}
tensor randint_low_generator(std::int64_t low, std::int64_t high, sizes_argument size, generator_argument g,
                             optional_dtype type, optional_layout how, optional_device where, optional_bool pinned) {
  return new_integers({nullptr, ops::randint_low_generator.name()}, low, high, size, g, {type, how, where, pinned});
}

tensor& integers_out(backend_call c, std::int64_t low, std::int64_t high, sizes_argument size, generator_argument g,
                     tensor& out) {
  check_out(c, out, new_sizes(c, size));
  check_integers(c, low, high, out.dtype());
  return ops::random_from_(out, low, high, g);
}
tensor& randint_out(std::int64_t high, sizes_argument size, tensor& out) {
  return integers_out({nullptr, ops::randint_out.name()}, 0, high, size, {}, out);
}
tensor& randint_generator_out(std::int64_t high, sizes_argument size, generator_argument g, tensor& out) {
  return integers_out({nullptr, ops::randint_generator_out.name()}, 0, high, size, g, out);
}
tensor& randint_low_out(std::int64_t low, std::int64_t high, sizes_argument size, tensor& out) {
  return integers_out({nullptr, ops::randint_low_out.name()}, low, high, size, {}, out);
}
tensor& randint_low_generator_out(std::int64_t low, std::int64_t high, sizes_argument size, generator_argument g,
                                  tensor& out) {
  return integers_out({nullptr, ops::randint_low_generator_out.name()}, low, high, size, g, out);
}

tensor integers_like(backend_call c, const tensor& self, std::int64_t low, std::int64_t high, const tensor_options& o,
                     optional_format format) {
  check_defined(c, self);
  check_integers(c, low, high, o.type.value_or(self.dtype()));
  tensor out = new_like(c, self, o, format);
  return ops::random_from_(out, low, high);
}
tensor randint_like(const tensor& self, std::int64_t high, optional_dtype type, optional_layout how,
                    optional_device where, optional_bool pinned, optional_format format) {
  return integers_like({nullptr, ops::randint_like.name()}, self, 0, high, {type, how, where, pinned}, format);
}
tensor randint_like_low(const tensor& self, std::int64_t low, std::int64_t high, optional_dtype type,
                        optional_layout how, optional_device where, optional_bool pinned, optional_format format) {
  return integers_like({nullptr, ops::randint_like_low.name()}, self, low, high, {type, how, where, pinned}, format);
}

tensor new_permutation(backend_call c, std::int64_t n, generator_argument g, tensor_options o) {
  o.type = o.type.value_or(dtype::int64);
  check_permutation(c, n, *o.type);
  const std::int64_t sizes[] = {n};
  tensor out = new_tensor(c, sizes, o);
  return ops::randperm_generator_out(n, g, out);
}
tensor randperm(std::int64_t n, optional_dtype type, optional_layout how, optional_device where, optional_bool pinned) {
  return new_permutation({nullptr, ops::randperm.name()}, n, {}, {type, how, where, pinned});
}
tensor randperm_generator(std::int64_t n, generator_argument g, optional_dtype type, optional_layout how,
                          optional_device where, optional_bool pinned) {
  return new_permutation({nullptr, ops::randperm_generator.name()}, n, g, {type, how, where, pinned});
}
tensor& randperm_plain_out(std::int64_t n, tensor& out) { return ops::randperm_generator_out(n, std::nullopt, out); }

void check_deviation(backend_call c, double std) {
  if (!(std >= 0)) refuse<error>(c, "found std " + to_string(scalar(std)) + ", wanted 0 or more");
}
void check_deviations(backend_call c, const tensor& std) {
  check_defined(c, std);
  check_floating(c, std.dtype());
  if (std.device().type == backend::Meta) return;
  const tensor bad = ops::logical_not(ops::ge_scalar(detach(std), 0));
  if (item(ops::sum(bad)) != 0) refuse<error>(c, "found a std " + describe(std) + " with negative elements");
}

tensor normal_tensor_float(const tensor& mean, double std, generator_argument g) {
  constexpr backend_call c{nullptr, ops::normal_tensor_float.name()};
  check_defined(c, mean);
  check_floating(c, mean.dtype());
  check_deviation(c, std);
  tensor out = new_like(c, mean, {}, memory_format::contiguous);
  ops::normal_(out, 0.0, std, g);
  return ops::add_(out, detach(mean));
}
tensor normal_float_tensor(double mean, const tensor& std, generator_argument g) {
  constexpr backend_call c{nullptr, ops::normal_float_tensor.name()};
  check_deviations(c, std);
  tensor out = new_like(c, std, {}, memory_format::contiguous);
  ops::normal_(out, 0.0, 1.0, g);
  ops::mul_(out, detach(std));
  return ops::add_scalar_(out, mean);
}
tensor normal_tensor_tensor(const tensor& mean, const tensor& std, generator_argument g) {
  constexpr backend_call c{nullptr, ops::normal_tensor_tensor.name()};
  author::check_one_device(ops::normal_tensor_tensor, mean, std);
  check_defined(c, mean);
  check_floating(c, mean.dtype());
  const dims sizes = broadcast(c.op, mean.sizes(), std.sizes());
  check_deviations(c, std);
  tensor out = new_tensor(c, sizes, {mean.dtype(), {}, mean.device(), {}});
  ops::normal_(out, 0.0, 1.0, g);
  ops::mul_(out, detach(std));
  return ops::add_(out, detach(mean));
}
tensor& normal_tensor_float_out(const tensor& mean, double std, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, ops::normal_tensor_float_out.name()};
  check_out(c, out, mean.sizes());
  check_floating(c, out.dtype());
  return ops::copy_(out, normal_tensor_float(mean, std, g));
}
tensor& normal_float_tensor_out(double mean, const tensor& std, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, ops::normal_float_tensor_out.name()};
  check_out(c, out, std.sizes());
  check_floating(c, out.dtype());
  return ops::copy_(out, normal_float_tensor(mean, std, g));
}
tensor& normal_tensor_tensor_out(const tensor& mean, const tensor& std, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, ops::normal_tensor_tensor_out.name()};
  check_out(c, out, broadcast(c.op, mean.sizes(), std.sizes()));
  check_floating(c, out.dtype());
  return ops::copy_(out, normal_tensor_tensor(mean, std, g));
}

tensor normal_float_float(double mean, double std, sizes_argument size, generator_argument g, optional_dtype type,
                          optional_layout how, optional_device where, optional_bool pinned) {
  constexpr backend_call c{nullptr, ops::normal_float_float.name()};
  check_floating(c, type.value_or(dtype::float32));
  check_deviation(c, std);
  tensor out = new_tensor(c, size, {type, how, where, pinned});
  return ops::normal_(out, mean, std, g);
}
tensor& normal_float_float_out(double mean, double std, sizes_argument size, generator_argument g, tensor& out) {
  constexpr backend_call c{nullptr, ops::normal_float_float_out.name()};
  check_out(c, out, new_sizes(c, size));
  return ops::normal_(out, mean, std, g);
}

}  // namespace

void register_random_factories() {
  register_floating<&fill_uniform, ops::rand, ops::rand_generator, ops::rand_out, ops::rand_generator_out,
                    ops::rand_like>();
  register_floating<&fill_normal, ops::randn, ops::randn_generator, ops::randn_out, ops::randn_generator_out,
                    ops::randn_like>();
  register_factory<&randint, ops::randint>();
  register_factory<&randint_generator, ops::randint_generator>();
  register_factory<&randint_low, ops::randint_low>();
  register_factory<&randint_low_generator, ops::randint_low_generator>();
  register_composite<&randint_out, ops::randint_out>();
  register_composite<&randint_generator_out, ops::randint_generator_out>();
  register_composite<&randint_low_out, ops::randint_low_out>();
  register_composite<&randint_low_generator_out, ops::randint_low_generator_out>();
  register_like<&randint_like, ops::randint_like>();
  register_like<&randint_like_low, ops::randint_like_low>();
  register_factory<&randperm, ops::randperm>();
  register_factory<&randperm_generator, ops::randperm_generator>();
  register_composite<&randperm_plain_out, ops::randperm_out>();
  register_like<&normal_tensor_float, ops::normal_tensor_float>();
  register_like<&normal_float_tensor, ops::normal_float_tensor>();
  register_like<&normal_tensor_tensor, ops::normal_tensor_tensor>();
  register_composite<&normal_tensor_float_out, ops::normal_tensor_float_out>();
  register_composite<&normal_float_tensor_out, ops::normal_float_tensor_out>();
  register_composite<&normal_tensor_tensor_out, ops::normal_tensor_tensor_out>();
  register_factory<&normal_float_float, ops::normal_float_float>();
  register_composite<&normal_float_float_out, ops::normal_float_float_out>();
  register_without_gradient<ops::rand, ops::rand_generator, ops::randn, ops::randn_generator, ops::randint,
                            ops::randint_generator, ops::randint_low, ops::randint_low_generator, ops::randperm,
                            ops::randperm_generator, ops::normal_float_float>();
}

}  // namespace topbit::detail
