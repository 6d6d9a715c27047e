module;

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/join.hpp>

module topbit.core;

import topbit.std;
import :inspect.wording;
import :registry.fork;

namespace topbit {

namespace views = ranges::views;

namespace {

struct publication {
  std::uint64_t id;
  author::page_group group;
};

struct all_publications {
  std::mutex mutex;
  std::vector<publication> list;
  std::uint64_t last_id = 0;
};
// Never destroyed: documentation may be withdrawn during static destruction.
all_publications& publications() {
  static auto* const all = new all_publications;
  return *all;
}

}  // namespace

std::mutex& detail::mutex_of_pages() noexcept { return publications().mutex; }

namespace {

void withdraw(std::uint64_t id) noexcept {
  if (id == 0) return;
  all_publications& all = publications();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.list, [&](const publication& p) { return p.id == id; });
}

constexpr std::size_t label_width = 9;

void add_line(std::string& text, std::string_view label, std::string_view words) {
  if (words.empty()) return;
  text += "  ";
  text += label;
  text.append(label_width - label.size(), ' ');
  text += words;
  text += '\n';
}

std::string joined(const std::vector<std::string>& words) {
  return words | views::join(std::string(", ")) | ranges::to<std::string>();
}

std::string example_line(const author::page_example& e) {
  return std::string(e.call) + (e.results.empty() ? "" : " = " + std::string(e.results));
}

// Drops the prefix topbit::.
std::string_view short_variable(std::string_view name) noexcept {
  constexpr std::string_view ours = "topbit::";
  return name.starts_with(ours) ? name.substr(ours.size()) : name;
}

// The text after the line with the operator's name.
std::string body_of(const author::operator_page& p, registry& r) {
  const author::page_lines& l = p.lines;
  std::string text;
  add_line(text, "Shapes", l.shapes);
  add_line(text, "Dtypes", l.dtypes);
  add_line(text, "Keys", joined(author::keys_of_page(p, r)));
  add_line(text, "Tags", topbit::to_string(author::tags_of_page(p, r)));
  add_line(text, "Memory", l.memory);
  add_line(text, "Cost", l.cost);
  std::string_view label = "Errors";
  for (const author::page_error& e : l.errors) {
    if (e.type.empty()) continue;
    add_line(text, label, std::string(e.type) + ": " + std::string(e.when));
    label = "";
  }
  label = "Example";
  for (const author::page_example& e : l.examples) {
    if (e.call.empty()) continue;
    add_line(text, label, example_line(e));
    label = "";
  }
  std::size_t widest = 0;
  for (const author::page_operator& o : p.operators) widest = std::max(widest, short_variable(o.variable).size());
  label = "Forms";
  for (const author::page_operator& o : p.operators) {
    std::string form(short_variable(o.variable));
    form.append(widest + 2 - form.size(), ' ');
    add_line(text, label, form += o.op->schema);
    label = "";
  }
  return text;
}

std::string anchor_of(std::string_view title) {
  std::string anchor;
  for (const char c : title) {
    if (c == ' ')
      anchor += '-';
    else if ((c >= 'A' && c <= 'Z'))
      anchor += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')
      anchor += c;
  }
  return anchor;
}

}  // namespace

namespace detail {

void refuse_page(const char* what) { throw error(what); }

}  // namespace detail

namespace author {

published_pages& published_pages::operator=(published_pages&& other) noexcept {
  if (this != &other) withdraw(std::exchange(id_, std::exchange(other.id_, 0)));
  return *this;
}

published_pages::~published_pages() { withdraw(id_); }

published_pages publish_pages(page_group group) {
  all_publications& all = publications();
  const std::lock_guard lock(all.mutex);
  all.list.push_back({++all.last_id, group});
  return published_pages(all.last_id);
}

std::vector<page_group> operator_pages() {
  all_publications& all = publications();
  const std::lock_guard lock(all.mutex);
  std::vector<page_group> groups;
  for (const publication& p : all.list) groups.push_back(p.group);
  return groups;
}

std::vector<std::string> keys_of_page(const operator_page& p, registry& r) {
  std::vector<std::string> keys;
  const std::optional<operator_handle> op = r.try_find(p.operators.front().op->name);
  if (!op.has_value()) return keys;
  for (const inspect::kernel_dump& k : dump(*op).kernels) {
    if (!k.overridden_by.has_value() && k.form != inspect::kernel_form::fallthrough)
      keys.push_back(topbit::to_string(k.key) + detail::note_text(k.note));
  }
  return keys;
}

tag_set tags_of_page(const operator_page& p, registry& r) {
  const std::optional<operator_handle> op = r.try_find(p.operators.front().op->name);
  return op.has_value() ? op->tags() : tag_set();
}

std::string to_string(const operator_page& p, registry& r) {
  return std::string(p.operators.front().op->name) + "\n  " + std::string(p.lines.summary) + "\n" + body_of(p, r);
}

std::string to_markdown(std::span<const page_group> groups, registry& r) {
  std::string contents, text;
  for (const page_group& g : groups) {
    std::string names, pages;
    for (const operator_page& p : g.pages) {
      const std::string_view name = p.operators.front().op->name;
      names += (names.empty() ? "" : ", ") + ("[" + std::string(name) + "](#" + anchor_of(name) + ")");
      pages += "### " + std::string(name) + "\n\n" + std::string(p.lines.summary) + "\n\n```text\n" + body_of(p, r) +
               "```\n\n";
    }
    contents += "- [" + std::string(g.title) + "](#" + anchor_of(g.title) + "): " + names + "\n";
    text += "## " + std::string(g.title) + "\n\n" + pages;
  }
  if (!text.empty()) text.pop_back();
  return contents + "\n" + text;
}

}  // namespace author

}  // namespace topbit
