// A case of a functional operator, asked of its in-place and out forms: no data of their own, the results are the same.
// Include this after every other header: it imports.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "forms.h"
#include "replay.h"

import topbit;

namespace golden {

/// The arguments of a case as the form takes them, and something to read where it is written.
inline one_case asked_of(const form& f, const one_case& c) {
  one_case asked = c;
  if (!f.options_given) {
    std::erase_if(asked.arguments, [](const std::string& text) { return is_option(text.substr(0, text.find('='))); });
  }
  for (const std::string& name : f.outs) asked.arguments.push_back(name + "=0.5");
  return asked;
}

inline int category(tb::dtype t) { return t == tb::dtype::boolean ? 0 : tb::is_integer(t) ? 1 : 2; }

/// To nearest, ties to even.
inline std::uint16_t bfloat16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return static_cast<std::uint16_t>(std::isnan(x) ? 0x7fc0 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/// The element as a type is left of it, made without the library.
inline void convert(const std::byte* from, tb::dtype was, std::byte* to, tb::dtype type) {
  std::int64_t whole = 0;
  const std::optional<double> number = floating_value(tb::name_of(was), from);
  if (!number) {
    std::memcpy(&whole, from, tb::size_of(was));  // the machine is little-endian
    const int unused = 64 - 8 * static_cast<int>(tb::size_of(was));
    if (was != tb::dtype::uint8 && was != tb::dtype::boolean) whole = whole << unused >> unused;
  }
  const auto put = [&](auto x) { std::memcpy(to, &x, sizeof x); };
  const double real = number ? *number : static_cast<double>(whole);
  switch (type) {
    case tb::dtype::float64: return put(real);
    case tb::dtype::float32: return put(static_cast<float>(real));
    case tb::dtype::float16: return put(static_cast<_Float16>(static_cast<float>(real)));
    case tb::dtype::bfloat16: return put(bfloat16_bits(static_cast<float>(real)));
    default: std::memcpy(to, &whole, tb::size_of(type));
  }
}

/// What is wanted where a result is written into elements of another dtype.
inline tb::tensor converted(const tb::tensor& t, tb::dtype type) {
  const tb::tensor to = tb::author::make_tensor(t.sizes(), type, tb::cpu);
  support::each_index(t.sizes(), [&](const tb::shape& index) {
    convert(support::address(t, index), t.dtype(), support::address(to, index), type);
  });
  return to;
}

inline std::string way(const form& f, const call& c, std::string_view note) {
  return std::string(f.op.name()) + ", result " + std::string(note) + ", " + way(c);
}

/// Results are what was written, and as wanted; nothing else was written.
inline std::string check_written(const call& done, const std::vector<tb::tensor>& wanted, const rules& how) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!done.results.at(i).is<tb::tensor>()) return "found a result that is no tensor";
    const tb::tensor& result = done.results[i].get<tb::tensor>();
    if (&tb::author::record_of(result) != &tb::author::record_of(done.written.at(i)))
      return "found a result that is not the tensor it wrote to";
    const tb::tensor as = converted(wanted[i], result.dtype());
    const tolerance own = tolerance_of(how, tb::name_of(wanted[i].dtype()));
    if (std::string text = difference(result, as, how, own); !text.empty()) return text;
  }
  std::string text = written_argument(done);
  return text.empty() ? written_beside(done, true) : text;
}

enum class outcome { results, shape_error, dtype_error, either_error };

inline outcome expected(const tb::tensor& wanted, const tb::tensor& into) {
  const bool sizes = wanted.sizes() == into.sizes(), type = category(wanted.dtype()) <= category(into.dtype());
  return sizes ? (type ? outcome::results : outcome::dtype_error) : type ? outcome::shape_error : outcome::either_error;
}

/// A call that must raise, with everything as it was.
inline std::string check_refusal(const form& f, const one_case& asked, call& to, const std::string& kinds) {
  std::string problem = "found results, wanted an error about its " + kinds;
  try {
    run(f.op, asked, to);
  } catch (const tb::error& e) {
    const auto is = [&]<class E>(const char* kind, const E*) {
      return has_word(kinds, kind) && dynamic_cast<const E*>(&e) != nullptr;
    };
    const bool right =
        is("shape", static_cast<tb::shape_error*>(nullptr)) || is("dtype", static_cast<tb::dtype_error*>(nullptr)) ||
        ((has_word(kinds, "value") || has_word(kinds, "index")) && dynamic_cast<const tb::no_kernel*>(&e) == nullptr);
    if (!to.reached)
      problem = std::string("was not called: ") + e.what();
    else if (!right)
      problem = "found another type of error than for its " + kinds + ": " + e.what();
    else if (!begins_with_operator(e.what()))
      problem = std::string("found an error that does not begin with the operator: ") + e.what();
    else if (problem = written_argument(to); problem.empty() && !(has_own_memory(to.where) && has_word(kinds, "index")))
      problem = written_beside(to, false);
  }
  return problem;
}

