// Names of keys and sets: printing is total, parsing accepts what printing makes, aliases included.
export module topbit.core:keys.key_name;

import topbit.std;
import :keys.key;
import :keys.key_set;

namespace topbit {

/// "CPU"; for a private backend the name it was given, if any.
export std::string_view name_of(backend b) noexcept;
export std::string_view name_of(functionality f) noexcept;
export std::string_view name_of(alias_key a) noexcept;

/// "CPU", "SparseCUDA", "AutogradMeta", "BackendSelect"; "Undefined" for no key.
export std::string to_string(dispatch_key k);
export std::string to_string(key_target t);
/// "{CPU, ADInplaceOrView, AutogradCPU}", ascending; "{}" when empty.
export std::string to_string(key_set s);

/// The key with this name, or nothing. A private backend goes by its given name and by its own. Cost: linear in the
/// number of names; for tools and tests.
export std::optional<key_target> parse_key(std::string_view name);

/// The key with this name; throws bad_argument, with the nearest name there is.
export key_target key_named(std::string_view name);
/// The set of these names, as to_string writes it or without its braces: "CPU, AutogradCPU"; an empty text is the empty
/// set. A building block goes by the name of its functionality, "Autograd" among them. Throws bad_argument for a name
/// that is none, with the nearest one there is, and for that of an alias, which is never in a set.
export key_set key_set_named(std::string_view names);

namespace author {

/// True for PrivateUse1 to PrivateUse8, which name_backend() gives names to.
export constexpr bool is_private(backend b) noexcept { return b >= backend::PrivateUse1 && b <= backend::PrivateUse8; }

}  // namespace author

namespace detail {

// The names of the keys as they stand in messages, of the compiler too.
inline constexpr std::array<std::string_view, author::backend_count + 1> backend_names{
    "Undefined",   "CPU",         "CUDA",        "HIP",         "XLA",         "MPS",         "IPU",
    "XPU",         "HPU",         "VE",          "Lazy",        "MTIA",        "PrivateUse1", "PrivateUse2",
    "PrivateUse3", "PrivateUse4", "PrivateUse5", "PrivateUse6", "PrivateUse7", "PrivateUse8", "Meta"};

inline constexpr std::array<std::string_view, author::functionality_count + 1> functionality_names{
    "Undefined",
    "Dense",
    "FPGA",
    "MSNPU",
    "MLC",
    "Vulkan",
    "Metal",
    "Quantized",
    "CustomRNGKeyId",
    "MkldnnCPU",
    "Sparse",
    "SparseCsr",
    "NestedTensor",
    "BackendSelect",
    "Pending",
    "UserBottom1",
    "UserBottom2",
    "ModesBelow",
    "Functionalize",
    "Conjugate",
    "Negative",
    "ZeroTensor",
    "ADInplaceOrView",
    "AutogradOther",
    "Autograd",
    "AutogradNestedTensor",
    "ForwardAD",
    "UserMiddle1",
    "UserMiddle2",
    "Tracer",
    "FuncTorchBatched",
    "FuncTorchVmapMode",
    "Autocast",
    "TestMode",
    "ModesAbove",
    "UserTop1",
    "UserTop2"};

inline constexpr std::array<std::string_view, author::alias_count> alias_names{"Autograd",
                                                                               "CompositeImplicitAutograd",
                                                                               "CompositeExplicitAutograd",
                                                                               "CompositeExplicitAutogradNonFunctional",
                                                                               "CompositeImplicitAutogradNestedTensor",
                                                                               "FuncTorchBatchedDecomposition",
                                                                               "Autocast",
                                                                               "AnySparse",
                                                                               "AnySparseCsr",
                                                                               "AnyQuantized"};

/// "PrivateUse1", whatever name it was given.
std::string canonical_name(backend b);
/// The text must stay for good; empty takes the name away.
void set_backend_name(backend b, std::string_view name) noexcept;
/// Devices go by their names in lower case, so names are told apart by more than case.
bool equal_but_for_case(std::string_view a, std::string_view b) noexcept;
/// What this name for the backend, or for an instance of it, means already, whatever its case; empty if it is free.
std::string key_named_like(std::string_view name, backend b);
/// The key that two backends of these names would both have an instance called: Sparse and "CsrX" make what SparseCsr
/// and "X" make. Empty if there is none.
std::string shared_instance(std::string_view a, std::string_view b);

}  // namespace detail

}  // namespace topbit
