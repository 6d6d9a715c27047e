// Payloads of layouts whose data are ordinary tensors: what printing, copying and files need to know of them.
export module topbit.tensor:layout_payload;

import topbit.std;
import topbit.core;
import :device;
import :dtype;
import :shape;
import :storage;
import :handle;

export namespace topbit::author {

/// The base of a payload that consists of tensors, such as the indices and values of a sparse tensor. With it, tensors
/// of the layout are printed, copied part by part, and stored in files, by code that does not know the layout.
struct layout_payload : tensor_extension {
  /// An undefined value says that the part is absent.
  struct part {
    std::string_view name;
    tensor value;
  };

  /// In a fixed order; the names are literals.
  virtual std::vector<part> parts() const = 0;
  /// What the parts do not say, as text without spaces around it: "group=32 bits=4". Empty unless overridden.
  virtual std::string attributes() const;
  /// A payload of the same class with these parts, as many as parts() gives and in its order: copies, or the parts on
  /// another device.
  virtual intrusive_ptr<tensor_extension> with_parts(std::span<const tensor> parts) const = 0;
};

/// The payload of t if it consists of tensors, else null.
const layout_payload* parts_of(const tensor& t) noexcept;

/// A tensor with the sizes and layout of t and other parts, which are on the device of the result and as many as t has.
/// `type` is its dtype. Throws layout_error if the payload of t does not consist of tensors.
tensor with_parts(const tensor& t, std::span<const tensor> parts, dtype type, device where);

/// Makes a tensor from its named parts, as they were stored, and from the text of attributes(). Checks all that it is
/// given: the parts may come from a file that somebody else wrote. Throws error or a class derived from it.
using layout_reader = tensor (*)(const shape& sizes, dtype type, std::span<const layout_payload::part> parts,
                                 std::string_view attributes);

/// Called by the module of a layout when it is loaded; a later reader replaces an earlier one. Thread-safe.
void register_layout(layout l, layout_reader reader);
/// Throws layout_error if no module in the program has registered one.
layout_reader reader_of(layout l);

}  // namespace topbit::author