/// One call of a form, which must give the wanted results in its written arguments or refuse them.
inline std::string check_form(const form& f, const one_case& asked, const std::vector<tb::tensor>& wanted,
                              const rules& how, call& to, const tb::tensor& into) {
  switch (expected(wanted.at(0), into)) {
    case outcome::shape_error: return check_refusal(f, asked, to, "shape");
    case outcome::dtype_error: return check_refusal(f, asked, to, "dtype");
    case outcome::either_error: return check_refusal(f, asked, to, "shape dtype");
    case outcome::results: break;
  }
  try {
    run(f.op, asked, to);
  } catch (const std::exception& e) {
    return std::string("threw: ") + e.what();
  }
  return to.where == tb::meta ? std::string() : check_written(to, wanted, how);
}

inline std::string in_place(const form& f, const one_case& asked, const std::vector<tb::tensor>& wanted,
                            const rules& how, const call& plain, memory m, tb::device where) {
  call to{m, plain.copies, where};
  const tb::tensor& self = plain.arguments.at(0);
  std::string text = check_form(f, asked, wanted, how, to, self);
  return text.empty() ? text : way(f, to, "in place") + text;
}

inline std::vector<tb::tensor> rooms(const std::vector<tb::tensor>& wanted, memory m, tb::device where) {
  std::vector<tb::tensor> outs;
  for (const tb::tensor& t : wanted) outs.push_back(marked_room(t.sizes(), t.dtype(), m, where));
  return outs;
}

inline std::string into(const form& f, const one_case& asked, const std::vector<tb::tensor>& wanted, const rules& how,
                        call to, std::string_view note) {
  std::string text = check_form(f, asked, wanted, how, to, to.outs.at(0));
  return text.empty() ? text : way(f, to, note) + text;
}

/// An argument of the first result's dtype lies where the result is written: one element after it, before it, or there.
inline std::string overlapping(const form& f, const one_case& asked, const std::vector<tb::tensor>& wanted,
                               const rules& how, const call& plain, std::int64_t shift) {
  if (has_own_memory(tested)) return {};  // the kernels see the same overlaps as on the host: none
  for (const tb::tensor& t : plain.arguments) {
    if (!t.defined() || t.dtype() != wanted.at(0).dtype() || t.numel() == 0) continue;
    std::vector<tb::tensor> outs = rooms(wanted, memory::dense, tested);
    outs[0] = shared_room(wanted[0].sizes(), wanted[0].dtype(), t.numel());
    return into(f, asked, wanted, how, {memory::dense, 0, tested, outs, shift},
                "over an argument, " + std::to_string(shift) + " elements before it");
  }
  return {};
}

/// An out of a further dtype: one of a lower category is refused, one of another width is converted to.
inline std::string of_another_dtype(const form& f, const one_case& asked, const std::vector<tb::tensor>& wanted,
                                    const rules& how, tb::dtype type) {
  std::vector<tb::tensor> outs = rooms(wanted, memory::dense, tested);
  outs[0] = marked_room(wanted[0].sizes(), type, memory::dense, tested);
  return into(f, asked, wanted, how, {memory::dense, 0, tested, outs}, "of another dtype");
}

/// The results of a call, which are tensors wherever an operator has forms.
inline std::vector<tb::tensor> tensors_of(const std::vector<tb::value>& results) {
  std::vector<tb::tensor> all;
  for (const tb::value& v : results) tb::author::each_tensor(v, [&](const tb::tensor& t) { all.push_back(t); });
  return all;
}

/// Read-only memory is never written to. The result of a case of a functional operator goes to the form's outs; an
/// operator that writes by itself has none.
inline std::string refused_read_only(const form& f, const one_case& asked, const std::vector<tb::tensor>& outs) {
  // Asked for no training, or for sizes alone, these write nothing.
  constexpr std::string_view writes_nothing[] = {"aten::dropout_", "aten::alpha_dropout_", "aten::empty.out"};
  if (std::ranges::find(writes_nothing, f.op.name()) != std::end(writes_nothing)) return {};
  call to{.where = tested, .outs = outs, .read_only = true};
  std::string text = check_refusal(f, asked, to, "value");
  return text.empty() ? text : way(f, to, "in read-only memory") + text;
}

