#!/usr/bin/env bash
# Checks the links between Markdown files: that what they lead to is there.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: links.sh <root of the tree> [file...]
       links.sh --help

Checks every relative link and every #anchor in the Markdown files of the tree, or in the given ones: the file or folder
exists inside the tree, and the anchor is a heading of the Markdown file, in GitHub's spelling (lower case, blanks as
hyphens, punctuation dropped, -1 after the second of two equal headings) or an id of an HTML element there. Code is left
out, and so are addresses with a scheme (https:, mailto:) and the folder build.

Prints <file>:<line>: the link and what is wrong with it.
TEXT
}

case ${1:---help} in
  -h | --help)
    usage
    exit 0
    ;;
esac

cd -- "$1"
shift
paths=$(find . \( -path ./build -o -path ./.git \) -prune -o -print | sed 's|^\./||' | LC_ALL=C sort)
pages=$(grep '\.md$' <<<"$paths" || true)
if [[ -z $pages ]]; then
  echo "found no Markdown files, wanted the documentation of topbit"
  exit 1
fi

tr '\n' '\0' <<<"$pages" | LC_ALL=C.UTF-8 xargs -0 awk -v wanted_pages="$*" '
  function wrong(text) { print page ":" line_of[i] ": found the link " link_of[i] ", " text; failures++ }

  # GitHub: what a heading is called in a link.
  function anchor(text) {
    gsub(/`/, "", text)
    while (match(text, /!?\[[^][]*\]\([^()]*\)/)) {
      label = substr(text, RSTART, RLENGTH)
      sub(/^!?\[/, "", label)
      sub(/\]\(.*/, "", label)
      text = substr(text, 1, RSTART - 1) label substr(text, RSTART + RLENGTH)
    }
    text = tolower(text)
    gsub(/[^[:alnum:]_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
  }
  # A path without "." and "..", or "" if it leaves the tree.
  function plain(path,    parts, part, n, k, out) {
    n = split(path, part, "/")
    for (k = 1; k <= n; k++) {
      if (part[k] == "" || part[k] == ".") continue
      if (part[k] != "..") out[++parts] = part[k]
      else if (parts-- == 0) return ""
    }
    path = parts ? out[1] : "."
    for (k = 2; k <= parts; k++) path = path "/" out[k]
    return path
  }
  function add(link) {
    page_of[++links] = FILENAME
    line_of[links] = FNR
    link_of[links] = link
  }

  BEGIN {
    while ((getline line < "/dev/fd/3") > 0) exists[line] = 1
    exists["."] = 1
    n = split(wanted_pages, part, " ")
    for (k = 1; k <= n; k++) chosen[part[k]] = 1
    all = n == 0
  }
  FNR == 1 { fence = "" }
  match($0, /^ *(```+|~~~+)/) {
    mark = substr($0, RSTART, RLENGTH)
    gsub(/ /, "", mark)
    if (fence == "") fence = mark
    else if (index(mark, fence) == 1) fence = ""
    next
  }
  fence != "" { next }
  /^#+ / {
    heading = $0
    sub(/^#+ +/, "", heading)
    sub(/ +#* *$/, "", heading)
    name = anchor(heading)
    count = seen[FILENAME, name]++
    anchors[FILENAME, count ? name "-" count : name] = 1
  }
  {
    rest = $0
    while (match(rest, /(id|name)="[^"]*"/)) {
      name = substr(rest, RSTART, RLENGTH - 1)
      sub(/^[a-z]*="/, "", name)
      anchors[FILENAME, name] = 1
      rest = substr(rest, RSTART + RLENGTH)
    }
    if (!all && !(FILENAME in chosen)) next
    rest = $0
    gsub(/`[^`]*`/, "code", rest)
    while (match(rest, /\]\([^() ]*( "[^"]*")?\)/)) {
      link = substr(rest, RSTART + 2, RLENGTH - 3)
      sub(/ .*/, "", link)
      add(link)
      rest = substr(rest, RSTART + RLENGTH)
    }
    if (match(rest, /^\[[^]]+\]: */)) {
      link = substr(rest, RLENGTH + 1)
      sub(/ .*/, "", link)
      add(link)
    }
  }
  END {
    for (i = 1; i <= links; i++) {
      page = page_of[i]
      link = link_of[i]
      if (link ~ /^[a-z][a-z0-9+.-]*:/) continue
      checked++
      hash = index(link, "#")
      path = hash ? substr(link, 1, hash - 1) : link
      name = hash ? substr(link, hash + 1) : ""
      folder = page
      if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
      target = path == "" ? page : plain(folder "/" path)
      if (link == "") wrong("wanted a file or an anchor")
      else if (path ~ /^\//) wrong("wanted a path relative to the file")
      else if (target == "") wrong("which leads out of the tree, wanted a file inside it")
      else if (!(target in exists)) wrong("wanted a file " target)
      else if (hash && target !~ /\.md$/) wrong("wanted no anchor, since " target " is not a Markdown file")
      else if (hash && !((target, name) in anchors)) wrong("wanted a heading #" name " in " target)
    }
    printf "%d links, %d wrong\n", checked, failures
    exit failures != 0
  }
' 3<<<"$paths"
