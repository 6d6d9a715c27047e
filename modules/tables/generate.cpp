module topbit.tables;

import topbit.std;
import topbit.core;

namespace topbit::tables {

namespace {

class generator {
 public:
  generator(std::string_view text, const generator_options& options) : o_(options), t_(read_entries(text, false)) {
    if (t_.wrong.ok()) t_.wrong = check_entries(t_.view(), t_.slots);
    if (t_.wrong.ok()) t_.wrong = check_namespaces(t_.entries, o_.ns);
    if (!t_.wrong.ok()) refuse(t_.wrong);
  }

  std::string text() {
    for (const table_entry& e : t_.entries) {
      if (const mistake m = check_schema(e); !m.ok()) refuse(m);
      add_operator(e);
    }
    for (const table_entry& e : t_.entries) add_functions(e);
    return "// Made by 'topbit generate' of " + o_.file +
           ", and checked against it when it is compiled. Do not edit.\n" +
           "// clang-format off\nmodule;\n\n#include \"" + o_.header + "\"\n\nexport module " + o_.module + ";\n\n" +
           imports() + "\nexport namespace " + o_.ns + " {\n\ninline constexpr topbit::tables::table table{\"" + o_.ns +
           "\", " + o_.constant + ", \"" + o_.file + "\"};\n\n" + operators_ + "\nnamespace kernels {\n\n" +
           functions_ + "\n}  // namespace kernels\n\nusing kernel_list = topbit::tables::functions<" + list_ +
           ">;\n\nstatic_assert(topbit::tables::check_declarations<table" + types_ + ">());\n\n}  // namespace " +
           o_.ns + "\n";
  }

 private:
  [[noreturn]] void refuse(const mistake& m) const { throw bad_argument(std::string(sentence_of(o_.file, m).view())); }

  std::string imports() const {
    std::string text;
    std::vector<std::string> all{"topbit.core", "topbit.tables"};
    all.insert(all.end(), o_.imports.begin(), o_.imports.end());
    if (o_.imports.empty() && takes_tensors_) all.emplace_back("topbit.tensor");
    std::sort(all.begin(), all.end());
    for (const std::string& m : all) text += "import " + m + ";\n";
    return text;
  }

  void add_operator(const table_entry& e) {
    const std::string name = identifier_of(e.name);
    if (const auto [other, is_new] = names_.try_emplace(name, e.at.line); !is_new) {
      mistake m{.at = e.func.at};
      m.text.add("found '").add(e.name).add("', which is called ").add(name).add(" in C++ like the entry in line ");
      m.text.add(other->second).add("; rename one");
      refuse(m);
    }
    takes_tensors_ |= e.func.text().find("Tensor") != std::string::npos;
    operators_ += "inline constexpr topbit::op<\"" + quoted(schema_of(e)) + "\"> " + name + ";\n";
    types_ += ", " + name;
  }

  void add_functions(const table_entry& e) {
    for (const dispatch_item& i : t_.view().items_of(e)) add_function(i.function, i.function_at, schema_of(e));
    if (!e.gradient.name.empty()) add_function(e.gradient.name, e.gradient.at, schema_of(e));
    if (!e.has_dispatch && e.structured_delegate.name.empty())
      add_function(e.name.substr(0, e.name.find('.')), e.func.at, schema_of(e));
    if (!e.structured_delegate.name.empty() && shapes_.insert(std::string(e.structured_delegate.name)).second)
      add_shape(e);
  }
  void add_function(std::string_view name, position at, const std::string& schema) {
    if (name.find(':') != name.npos) {
      mistake m{.at = at};
      m.text.add("found the function '").add(name).add("', wanted a name without a namespace, which it is declared by");
      refuse(m);
    }
    const std::string function(name);
    const auto [other, is_new] = declared_.try_emplace(function, signature_of(schema));
    if (is_new) {
      functions_ += "topbit::author::schema_signature<\"" + quoted(schema) + "\"> " + function + ";\n";
      list_ += (list_.empty() ? "\n    " : ",\n    ") +
               ("topbit::tables::named<\"" + function + "\", &kernels::" + function + ">");
    } else if (other->second != signature_of(schema)) {
      mistake m{.at = at};
      m.text.add("found the function '").add(name).add("' for schemas of different types, wanted one for each");
      refuse(m);
    }
  }
  // The shape function has the types of the functional form.
  void add_shape(const table_entry& e) {
    const std::string out(e.structured_delegate.name);
    const std::string function = identifier_of(out) + "_shape";
    functions_ += "topbit::author::schema_signature<\"" + quoted(schema_of(e)) + "\"> " + function + ";\n";
    list_ +=
        (list_.empty() ? "\n    " : ",\n    ") + ("topbit::tables::shape<\"" + out + "\", &kernels::" + function + ">");
  }

  static std::string identifier_of(std::string_view name) {
    std::string all(name);
    for (char& c : all) {
      if (c == '.') c = '_';
    }
    return all;
  }
  std::string schema_of(const table_entry& e) const {
    return (e.ns.empty() ? o_.ns + "::" : std::string()) + e.func.text();
  }
  // The types alone.
  static std::string signature_of(const std::string& text) {
    const schema parsed(text);
    std::string types;
    const auto add = [&](const author::schema_item& i) {
      types += std::string(i.type) + (i.writes ? "!" : "");
      for (const author::type_modifier m : i.modifiers) types += static_cast<char>('0' + static_cast<int>(m));
      types += ',';
    };
    for (const author::schema_item& i : parsed.view().arguments) add(i);
    types += "->";
    for (const author::schema_item& i : parsed.view().returns) add(i);
    return types;
  }
  static std::string quoted(const std::string& text) {
    std::string all;
    for (const char c : text) {
      if (c == '"' || c == '\\') all += '\\';
      all += c;
    }
    return all;
  }

  const generator_options& o_;
  table_entries t_;
  bool takes_tensors_ = false;
  std::string operators_, functions_, list_, types_;
  std::map<std::string, std::uint32_t> names_;
  std::map<std::string, std::string> declared_;
  std::unordered_set<std::string> shapes_;
};

}  // namespace

std::string generate(std::string_view text, const generator_options& options) {
  return generator(text, options).text();
}

}  // namespace topbit::tables
