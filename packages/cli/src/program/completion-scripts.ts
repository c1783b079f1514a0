/** What `ipfsz complete` prints if a path on this machine may come next. The shell knows these best. */
export const FILES_LINE = ':files'

/**
 * Completion scripts by shell. Each asks `ipfsz complete`, with the words typed so far, for the words that may come
 * next. So a script stays right when the command changes.
 */
export const COMPLETION_SCRIPTS = {
  bash: `# Completion of ipfsz for bash. To load it: source <(ipfsz completion bash)
_ipfsz () {
  local line=$COMP_LINE word piece gap last=-1 before=''
  local -a typed=()
  COMPREPLY=()

  # bash splits words at = and : and replaces only the last piece. Pieces of one word have nothing between them
  for piece in "\${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
    gap=\${line%%"$piece"*}
    line=\${line#"$gap$piece"}

    if [[ $last -ge 0 && -n $piece && -z $gap ]]; then
      before=\${typed[last]}
      typed[last]+=$piece
    else
      before=''
      typed[++last]=$piece
    fi
  done

  # a : or = at the end is no piece that could be replaced
  if [[ -n $piece && $piece != *[!=:]* ]]; then
    before=\${typed[last]}
  fi

  # the words have their backslashes still, which read removes
  IFS= read before <<< "$before"

  for piece in "\${!typed[@]}"; do
    IFS= read word <<< "\${typed[piece]}"
    typed[piece]=$word
  done

  while IFS= read -r line; do
    if [[ $line == '${FILES_LINE}' ]]; then
      compopt -o default 2>/dev/null
      return
    fi

    word=\${line%%$'\\t'*}
    COMPREPLY+=("$(printf '%q' "\${word#"$before"}")")
  done < <("$1" complete -- "\${typed[@]:1}" 2>/dev/null)

  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

complete -F _ipfsz ipfsz
`,
  zsh: `#compdef ipfsz
# Completion of ipfsz for zsh. To load it: source <(ipfsz completion zsh)
_ipfsz () {
  local line word
  local -a values texts directories

  while IFS= read -r line; do
    if [[ $line == '${FILES_LINE}' ]]; then
      _files
      return
    fi

    word=\${line%%$'\\t'*}

    if [[ $word == */ ]]; then
      directories+=("$word")
    else
      values+=("$word")
      texts+=("$word\${\${line#*$'\\t'}:+  \${line#*$'\\t'}}")
    fi
  done < <("\${words[1]}" complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)

  compadd -l -d texts -a values
  compadd -S '' -a directories
}

if [[ \${funcstack[1]} == _ipfsz ]]; then
  _ipfsz "$@"
else
  compdef _ipfsz ipfsz
fi
`,
  fish: `# Completion of ipfsz for fish. To load it: ipfsz completion fish | source
function __ipfsz_complete
  set -l typed (commandline -opc)
  set -l raw (commandline -ct)
  # fails if a quote is open
  set -l current (string unescape -- $raw; or string replace -r '^["\\']' '' -- $raw)
  set -l lines (command $typed[1] complete -- $typed[2..-1] "$current" 2>/dev/null)

  if test "$lines[1]" = '${FILES_LINE}'
    __fish_complete_path "$current"
  else if test (count $lines) -gt 0
    printf '%s\\n' $lines
  end
end

complete -c ipfsz -f -a '(__ipfsz_complete)'
`
}
