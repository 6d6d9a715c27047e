// What is registered, in order: families that register themselves, then of the others definitions, the CPU and meta
// backends, composites, gradients.
module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

namespace {

using author::autograd_kernel;
using author::define;
using author::kernel_row;
using author::row;

const tb_kernels* no_kernels() { return nullptr; }

constexpr kernel_row definitions[] = {
    define(ops::empty),
    define(ops::full),
    define(ops::zeros),
    define(ops::ones),
    define(ops::fill_),
    define(ops::zero_),
    define(ops::copy_),
    define(ops::to_copy),
    define(ops::clone),
    define(ops::log_softmax),
    define(ops::log_softmax_forward),
    define(ops::log_softmax_backward),
    define(ops::nll_loss),
    define(ops::nll_loss_mean),
    define(ops::nll_loss_mean_backward),
};

constexpr auto cpu_rows = author::strided_rows<&cpu_kernels>(key::CPU);
constexpr auto meta_rows = author::strided_rows<&no_kernels>(key::Meta);

constexpr kernel_row composite_rows[] = {
    row<&log_softmax_composite>(ops::log_softmax, key::CompositeImplicitAutograd),
    row<&nll_loss_composite>(ops::nll_loss, key::CompositeImplicitAutograd),
    row<&full>(ops::full, key::CompositeExplicitAutograd),
    row<&zeros>(ops::zeros, key::CompositeExplicitAutograd),
    row<&ones>(ops::ones, key::CompositeExplicitAutograd),
    row<&to_copy>(ops::to_copy, key::CompositeExplicitAutograd),
    row<&clone>(ops::clone, key::CompositeExplicitAutograd),
};

constexpr kernel_row gradient_rows[] = {
    row<&autograd_kernel<ops::to_copy, copy_rule>::run>(ops::to_copy, key::Autograd),
    row<&autograd_kernel<ops::clone, copy_rule>::run>(ops::clone, key::Autograd),
    row<&autograd_kernel<ops::log_softmax_forward, log_softmax_rule>::run>(ops::log_softmax_forward, key::Autograd),
    row<&autograd_kernel<ops::nll_loss_mean, nll_loss_rule>::run>(ops::nll_loss_mean, key::Autograd),
};

}  // namespace

const tb_kernels* cpu_kernels() { return tb_cpu_kernels(); }

bool register_builtin() {
  // The built-in namespaces are owned: others add to them with fragment() and implement().
  for (std::string_view ns : {"aten", "topbit"}) registry::process().claim(ns, std::source_location::current()).keep();
  register_view();
  register_view_composites();
  register_view_lists();
  register_view_gradients();
  author::register_rows(definitions);
  author::register_rows(cpu_rows);
  author::register_rows(meta_rows);
  author::register_rows(composite_rows);
  author::register_rows(gradient_rows);
  register_writing<ops::fill_, ops::zero_, ops::copy_>();
  register_elementwise();
  register_unary();
  register_activation();
  register_comparison();
  register_ternary();
  register_linalg();
  register_einsum();
  register_convolution();
  register_pool();
  register_attention();
  register_batch_norm();
  register_reduce();
  register_create();
  register_sequence();
  register_random();
  register_random_factories();
  register_dropout();
  return true;
}

}  // namespace topbit::detail
