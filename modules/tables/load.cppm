// Tables that are read when the program runs, for plugins: kernels are given by name, schemas are only text.
export module topbit.tables:load;

import topbit.std;
import topbit.core;
import :check;
import :entry;
import :functions;
import :library;
import :position;

export namespace topbit::tables {

/// A kernel by the name that tables call it by.
struct kernel {
  std::string name;
  /// Registers it for this operator.
  std::function<void(library_block&, std::string_view op, key_target, std::source_location)> add;
};

/// A function whose types are those that the schema stands for, or a boxed kernel.
template <auto Fn>
kernel kernel_named(std::string name) {
  return {std::move(name), [](library_block& b, std::string_view op, key_target key, std::source_location where) {
            if constexpr (boxed_kernel<Fn>)
              b.impl_boxed(op, key, Fn, where);
            else
              b.impl<Fn>(op, key, where);
          }};
}
/// The same by a pointer that is known only when the program runs.
template <class F>
  requires std::is_pointer_v<F>
kernel kernel_named(std::string name, F pointer) {
  return {std::move(name), [pointer](library_block& b, std::string_view op, key_target key,
                                     std::source_location where) { b.impl_pointer(op, key, pointer, where); }};
}

}  // namespace topbit::tables

namespace topbit::tables {

template <class T>
struct kernel_from;
template <fixed_string Name, auto Fn>
struct kernel_from<named<Name, Fn>> {
  static kernel make() { return kernel_named<Fn>(std::string(Name.view())); }
};

// A table's entries, which point into the text.
struct table_entries {
  std::vector<table_entry> entries;
  std::vector<dispatch_item> items;
  std::vector<named_place> autogens;
  std::vector<std::uint32_t> slots;
  mistake wrong;
  table_view view() const noexcept { return {entries, items, autogens, slots}; }
};
table_entries read_entries(std::string_view text, bool lenient);
std::string content_of(const std::string& path);
// Where the character of this index, from 0, of what the scalar stands for is in the text.
position position_in(const scalar& s, std::size_t index);
// The first mistake in the schemas, which are read without their types' meaning; adds nothing for a good one.
mistake check_schema(const table_entry& e);

}  // namespace topbit::tables

export namespace topbit::tables {

/// The kernels of a list that library_from() takes.
template <class... Named>
std::vector<kernel> kernels_of() {
  return {kernel_from<Named>::make()...};
}

/// Reads the file, owns the namespace `ns`, which entries need not repeat, defines the operators of the table and
/// registers the kernels that it names, of those given. Types of schemas are those that register_schema_types() was
/// told of. Throws bad_argument where the file cannot be read, and bad_registration with "file:line:column: " in front
/// of the first mistake, or of the reason why a registration is refused; nothing of it remains then. Structured forms
/// that delegate are refused: their kernels are made by the compiler, in library_from().
library_block load_operator_table(const std::string& path, std::string_view ns, std::span<const kernel> kernels,
                                  registry& r = registry::process(),
                                  std::source_location where = std::source_location::current());

/// The same of a text; `file` is what messages call it.
library_block library_from_text(std::string_view text, std::string_view file, std::string_view ns,
                                std::span<const kernel> kernels, registry& r = registry::process(),
                                std::source_location where = std::source_location::current());

}  // namespace topbit::tables
