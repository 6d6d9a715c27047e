// Dispatch keys: what they are, their order, and every constant a user can write.
//
// Three structural types keep three ideas apart, so that misuse does not compile: a dispatch key owns a slot of every
// operator's table; an alias key exists at registration only and can never be in a set; a building block is a
// functionality without a backend, good for masks and guards and for nothing else. The enumerators' order is
// the priority, low to high. 20 backends and 36 functionalities take 56 of the 63 usable bits of a key set.
export module topbit.core:keys.key;

import topbit.std;

namespace topbit {

/// A backend component, ascending in priority. Meta is last: adding it to a call makes the call take Meta kernels.
export enum class backend : std::uint8_t {
  none,
  CPU,
  CUDA,
  HIP,
  XLA,
  MPS,
  IPU,
  XPU,
  HPU,
  VE,
  Lazy,
  MTIA,
  PrivateUse1,
  PrivateUse2,
  PrivateUse3,
  PrivateUse4,
  PrivateUse5,
  PrivateUse6,
  PrivateUse7,
  PrivateUse8,
  Meta
};

/// A functionality, ascending in priority: the layers of a call from the bottom to the top.
export enum class functionality : std::uint8_t {
  undefined,
  Dense,
  FPGA,
  MSNPU,
  MLC,
  Vulkan,
  Metal,
  Quantized,
  CustomRNGKeyId,
  MkldnnCPU,
  Sparse,
  SparseCsr,
  NestedTensor,
  BackendSelect,
  Pending,
  UserBottom1,
  UserBottom2,
  ModesBelow,
  Functionalize,
  Conjugate,
  Negative,
  ZeroTensor,
  ADInplaceOrView,
  AutogradOther,
  Autograd,
  AutogradNestedTensor,
  ForwardAD,
  UserMiddle1,
  UserMiddle2,
  Tracer,
  FuncTorchBatched,
  FuncTorchVmapMode,
  Autocast,
  TestMode,
  ModesAbove,
  UserTop1,
  UserTop2
};

namespace author {

export inline constexpr unsigned backend_count = static_cast<unsigned>(backend::Meta);
export inline constexpr unsigned functionality_count = static_cast<unsigned>(functionality::UserTop2);

/// True for a functionality of which every backend has its own slot: Dense, Sparse, Autograd, ...
export constexpr bool per_backend(functionality f) noexcept {
  using enum functionality;
  return f == Dense || f == Quantized || f == Sparse || f == SparseCsr || f == NestedTensor || f == Autograd ||
         f == Autocast;
}

}  // namespace author

/// One slot of a table: a functionality, and a backend where the functionality is per backend.
/// The default value is "no key": the slot of the empty set.
export struct dispatch_key {
  functionality layer = functionality::undefined;
  backend device = backend::none;
  friend constexpr bool operator==(const dispatch_key&, const dispatch_key&) = default;
};

/// A functionality without its backend. Accepted by key sets (masks, guards), refused by every registration.
export struct building_block {
  functionality layer;
  friend constexpr bool operator==(const building_block&, const building_block&) = default;
};

/// Names several slots at registration time. Never a member of a set: there is no conversion.
export struct alias_key {
  std::uint8_t index;
  friend constexpr bool operator==(const alias_key&, const alias_key&) = default;
};

namespace author {

export inline constexpr unsigned alias_count = 10;

}  // namespace author

/// What a kernel can be registered for: a slot, an alias, or nothing (catch-all, which is
/// CompositeImplicitAutograd). A building block is refused by the compiler.
export struct key_target {
  dispatch_key row{};
  std::uint8_t alias = no_alias;

  static constexpr std::uint8_t no_alias = 0xff;
  constexpr key_target(dispatch_key key) noexcept : row(key) {}
  constexpr key_target(alias_key key) noexcept : alias(key.index) {}
  key_target(building_block) = delete ("it has no slot; name a backend too, as in key::SparseCPU");

