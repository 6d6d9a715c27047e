module topbit.core;

import topbit.std;
import :registry.entry;

namespace topbit {

namespace {

class text_call {
 public:
  explicit text_call(const operator_handle& op) : op_(op), entry_(detail::entry_of(detail::handle_access::entry(op))) {
    if (const schema* s = entry_.schema_of().parsed()) items_ = s->view().arguments;
    given_.resize(entry_.signature->arguments);
  }

  void give(std::string_view text) {
    author::text_reader in(text);
    const std::string_view name = in.word();
    if (!name.empty() && in.take('=')) return give_named(name, text.substr(in.column() - 1));
    const std::size_t index = positional_++;
    if (named_) fail(": found the positional argument '" + quotable(text) + "' after one by name");
    if (index >= given_.size()) return;  // the number of arguments is checked in run()
    if (index < items_.size() && items_[index].keyword_only) {
      fail(label(index) + ": found '" + quotable(text) + "' by position, wanted '" + std::string(items_[index].name) +
           "=...', since it is keyword-only");
    }
    given_[index] = text;
  }

  std::vector<std::string> run() {
    if (positional_ > given_.size()) {
      fail(": found " + std::to_string(positional_) + " arguments, wanted " +
           (given_.empty() ? "none" : "at most " + std::to_string(given_.size())));
    }
    boxed_stack s;
    for (std::size_t i = 0; i < given_.size(); ++i) s.push(read(i));
    op_.call_boxed(s);
    std::vector<std::string> results;
    for (const value& v : std::as_const(s).top(s.size())) results.push_back(to_string(v));
    return results;
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

  value read(std::size_t i) const {
    const detail::slot_info& slot = entry_.signature->argument_slots[i];
    std::optional<std::string_view> text = given_[i];
    if (!text && i < items_.size() && items_[i].has_default) text = items_[i].default_text;
    if (!text) fail(label(i) + ": found nothing, wanted '" + wanted(slot) + "'");
    try {
      author::text_reader in(*text);
      if (i < items_.size() && items_[i].modifiers[0] == author::type_modifier::list &&
          (items_[i].list_size > 0 || items_[i].type == "int")) {
        in.set_lone_elements(detail::copies_of_number(items_[i].list_size));
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
      fail(label(i) + ": " + e.what());
    }
  }

  static std::string wanted(const detail::slot_info& slot) {
    return std::string(slot.type->name()) + (slot.optional ? "' or 'None" : "");
  }
  static std::string quotable(std::string_view text) {
    constexpr std::size_t most = 24;
    std::string quoted;
    detail::write_quoted(quoted, text.substr(0, most), '\'', true);
    return quoted.substr(1, quoted.size() - 2) + (text.size() > most ? "..." : "");
  }
  std::string label(std::size_t i) const { return ", " + entry_.argument_label(i); }
  [[noreturn]] void fail(const std::string& what) const {
    throw bad_argument(std::string(op_.name()) + what, std::string(op_.name()));
  }

  const operator_handle& op_;
  const detail::entry& entry_;
  std::span<const author::schema_item> items_;  // empty if only a C++ signature is known
  std::vector<std::optional<std::string_view>> given_;
  std::size_t positional_ = 0;
  bool named_ = false;
};

}  // namespace

std::vector<std::string> call_text(const operator_handle& op, std::span<const std::string_view> arguments) {
  text_call call(op);
  for (std::string_view text : arguments) call.give(text);
  return call.run();
}

}  // namespace topbit
