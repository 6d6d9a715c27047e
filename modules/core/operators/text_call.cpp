module topbit.core;

import topbit.std;
import :registry.entry;

namespace topbit {

namespace {

const detail::entry& entry_of(const operator_handle& op) { return detail::entry_of(detail::handle_access::entry(op)); }
// Empty if only a C++ signature is known.
std::span<const author::schema_item> arguments_of(const operator_handle& op) {
  const author::schema_view* const s = op.parsed_schema();
  return s != nullptr ? s->arguments : std::span<const author::schema_item>();
}
[[noreturn]] void fail(const operator_handle& op, const std::string& what) {
  throw bad_argument(std::string(op.name()) + what, std::string(op.name()));
}
std::string label(const operator_handle& op, std::size_t i) { return ", " + op.argument_label(i); }

class text_call {
 public:
  explicit text_call(const operator_handle& op) : op_(op), items_(arguments_of(op)), given_(op.argument_count()) {}

  void give(std::string_view text) {
    author::text_reader in(text);
    const std::string_view name = in.word();
    if (!name.empty() && in.take('=')) return give_named(name, text.substr(in.column() - 1));
    const std::size_t index = positional_++;
    if (named_) fail(": found the positional argument '" + quotable(text) + "' after one by name");
    if (index >= given_.size()) return;  // the number of arguments is checked in push_on()
    if (index < items_.size() && items_[index].keyword_only) {
      fail(label(index) + ": found '" + quotable(text) + "' by position, wanted '" + std::string(items_[index].name) +
           "=...', since it is keyword-only");
    }
    given_[index] = text;
  }

  void push_on(boxed_stack& s) {
    if (positional_ > given_.size()) {
      fail(": found " + std::to_string(positional_) + " arguments, wanted " +
           (given_.empty() ? "none" : "at most " + std::to_string(given_.size())));
    }
    std::size_t i = 0;
    try {
      for (; i < given_.size(); ++i) s.push(author::read_argument(op_, i, text_of(i)));
    } catch (...) {
      s.drop(i);
      throw;
    }
  }

 private:
  void give_named(std::string_view name, std::string_view text) {
    named_ = true;
    if (items_.empty()) {
      fail(": found '" + std::string(name) + "=', but its arguments have no names; quote a string that contains '='");
    }
    std::string known;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      known += (i == 0 ? "'" : ", '") + std::string(items_[i].name) + "'";
      if (items_[i].name != name) continue;
      if (given_[i].has_value()) fail(label(i) + ": found a second value for it");
      given_[i] = text;
      return;
    }
    fail(": found the argument name '" + std::string(name) + "', wanted one of " + known);
  }

  std::string_view text_of(std::size_t i) const {
    if (given_[i]) return *given_[i];
    if (i < items_.size() && items_[i].has_default) return items_[i].default_text;
    const detail::slot_info& slot = entry_of(op_).signature->argument_slots[i];
    fail(label(i) + ": found nothing, wanted '" + std::string(slot.type->name()) +
         (slot.optional ? "' or 'None'" : "'"));
  }
  static std::string quotable(std::string_view text) {
    constexpr std::size_t most = 24;
    std::string quoted;
    detail::write_quoted(quoted, text.substr(0, most), '\'', true);
    return quoted.substr(1, quoted.size() - 2) + (text.size() > most ? "..." : "");
  }
  std::string label(std::size_t i) const { return topbit::label(op_, i); }
  [[noreturn]] void fail(const std::string& what) const { topbit::fail(op_, what); }

  const operator_handle& op_;
  std::span<const author::schema_item> items_;
  std::vector<std::optional<std::string_view>> given_;
  std::size_t positional_ = 0;
  bool named_ = false;
};

}  // namespace

value author::read_argument(const operator_handle& op, std::size_t index, std::string_view text) {
  if (index >= op.argument_count()) {
    fail(op, ": found argument number " + std::to_string(index) + ", wanted one below " +
                 std::to_string(op.argument_count()));
  }
  const detail::slot_info& slot = entry_of(op).signature->argument_slots[index];
  const std::span<const schema_item> items = arguments_of(op);
  try {
    text_reader in(text);
    if (index < items.size() && items[index].modifiers[0] == type_modifier::list &&
        (items[index].list_size > 0 || items[index].type == "int")) {
      in.set_lone_elements(detail::copies_of_number(items[index].list_size));
    }
    value v;
    if (!slot.optional || !in.take_word("None")) {
      if (slot.type->read == nullptr) {
        throw bad_argument("type '" + std::string(slot.type->name()) +
                           "' cannot be read from text; specialise topbit::boxed_type for it, with read()");
      }
      v = detail::read_value(*slot.type, in);
    }
    in.expect_end();
    return v;
  } catch (const error& e) {
    fail(op, label(op, index) + ": " + e.what());
  }
}

void author::push_arguments(boxed_stack& s, const operator_handle& op, std::span<const std::string_view> arguments) {
  text_call call(op);
  for (std::string_view text : arguments) call.give(text);
  call.push_on(s);
}

std::vector<std::string> call_text(const operator_handle& op, std::span<const std::string_view> arguments) {
  boxed_stack s;
  author::push_arguments(s, op, arguments);
  op.call_boxed(s);
  std::vector<std::string> results;
  for (const value& v : std::as_const(s).top(s.size())) results.push_back(to_string(v));
  return results;
}

}  // namespace topbit
