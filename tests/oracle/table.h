// A model of kernel precedence, written from the numbered rules (P1 to P9) with lists of keys. A model can be made
// wrong in one way. Imports nothing: include it after topbit.core and the standard headers.
#pragma once

namespace oracle {

enum class table_fault {
  none,
  explicit_before_nonfunctional,
  composite_shadows,
  never_ambiguous,
  fallback_first,
  fallback_before_alias,
  autograd_before_composite,
  nested_after_composite,
  nobody_passes,
  sparse_counts,
  autocast_serves_nobody,
  batched_after_composite,
  explicit_before_layout,
  layout_does_not_count
};

class naive_table {
 public:
  struct choice {
    topbit::inspect::row_reason why = topbit::inspect::row_reason::missing;
    std::optional<topbit::key_target> from;  // the key or alias of the chosen registration
    friend bool operator==(const choice&, const choice&) = default;
  };

  std::vector<topbit::key_target> kernels;
  std::vector<topbit::dispatch_key> fallbacks;
  table_fault wrong = table_fault::none;

  bool has(topbit::key_target t) const { return std::find(kernels.begin(), kernels.end(), t) != kernels.end(); }
  bool has_fallback(topbit::dispatch_key k) const {
    return std::find(fallbacks.begin(), fallbacks.end(), k) != fallbacks.end();
  }

  choice at(topbit::dispatch_key k) const {
    using enum topbit::inspect::row_reason;
    const bool none = k == topbit::key::Undefined;
    const auto registered = [&](topbit::alias_key a, bool also_for_no_key) {
      return has(a) && (none ? also_for_no_key : stands_for(a, k));
    };
    if (wrong == table_fault::fallback_first && has_fallback(k)) return {backend_fallback, k};
    if (!none && has(k)) return {kernel, k};  // P1
    if (wrong == table_fault::fallback_before_alias && has_fallback(k)) return {backend_fallback, k};
    const auto layout = [&]() -> std::optional<topbit::key_target> {
      for (topbit::alias_key a : {topbit::key::AnySparse, topbit::key::AnySparseCsr, topbit::key::AnyQuantized}) {
        if (registered(a, false)) return a;
      }
      return {};
    }();
    if (layout && wrong != table_fault::explicit_before_layout) return {layout_kernel, layout};  // P1a
    const topbit::alias_key cea = topbit::key::CompositeExplicitAutograd;
    const topbit::alias_key cenf = topbit::key::CompositeExplicitAutogradNonFunctional;
    if (wrong == table_fault::explicit_before_nonfunctional && registered(cea, true))
      return {default_backend_kernel, cea};
    if (registered(cenf, true)) return {default_backend_kernel, cenf};  // P2
    if (registered(cea, true)) return {default_backend_kernel, cea};    // P3
    if (layout) return {layout_kernel, layout};
    const topbit::alias_key cint = topbit::key::CompositeImplicitAutogradNestedTensor;
    const bool nested = registered(cint, false);
    if (nested && wrong != table_fault::nested_after_composite) return {nested_kernel, cint};  // P4n
    const bool autograd = registered(topbit::key::Autograd, false);
    if (autograd && wrong == table_fault::autograd_before_composite) return {autograd_kernel, topbit::key::Autograd};
    const topbit::alias_key ftbd = topbit::key::FuncTorchBatchedDecomposition;
    const bool decomposed = registered(ftbd, false);
    if (decomposed && wrong != table_fault::batched_after_composite) return {batched_kernel, ftbd};  // P4b
    const topbit::alias_key cia = topbit::key::CompositeImplicitAutograd;
    if (registered(cia, true)) {  // P5
      if (k == topbit::key::AutogradOther && any_backend_below(k) && wrong != table_fault::never_ambiguous) {
        return {ambiguous, {}};
      }
      const bool shadowed = has(cea) || any_backend_below(k);  // P4
      if (!shadowed || wrong == table_fault::composite_shadows) return {composite_kernel, cia};
    }
    if (nested) return {nested_kernel, cint};
    if (decomposed) return {batched_kernel, ftbd};
    if (autograd) return {autograd_kernel, topbit::key::Autograd};                                   // P6
    if (registered(topbit::key::Autocast, false) && wrong != table_fault::autocast_serves_nobody) {  // P7a
      return {autocast_kernel, topbit::key::Autocast};
    }
    if (!none && has_fallback(k)) return {backend_fallback, k};  // P8
    const bool passed = passes_calls(k) && wrong != table_fault::nobody_passes;
    return {passed ? transparent : missing, {}};  // P9
  }

