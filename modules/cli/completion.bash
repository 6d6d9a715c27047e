# bash completion for topbit; made by: topbit completions bash

# Offers words. Bash takes a name such as aten::add for three words, so the part before the last colon, which stands
# there already, is taken off; after a comma the next of several keys begins.
_topbit_words() {
  local head=
  [[ $word != *,* ]] || head=${word%,*},
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "${word#"$head"}")
  COMPREPLY=("${COMPREPLY[@]/#/$head}")
  [[ $word != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
}
_topbit_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
_topbit() {
  # The words as the user sees them, up to the cursor.
  local line=${COMP_LINE:0:COMP_POINT} words word before options= kinds=() i command= given=0
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line != *' ' ]] || words+=('')
  word=${words[-1]} before=
  ((${#words[@]} < 2)) || before=${words[-2]}
  case $before in
@values@  esac
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    case ${words[i]} in
      @options_with_value@) ((++i)) ;;
      -?*) ;;
      *) if [[ -z $command ]]; then command=${words[i]}; else ((++given)); fi ;;
    esac
  done
  case $command in
    '') _topbit_words "@commands_and_options@"; return ;;
@cases@    *) return ;;
  esac
  if [[ $word == -* ]]; then
    _topbit_words "$options"
  elif ((${#kinds[@]} > 0)); then
    ((given < ${#kinds[@]})) || given=$((${#kinds[@]} - 1))
    case ${kinds[given]} in
      -files) _topbit_files ;;
      *) _topbit_words "$(eval "printf '%s ' ${kinds[given]}")" ;;
    esac
  fi
}
complete -F _topbit topbit
