# Prints `<rule> TAB <file> TAB <test>` for every dispatcher rule of PyTorch that a test names: by a tag such as [K8] of a
# Catch2 case; by a line `// rule: K8, K19` of a program that must not compile; by a line `# rule: S8` above the
# statement of a test in a CMakeLists.txt.

function report(id, name) { print id "\t" file "\t" name }

function report_list(ids, name,    each, n, i) {
  n = split(ids, each, / *, */)
  for (i = 1; i <= n; i++) report(each[i], name)
}

# One case: `s` begins behind the macro's '('. Its first argument with a text is the name, its second the tags; the
# texts of one argument are one text.
function read_case(s,    i, c, quoted, level, argument, name, tags) {
  argument = ""
  for (i = 1; i <= length(s); i++) {
    c = substr(s, i, 1)
    if (quoted) {
      if (c == "\\") argument = argument substr(s, ++i, 1)
      else if (c == "\"") quoted = 0
      else argument = argument c
    } else if (c == "\"") {
      quoted = 1
    } else if (c == "(" || c == "{") {
      level++
    } else if ((c == "," && !level) || (c == ")" && !level)) {
      if (name == "") name = argument
      else if (tags == "") tags = argument
      argument = ""
      if (tags != "" || c == ")") break
    } else if (c == ")" || c == "}") {
      level--
    }
  }
  while (match(tags, /\[[A-Z][0-9]+[a-z]*\]/)) {
    report(substr(tags, RSTART + 1, RLENGTH - 2), name)
    tags = substr(tags, RSTART + RLENGTH)
  }
}

function finish(    rest) {
  rest = text
  while (match(rest, /\n(TEMPLATE_)?(PRODUCT_|LIST_)?TEST_CASE(_METHOD)?(_SIG)?\(/)) {
    rest = substr(rest, RSTART + RLENGTH)
    read_case(substr(rest, 1, 2000))
  }
}

FNR == 1 {
  if (file != "") finish()
  file = FILENAME
  text = ""
  stated = ""
  stem = file
  sub(/^.*\//, "", stem)
  sub(/\.[a-z]+$/, "", stem)
  folder = file
  sub(/\/[^\/]*$/, "", folder)
  sub(/^.*\//, "", folder)
}
END { if (file != "") finish() }

file ~ /\.cpp$/ && sub(/^\/\/ rule: /, "") { report_list($0, folder "." stem); next }
file ~ /\.cpp$/ { text = text "\n" $0; next }

sub(/^ *# rule: /, "") { stated = $0; next }
stated != "" && !/^ *#/ {
  name = $0
  sub(/^ *[a-z_]+\( */, "", name)
  sub(/^NAME +/, "", name)
  sub(/[ )].*/, "", name)
  report_list(stated, name)
  stated = ""
}