  // K7: the keys of each alias.
  static bool stands_for(topbit::alias_key a, topbit::dispatch_key k) {
    using enum topbit::functionality;
    using topbit::backend;
    const bool autograd = one_of(k, {AutogradOther, Autograd, AutogradNestedTensor});
    const bool backends =
        one_of(k, {Dense, FPGA, MSNPU, MLC, Vulkan, Metal, Quantized, CustomRNGKeyId, MkldnnCPU, Sparse, SparseCsr});
    if (a == topbit::key::Autograd) return autograd;
    if (a == topbit::key::CompositeExplicitAutograd) return backends;
    if (a == topbit::key::CompositeExplicitAutogradNonFunctional) {
      return backends && k.layer != Sparse && k.device != backend::XLA && k.device != backend::Lazy;
    }
    if (a == topbit::key::CompositeImplicitAutograd)
      return backends || autograd || one_of(k, {NestedTensor, Functionalize, FuncTorchBatched});
    if (a == topbit::key::CompositeImplicitAutogradNestedTensor) return one_of(k, {NestedTensor, AutogradNestedTensor});
    if (a == topbit::key::Autocast) return k.layer == Autocast;
    if (a == topbit::key::AnySparse) return k.layer == Sparse;
    if (a == topbit::key::AnySparseCsr) return k.layer == SparseCsr;
    if (a == topbit::key::AnyQuantized) return k.layer == Quantized;
    return k.layer == FuncTorchBatched;
  }

 private:
  static bool one_of(topbit::dispatch_key k, std::initializer_list<topbit::functionality> layers) {
    return std::find(layers.begin(), layers.end(), k.layer) != layers.end();
  }
  // Keys that calls skip if nothing is registered for them.
  static bool passes_calls(topbit::dispatch_key k) {
    using enum topbit::functionality;
    return one_of(k, {BackendSelect, ADInplaceOrView, Autocast, FuncTorchVmapMode, Autograd, AutogradOther,
                      AutogradNestedTensor, ForwardAD, ModesBelow, ModesAbove});
  }
  // K10 and K11: true if a kernel is registered for a backend, or for a layout of all, whose autograd key is k.
  bool any_backend_below(topbit::dispatch_key k) const {
    using enum topbit::functionality;
    for (const topbit::key_target& t : kernels) {
      if (t.is_alias()) {
        const topbit::alias_key a{t.alias};
        const bool layout =
            a == topbit::key::AnySparse || a == topbit::key::AnySparseCsr || a == topbit::key::AnyQuantized;
        if (layout && k.layer == AutogradOther && wrong != table_fault::layout_does_not_count) return true;
        continue;
      }
      const topbit::dispatch_key b = t.row;
      if (k.layer == Autograd && b.layer == Dense && b.device == k.device) return true;
      if (k.layer == Autograd && b.layer == Sparse && b.device == k.device && wrong == table_fault::sparse_counts)
        return true;
      if (k.layer == AutogradNestedTensor && b.layer == NestedTensor) return true;
      if (k.layer == AutogradOther &&
          one_of(b, {FPGA, MSNPU, MLC, Vulkan, Metal, CustomRNGKeyId, MkldnnCPU, Sparse, SparseCsr, Quantized})) {
        return true;
      }
    }
    return false;
  }
};

}  // namespace oracle