/// All forms of a case that has results. `turn` counts cases: what is not tried of every case takes turns.
inline std::string replay_forms(const std::vector<form>& forms, const one_case& c, const rules& how, const call& plain,
                                const std::vector<tb::tensor>& wanted, std::size_t turn) {
  constexpr memory arranged[] = {memory::dense, memory::transposed, memory::sliced};
  constexpr tb::dtype others[] = {tb::dtype::float32, tb::dtype::int32, tb::dtype::float64, tb::dtype::float16,
                                  tb::dtype::boolean, tb::dtype::int8,  tb::dtype::bfloat16};
  for (const form& f : forms) {
    const one_case asked = asked_of(f, c);
    std::string text =
        refused_read_only(f, asked, f.in_place ? std::vector<tb::tensor>() : rooms(wanted, memory::dense, tested));
    if (!text.empty()) return text;
    if (f.in_place) {
      text = in_place(f, asked, wanted, how, plain, arranged[turn % 3], tested);
      if (text.empty() && !how.meta_raises) {
        text = in_place(f, asked, wanted, how, plain, memory::dense, tb::meta);
      }
    } else if (plain.copies != 0) {
      text = into(f, asked, wanted, how,
                  {memory::dense, plain.copies, tested, rooms(wanted, arranged[1 + turn % 2], tested)}, "strided");
    } else {
      for (const memory m : arranged) {
        if (text.empty()) {
          text = into(f, asked, wanted, how, {memory::dense, 0, tested, rooms(wanted, m, tested)}, name_of(m));
        }
      }
      if (text.empty()) {
        text = overlapping(f, asked, wanted, how, plain, static_cast<std::int64_t>(turn % 3) - 1);
      }
      if (text.empty() && f.options_given)
        text = of_another_dtype(f, asked, wanted, how, others[turn % std::size(others)]);
      if (text.empty() && !how.meta_raises) {
        text =
            into(f, asked, wanted, how, {memory::dense, 0, tb::meta, rooms(wanted, memory::dense, tb::meta)}, "dense");
      }
    }
    if (!text.empty()) return text;
  }
  return {};
}

/// All forms of a case that is an error: nothing is written. What only elements show, is asked with results that fit.
inline std::string replay_refusals(const tb::operator_handle& op, const std::vector<form>& forms, const one_case& c) {
  std::vector<tb::tensor> fit;
  if (c.error == "index") {
    call sizes{memory::dense, 0, tb::meta};
    try {
      run(op, c, sizes);
      fit = tensors_of(sizes.results);
    } catch (const tb::error&) {  // sizes depend on elements too
    }
  }
  for (const form& f : forms) {
    call to;
    for (std::size_t i = 0; i < f.outs.size(); ++i) {
      to.outs.push_back(i < fit.size() ? marked_room(fit[i].sizes(), fit[i].dtype(), memory::dense, tested)
                                       : marked_room({7}, tb::dtype::float32, memory::dense, tested));
    }
    const std::string kinds = c.error + (fit.empty() ? " shape" : "");
    std::string text = check_refusal(f, asked_of(f, c), to, kinds);
    if (!text.empty()) return way(f, to, "dense") + text;
  }
  return {};
}

/// Empty if the case and its forms are as the file says, else what is not, in one sentence. Throws where the file's
/// texts are wrong.
inline std::string replay(const tb::operator_handle& op, const std::vector<form>& forms, const one_case& c,
                          const rules& how, std::size_t turn) {
  if (!c.error.empty()) {
    std::string text = check_error(op, c, tested);
    // What only elements show, meta cannot see.
    if (text.empty() && c.error != "index") text = check_error(op, c, tb::meta);
    return text.empty() ? replay_refusals(op, forms, c) : text;
  }
  for (const std::int64_t copies : {std::int64_t{0}, std::int64_t{37}}) {
    if (copies != 0 && !how.elementwise) break;
    for (const memory m : memories) {
      if (how.dense && m != memory::dense) break;
      call plain_call{m, copies};
      if (std::string text = check_where_tested(op, c, how, plain_call); !text.empty()) return way(plain_call) + text;
      if (std::string text = check_on_meta(op, c, how, plain_call); !text.empty()) return text;
      if (m == memory::dense && copies == 0 && tb::author::is_mutable(*op.parsed_schema())) {
        if (std::string text = refused_read_only({op}, c, {}); !text.empty()) return text;
      }
      if (m != memory::dense || forms.empty()) continue;
      std::vector<tb::tensor> wanted;
      for (const std::string& text : c.results) {
        const tb::tensor t = tb::author::read_text<tb::tensor>(text);
        wanted.push_back(copies == 0 ? t : repeated(t, copies, plain_call.rank));
      }
      if (std::string text = replay_forms(forms, c, how, plain_call, wanted, turn); !text.empty()) return text;
    }
  }
  return {};
}

}  // namespace golden
