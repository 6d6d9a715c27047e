# Prints `<module> <qualified name>` for everything that the interface units given export. It reads the text as
# ./dev format leaves it: what stands at the first column begins a declaration.

function qualified(name,    i, s) {
  s = ""
  for (i = 1; i <= depth; i++) s = s spaces[i] "::"
  return s name
}

# A declaration without `export`, attributes and template heads; empty while a head is not complete.
function bare(s,    i, angle, nested, c) {
  sub(/^export /, "", s)
  gsub(/\[\[[^]]*\]\] ?/, "", s)
  gsub(/decltype\([^()]*\)/, "decltype", s)
  while (s ~ /^template ?</) {
    angle = 0
    for (i = index(s, "<"); i <= length(s); i++) {
      c = substr(s, i, 1)
      if (c == "<") angle++
      if (c == ">" && substr(s, i - 1, 1) != "-" && --angle == 0) break
    }
    s = substr(s, i + 1)
    sub(/^ +/, "", s)
    sub(/^requires [A-Za-z_0-9:]+<[^<> ]*> /, "", s)
    while (s ~ /^requires ?\(/) {
      nested = 0
      for (i = index(s, "("); i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "(") nested++
        if (c == ")" && --nested == 0) break
      }
      s = substr(s, i + 1)
      sub(/^ +/, "", s)
    }
  }
  return s
}

# The name that a bare declaration declares; empty for an operator function and for a specialisation.
function declared(s) {
  if (s ~ /(^|[^A-Za-z_])operator *[^A-Za-z_ ]/) return ""
  if (match(s, /^using [A-Za-z_0-9:]+::/)) s = "using " substr(s, RLENGTH + 1)
  if (match(s, /^(enum class|class|struct|union|enum|concept|using) /)) {
    s = substr(s, RLENGTH + 1)
    match(s, /^[A-Za-z_][A-Za-z_0-9]*/)
    return substr(s, RLENGTH + 1, 1) == "<" ? "" : substr(s, 1, RLENGTH)
  }
  sub(/^extern "C(\+\+)?" /, "", s)
  sub(/ *[({=;].*/, "", s)
  match(s, /[A-Za-z_][A-Za-z_0-9]*$/)
  return substr(s, RSTART, RLENGTH)
}

# True for what may declare several names: `constexpr key CPU{1}, CUDA{2};`.
function is_variable(rest) {
  return rest !~ /(^|[^A-Za-z_])operator *[^A-Za-z_ ]/ && rest !~ /^(enum|class|struct|union|concept|using) / && match(rest, /[({;=]/) &&
         substr(rest, RSTART, 1) ~ /[{=]/
}

# Prints the names after the first of a list of variables: those that follow a comma outside of all brackets.
function print_others(s, first,    i, c, nested, name) {
  s = substr(s, index(s, first) + length(first))
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (c ~ /[{(<]/) nested++
    if (c ~ /[})>]/) nested--
    if (c == "," && nested == 0 && match(substr(s, i), /^, *[A-Za-z_][A-Za-z_0-9]*/)) {
      name = substr(s, i, RLENGTH)
      sub(/^, */, "", name)
      print module, qualified(name)
    }
  }
}

function finish(    name) {
  name = declared(rest)
  if (name != "") print module, qualified(name)
  if (name != "" && is_variable(rest)) print_others(rest, name)
  text = ""
}

FNR == 1 { depth = level = 0; text = ""; module = "" }

# Braces are counted to know where a namespace ends; those in text and comments do not count.
{
  code = $0
  gsub(/\\./, "", code)
  gsub(/"[^"]*"/, "", code)
  gsub(/'[{}"]'/, "", code)
  sub(/ *\/\/.*/, "", code)
  before = level
  level += gsub(/{/, "{", code) - gsub(/}/, "}", code)
  while (depth > 0 && level <= outside[depth]) depth--
}

/^export module / {
  module = $3
  sub(/[:;].*/, "", module)
  next
}
/^(export )?import / || /^module/ { next }

/^(export )?(inline )?namespace [A-Za-z_0-9:]+ {$/ {
  depth++
  spaces[depth] = $(NF - 1)
  outside[depth] = before
  open[depth] = /^export / || (depth > 1 && open[depth - 1])
  next
}

text == "" && (/^export / || (depth > 0 && open[depth] && /^[A-Za-z_[]/)) { text = code; begun = 1 }
text != "" && !begun { line = code; sub(/^ +/, "", line); text = text " " line }
{ begun = 0 }
# A declaration is read up to where its body, initialiser or parameters begin.
text != "" {
  rest = bare(text)
  if (is_variable(rest) ? rest ~ /;$/ : rest ~ /[{;=(]/) finish()
}
