# The texts that words.sh looks at, one per line: <file>:<line> TAB <kind> TAB <text>.

function put(kind, text, from) {
  gsub(/[ \t]+/, " ", text)
  if (text ~ /[a-zA-Z]/) printf "%s:%d\t%s\t%s\n", file, from, kind, text
}
function end_paragraph() {
  if (paragraph != "") put(is_page ? "page" : "comment", paragraph, paragraph_line)
  paragraph = ""
}
function end_literal() {
  if (literal != "") {
    if (!is_test) { if (literal ~ / /) put("message", literal, literal_line) }
    else if (is_title) put("test title", literal, literal_line)
    is_title = 0
  }
  literal = ""
}

# A literal continues in the next line if nothing but blanks stands between.
function literals(line,    before, open) {
  continued = line ~ /^[ \t]*"/ && open_end
  if (!continued) end_literal()
  if (line ~ /TEST_CASE\([ \t]*("|$)/) { end_literal(); is_title = 1 }
  open_end = 0
  while (match(line, /"([^"\\]|\\.)*"/)) {
    before = substr(line, 1, RSTART - 1)
    if (before ~ /\/\//) break  # in a comment
    if (before ~ /[^ \t]/ && literal != "") { end_literal(); if (is_test) return }
    if (literal == "") literal_line = FNR
    literal = literal substr(line, RSTART + 1, RLENGTH - 2)
    line = substr(line, RSTART + RLENGTH)
    open_end = line ~ /^[ \t]*$/
    if (is_test && !open_end) { end_literal(); return }
  }
}

FNR == 1 {
  end_paragraph()
  end_literal()
  file = FILENAME
  is_page = file ~ /\.md$/
  is_interface = file ~ /\.cppm$/ || file ~ /^kernels\/abi\//
  is_test = file ~ /^tests\//
  in_code = open_end = is_title = 0
}

is_page {
  if (/^```/) { in_code = !in_code; end_paragraph(); next }
  if (in_code) next
  if (/^[ \t]*$/ || /^(#|\||-|[0-9]+\.|  )/) end_paragraph()
  if (paragraph == "") paragraph_line = FNR
  paragraph = paragraph " " $0
  next
}

/^[ \t]*\/\// {
  if (is_interface) {
    text = $0
    sub(/^[ \t]*\/+<?/, "", text)
    if (text ~ /^[ \t]*$/) end_paragraph()
    else {
      if (paragraph == "") paragraph_line = FNR
      paragraph = paragraph " " text
    }
  }
  next
}

{
  end_paragraph()
  if (/^[ \t]*#/ || /^[ \t]*(export )?import /) next
  if (is_interface && match($0, /\/\/.*$/)) put("comment", substr($0, RSTART + 2), FNR)
  literals($0)
}

END {
  end_paragraph()
  end_literal()
}
