module topbit.tensor;

import topbit.std;
import topbit.core;

namespace topbit {

void author::check_attachable(const tensor& t, const layer_extension& e) {
  if (!t.defined()) throw error("attach: found an undefined tensor, wanted a defined one");
  if (e.attached) throw error("attach: found an extension that a tensor has, wanted one for this tensor alone");
}

namespace {

const author::wrapper_extension* wrapper_of(const tensor& t) noexcept {
  const tensor_extension* e = author::record_of(t).extension.get();
  while (e != nullptr && e->role == author::layer_extension::chained) {
    const auto* const layer = static_cast<const author::layer_extension*>(e);
    if (layer->wraps) return static_cast<const author::wrapper_extension*>(layer);
    e = layer->next.get();
  }
  return nullptr;
}

}  // namespace

bool author::is_wrapper(const tensor& t) noexcept { return wrapper_of(t) != nullptr; }

void detail::refuse_elements(const tensor& t, std::string_view what) {
  if (const author::wrapper_extension* const w = wrapper_of(t)) w->refuse_elements(what);
}

std::uint32_t detail::version_of_wrapped(const tensor& t) noexcept {
  const author::wrapper_extension* const w = wrapper_of(t);
  return w == nullptr ? 0 : w->wrapped.version();
}

bool detail::describe_wrapper(const tensor& t, std::string& text, const print_options& options) {
  const author::wrapper_extension* const w = wrapper_of(t);
  if (w != nullptr) text = w->text(to_string(w->wrapped, options));
  return w != nullptr;
}

}  // namespace topbit
