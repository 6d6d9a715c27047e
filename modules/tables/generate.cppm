// Declarations in C++ for a table: names, which the compiler cannot make from a text.
export module topbit.tables:generate;

import topbit.std;
import topbit.core;

export namespace topbit::tables {

/// What the declarations are made for.
struct generator_options {
  std::string ns;                      // of the operators, and of the declarations
  std::string module;                  // that is made
  std::string file;                    // of the table, for messages
  std::string header;                  // that has the table's text as a constant
  std::string constant;                // its name
  std::vector<std::string> imports{};  // besides topbit.core and topbit.tables; topbit.tensor where empty and needed
};

/// A module interface: the table, an `inline constexpr topbit::op<...>` for each entry by its name (sub.out is
/// sub_out), declarations of the functions that it names, in the namespace `kernels`, and `kernel_list`, which
/// library_from() takes. Implement the functions in a unit of the module. The interface asserts that it fits the table:
/// one made of an older table does not compile. Throws bad_argument with "file:line:column: " for a mistake in the
/// table, or one that no name in C++ can be made of, and where two entries would have one name.
std::string generate(std::string_view text, const generator_options& options);

}  // namespace topbit::tables
