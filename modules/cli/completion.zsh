#compdef topbit
# zsh completion for topbit; made by: topbit completions zsh

_topbit_ops() { local -a all=(${(f)"$(topbit ops --names 2>/dev/null)"}); compadd -- $all }
_topbit_keys() { compset -P '*,'; local -a all=(${(f)"$(topbit keys --names 2>/dev/null)"}); compadd -- $all }
_topbit_changes() {
  compset -P '*:' || compadd -S : -- kernel fallthrough fallback remove remove-fallback
  _topbit_keys
}
_topbit() {
  local curcontext=$curcontext state line
  local -a commands=(
@commands@  )
  local -a common=(@common@
  )
  _arguments -C $common '1: :->command' '*:: :->words'
  case $state in
    command) _describe command commands; return ;;
    words) ;;
    *) return ;;
  esac
  case $words[1] in
@cases@  esac
}
_topbit "$@"
