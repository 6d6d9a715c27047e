// What layers know about a tensor: data that they attach to it, and two facts about its memory.
export module topbit.tensor:layer_facts;

import topbit.std;
import topbit.core;
import :handle;
import :storage;

/// For authors of operators and layers.
export namespace topbit::author {

/// What a layer other than autograd knows about one tensor. A tensor has at most one of each class. They are not
/// copied to views, aliases and results: a layer attaches its own there. One that is kept longer than its tensor keeps
/// what autograd knew of it.
///
///   struct tangent final : author::layer_extension { ... };
///   author::attach(x, intrusive_ptr<tangent>(new tangent(...)));
///   if (tangent* const t = author::extension_of<tangent>(x)) ...
struct layer_extension : tensor_extension {
  static constexpr std::uint8_t chained = 0xff;
  inline layer_extension() noexcept : tensor_extension(chained) {}
  /// What the tensor had before.
  intrusive_ptr<tensor_extension> next;
  bool attached = false;
  /// A wrapper_extension.
  bool wraps = false;
};
/// Of a wrapper, made by make_wrapper(): a tensor that has no elements and stands for another one.
struct wrapper_extension : layer_extension {
  inline explicit wrapper_extension(tensor of) noexcept : wrapped(std::move(of)) { wraps = true; }
  /// Throws the error for a caller that wants the elements: "<what>: the tensor is ...".
  [[noreturn]] virtual void refuse_elements(std::string_view what) const = 0;
  /// The wrapper as text, given that of what it wraps.
  virtual std::string text(std::string of_wrapped) const = 0;

  tensor wrapped;
};
/// The tensor's extension of this class; null if it has none. Cost: one load where no layer has attached any.
template <std::derived_from<layer_extension> T>
T* extension_of(const tensor& t) noexcept {
  tensor_extension* e = record_of(t).extension.get();
  for (; e != nullptr && e->role == layer_extension::chained; e = static_cast<layer_extension*>(e)->next.get()) {
    if (auto* const found = dynamic_cast<T*>(e)) return found;
  }
  return nullptr;
}
/// Takes the tensor's extension of this class away.
template <std::derived_from<layer_extension> T>
void detach_extension(const tensor& t) noexcept {
  intrusive_ptr<tensor_extension>* e = &record_of(t).extension;
  for (; *e && (*e)->role == layer_extension::chained; e = &static_cast<layer_extension*>(e->get())->next) {
    if (dynamic_cast<T*>(e->get()) == nullptr) continue;
    auto* const found = static_cast<layer_extension*>(e->get());
    found->attached = false;
    *e = intrusive_ptr<tensor_extension>(std::move(found->next));
    return;
  }
}
/// Whether the tensor is a wrapper.
bool is_wrapper(const tensor& t) noexcept;
void check_attachable(const tensor& t, const layer_extension& e);
/// Attaches an extension to a tensor, in place of one of the same class. Throws error for an undefined tensor, and for
/// an extension that a tensor has already.
template <std::derived_from<layer_extension> T>
void attach(const tensor& t, intrusive_ptr<T> e) {
  check_attachable(t, *e);
  detach_extension<T>(t);
  e->attached = true;
  add_reference(e.get());
  e->next = std::exchange(record_of(t).extension, intrusive_ptr<tensor_extension>(e.get()));
}

/// Whether operators refuse to write to the tensor's memory, and making them do so: to that of the tensor and of all
/// its views, for good. Kernels read it as any memory; clone() copies to memory that can be written.
inline bool is_read_only(const tensor& t) noexcept {
  const storage* const data = record_of(t).data.get();
  return data != nullptr && data->read_only;
}
inline void make_read_only(const tensor& t) noexcept {
  if (storage* const data = record_of(t).data.get(); data != nullptr) data->read_only = true;
}

/// The number that this thread gives to the memory of new tensors, 0 at first; the setter returns the one before. A
/// layer that gives each of its scopes a greater number can tell memory that was made inside a scope from memory that
/// was there before. The layer's state carries it to other threads, see add_layer_state().
inline std::uint32_t set_birth_number(std::uint32_t n) noexcept {
  return std::exchange(topbit::detail::this_thread_birth, n);
}
/// The number that the tensor's memory was given when it was made; 0 for an undefined tensor.
inline std::uint32_t birth_number(const tensor& t) noexcept {
  const storage* const data = record_of(t).data.get();
  return data == nullptr ? 0 : data->birth;
}

}  // namespace topbit::author