  constexpr bool is_alias() const noexcept { return alias != no_alias; }
  friend constexpr bool operator==(const key_target&, const key_target&) = default;
};

/// Every dispatch key, by PyTorch's names.
export namespace key {

inline constexpr dispatch_key Undefined{};

inline constexpr dispatch_key  // Dense, one per backend
    CPU{functionality::Dense, backend::CPU},
    CUDA{functionality::Dense, backend::CUDA}, HIP{functionality::Dense, backend::HIP},
    XLA{functionality::Dense, backend::XLA}, MPS{functionality::Dense, backend::MPS},
    IPU{functionality::Dense, backend::IPU}, XPU{functionality::Dense, backend::XPU},
    HPU{functionality::Dense, backend::HPU}, VE{functionality::Dense, backend::VE},
    Lazy{functionality::Dense, backend::Lazy}, MTIA{functionality::Dense, backend::MTIA},
    PrivateUse1{functionality::Dense, backend::PrivateUse1}, PrivateUse2{functionality::Dense, backend::PrivateUse2},
    PrivateUse3{functionality::Dense, backend::PrivateUse3}, PrivateUse4{functionality::Dense, backend::PrivateUse4},
    PrivateUse5{functionality::Dense, backend::PrivateUse5}, PrivateUse6{functionality::Dense, backend::PrivateUse6},
    PrivateUse7{functionality::Dense, backend::PrivateUse7}, PrivateUse8{functionality::Dense, backend::PrivateUse8},
    Meta{functionality::Dense, backend::Meta};

inline constexpr dispatch_key  // Quantized, one per backend
    QuantizedCPU{functionality::Quantized, backend::CPU},
    QuantizedCUDA{functionality::Quantized, backend::CUDA}, QuantizedHIP{functionality::Quantized, backend::HIP},
    QuantizedXLA{functionality::Quantized, backend::XLA}, QuantizedMPS{functionality::Quantized, backend::MPS},
    QuantizedIPU{functionality::Quantized, backend::IPU}, QuantizedXPU{functionality::Quantized, backend::XPU},
    QuantizedHPU{functionality::Quantized, backend::HPU}, QuantizedVE{functionality::Quantized, backend::VE},
    QuantizedLazy{functionality::Quantized, backend::Lazy}, QuantizedMTIA{functionality::Quantized, backend::MTIA},
    QuantizedPrivateUse1{functionality::Quantized, backend::PrivateUse1},
    QuantizedPrivateUse2{functionality::Quantized, backend::PrivateUse2},
    QuantizedPrivateUse3{functionality::Quantized, backend::PrivateUse3},
    QuantizedPrivateUse4{functionality::Quantized, backend::PrivateUse4},
    QuantizedPrivateUse5{functionality::Quantized, backend::PrivateUse5},
    QuantizedPrivateUse6{functionality::Quantized, backend::PrivateUse6},
    QuantizedPrivateUse7{functionality::Quantized, backend::PrivateUse7},
    QuantizedPrivateUse8{functionality::Quantized, backend::PrivateUse8},
    QuantizedMeta{functionality::Quantized, backend::Meta};

inline constexpr dispatch_key  // Sparse, one per backend
    SparseCPU{functionality::Sparse, backend::CPU},
    SparseCUDA{functionality::Sparse, backend::CUDA}, SparseHIP{functionality::Sparse, backend::HIP},
    SparseXLA{functionality::Sparse, backend::XLA}, SparseMPS{functionality::Sparse, backend::MPS},
    SparseIPU{functionality::Sparse, backend::IPU}, SparseXPU{functionality::Sparse, backend::XPU},
    SparseHPU{functionality::Sparse, backend::HPU}, SparseVE{functionality::Sparse, backend::VE},
    SparseLazy{functionality::Sparse, backend::Lazy}, SparseMTIA{functionality::Sparse, backend::MTIA},
    SparsePrivateUse1{functionality::Sparse, backend::PrivateUse1},
    SparsePrivateUse2{functionality::Sparse, backend::PrivateUse2},
    SparsePrivateUse3{functionality::Sparse, backend::PrivateUse3},
    SparsePrivateUse4{functionality::Sparse, backend::PrivateUse4},
    SparsePrivateUse5{functionality::Sparse, backend::PrivateUse5},
    SparsePrivateUse6{functionality::Sparse, backend::PrivateUse6},
    SparsePrivateUse7{functionality::Sparse, backend::PrivateUse7},
    SparsePrivateUse8{functionality::Sparse, backend::PrivateUse8}, SparseMeta{functionality::Sparse, backend::Meta};

inline constexpr dispatch_key  // SparseCsr, one per backend
    SparseCsrCPU{functionality::SparseCsr, backend::CPU},
    SparseCsrCUDA{functionality::SparseCsr, backend::CUDA}, SparseCsrHIP{functionality::SparseCsr, backend::HIP},
    SparseCsrXLA{functionality::SparseCsr, backend::XLA}, SparseCsrMPS{functionality::SparseCsr, backend::MPS},
    SparseCsrIPU{functionality::SparseCsr, backend::IPU}, SparseCsrXPU{functionality::SparseCsr, backend::XPU},
    SparseCsrHPU{functionality::SparseCsr, backend::HPU}, SparseCsrVE{functionality::SparseCsr, backend::VE},
    SparseCsrLazy{functionality::SparseCsr, backend::Lazy}, SparseCsrMTIA{functionality::SparseCsr, backend::MTIA},
    SparseCsrPrivateUse1{functionality::SparseCsr, backend::PrivateUse1},
    SparseCsrPrivateUse2{functionality::SparseCsr, backend::PrivateUse2},
    SparseCsrPrivateUse3{functionality::SparseCsr, backend::PrivateUse3},
    SparseCsrPrivateUse4{functionality::SparseCsr, backend::PrivateUse4},
    SparseCsrPrivateUse5{functionality::SparseCsr, backend::PrivateUse5},
    SparseCsrPrivateUse6{functionality::SparseCsr, backend::PrivateUse6},
    SparseCsrPrivateUse7{functionality::SparseCsr, backend::PrivateUse7},
    SparseCsrPrivateUse8{functionality::SparseCsr, backend::PrivateUse8},
    SparseCsrMeta{functionality::SparseCsr, backend::Meta};

inline constexpr dispatch_key  // NestedTensor, one per backend
    NestedTensorCPU{functionality::NestedTensor, backend::CPU},
    NestedTensorCUDA{functionality::NestedTensor, backend::CUDA},
    NestedTensorHIP{functionality::NestedTensor, backend::HIP},
    NestedTensorXLA{functionality::NestedTensor, backend::XLA},
    NestedTensorMPS{functionality::NestedTensor, backend::MPS},
    NestedTensorIPU{functionality::NestedTensor, backend::IPU},
    NestedTensorXPU{functionality::NestedTensor, backend::XPU},
    NestedTensorHPU{functionality::NestedTensor, backend::HPU},
    NestedTensorVE{functionality::NestedTensor, backend::VE},
    NestedTensorLazy{functionality::NestedTensor, backend::Lazy},
    NestedTensorMTIA{functionality::NestedTensor, backend::MTIA},
    NestedTensorPrivateUse1{functionality::NestedTensor, backend::PrivateUse1},
    NestedTensorPrivateUse2{functionality::NestedTensor, backend::PrivateUse2},
    NestedTensorPrivateUse3{functionality::NestedTensor, backend::PrivateUse3},
    NestedTensorPrivateUse4{functionality::NestedTensor, backend::PrivateUse4},
    NestedTensorPrivateUse5{functionality::NestedTensor, backend::PrivateUse5},
    NestedTensorPrivateUse6{functionality::NestedTensor, backend::PrivateUse6},
    NestedTensorPrivateUse7{functionality::NestedTensor, backend::PrivateUse7},
    NestedTensorPrivateUse8{functionality::NestedTensor, backend::PrivateUse8},
    NestedTensorMeta{functionality::NestedTensor, backend::Meta};

inline constexpr dispatch_key  // Autograd, one per backend
    AutogradCPU{functionality::Autograd, backend::CPU},
    AutogradCUDA{functionality::Autograd, backend::CUDA}, AutogradHIP{functionality::Autograd, backend::HIP},
    AutogradXLA{functionality::Autograd, backend::XLA}, AutogradMPS{functionality::Autograd, backend::MPS},
    AutogradIPU{functionality::Autograd, backend::IPU}, AutogradXPU{functionality::Autograd, backend::XPU},
    AutogradHPU{functionality::Autograd, backend::HPU}, AutogradVE{functionality::Autograd, backend::VE},
    AutogradLazy{functionality::Autograd, backend::Lazy}, AutogradMTIA{functionality::Autograd, backend::MTIA},
    AutogradPrivateUse1{functionality::Autograd, backend::PrivateUse1},
    AutogradPrivateUse2{functionality::Autograd, backend::PrivateUse2},
    AutogradPrivateUse3{functionality::Autograd, backend::PrivateUse3},
    AutogradPrivateUse4{functionality::Autograd, backend::PrivateUse4},
    AutogradPrivateUse5{functionality::Autograd, backend::PrivateUse5},
    AutogradPrivateUse6{functionality::Autograd, backend::PrivateUse6},
    AutogradPrivateUse7{functionality::Autograd, backend::PrivateUse7},
    AutogradPrivateUse8{functionality::Autograd, backend::PrivateUse8},
    AutogradMeta{functionality::Autograd, backend::Meta};

inline constexpr dispatch_key  // Autocast, one per backend
    AutocastCPU{functionality::Autocast, backend::CPU},
    AutocastCUDA{functionality::Autocast, backend::CUDA}, AutocastHIP{functionality::Autocast, backend::HIP},
    AutocastXLA{functionality::Autocast, backend::XLA}, AutocastMPS{functionality::Autocast, backend::MPS},
    AutocastIPU{functionality::Autocast, backend::IPU}, AutocastXPU{functionality::Autocast, backend::XPU},
    AutocastHPU{functionality::Autocast, backend::HPU}, AutocastVE{functionality::Autocast, backend::VE},
    AutocastLazy{functionality::Autocast, backend::Lazy}, AutocastMTIA{functionality::Autocast, backend::MTIA},
    AutocastPrivateUse1{functionality::Autocast, backend::PrivateUse1},
    AutocastPrivateUse2{functionality::Autocast, backend::PrivateUse2},
    AutocastPrivateUse3{functionality::Autocast, backend::PrivateUse3},
    AutocastPrivateUse4{functionality::Autocast, backend::PrivateUse4},
    AutocastPrivateUse5{functionality::Autocast, backend::PrivateUse5},
    AutocastPrivateUse6{functionality::Autocast, backend::PrivateUse6},
    AutocastPrivateUse7{functionality::Autocast, backend::PrivateUse7},
    AutocastPrivateUse8{functionality::Autocast, backend::PrivateUse8},
    AutocastMeta{functionality::Autocast, backend::Meta};

inline constexpr dispatch_key  // one slot each
    FPGA{functionality::FPGA},
    MSNPU{functionality::MSNPU}, MLC{functionality::MLC}, Vulkan{functionality::Vulkan}, Metal{functionality::Metal},
    CustomRNGKeyId{functionality::CustomRNGKeyId}, MkldnnCPU{functionality::MkldnnCPU},
    BackendSelect{functionality::BackendSelect}, Pending{functionality::Pending},
    UserBottom1{functionality::UserBottom1}, UserBottom2{functionality::UserBottom2},
    ModesBelow{functionality::ModesBelow}, Functionalize{functionality::Functionalize},
    Conjugate{functionality::Conjugate}, Negative{functionality::Negative}, ZeroTensor{functionality::ZeroTensor},
    ADInplaceOrView{functionality::ADInplaceOrView}, AutogradOther{functionality::AutogradOther},
    AutogradNestedTensor{functionality::AutogradNestedTensor}, ForwardAD{functionality::ForwardAD},
    UserMiddle1{functionality::UserMiddle1}, UserMiddle2{functionality::UserMiddle2}, Tracer{functionality::Tracer},
    FuncTorchBatched{functionality::FuncTorchBatched}, FuncTorchVmapMode{functionality::FuncTorchVmapMode},
    TestMode{functionality::TestMode}, ModesAbove{functionality::ModesAbove}, UserTop1{functionality::UserTop1},
    UserTop2{functionality::UserTop2};
inline constexpr dispatch_key MAIA = MSNPU;  // a second spelling

inline constexpr building_block Dense{functionality::Dense}, Quantized{functionality::Quantized},
    Sparse{functionality::Sparse}, SparseCsr{functionality::SparseCsr}, NestedTensor{functionality::NestedTensor},
    AutogradFunctionality{functionality::Autograd}, AutocastFunctionality{functionality::Autocast};

inline constexpr alias_key Autograd{0}, CompositeImplicitAutograd{1}, CompositeExplicitAutograd{2},
    CompositeExplicitAutogradNonFunctional{3}, CompositeImplicitAutogradNestedTensor{4},
    FuncTorchBatchedDecomposition{5}, Autocast{6}, AnySparse{7}, AnySparseCsr{8}, AnyQuantized{9};

}  // namespace key

namespace author {

/// The autograd key that a tensor of this backend carries. The one relation between backends and autograd keys:
/// extraction, table building and the guards all read it, so every backend behaves alike.
export constexpr dispatch_key autograd_key_of(backend b) noexcept {
  return b == backend::none ? key::AutogradOther : dispatch_key{functionality::Autograd, b};
}

}  // namespace author

static_assert(author::functionality_count == 36 && author::backend_count == 20);
static_assert(sizeof(dispatch_key) == 2);

}  // namespace topbit
