/** The script of each shell. Each asks the tool itself, so that a new option needs no new script. */
export const completionScripts = {
  bash: `# eks-gpu-lab completion bash
_eks_gpu_lab() {
  local IFS=$'\\n' line word typed="\${COMP_WORDS[COMP_CWORD]}" rest="\${COMP_LINE:0:COMP_POINT}" last=-1
  local -a words=()
  # Bash breaks words at : and = also, and completes only what follows them.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if (( last >= 0 )) && [[ $rest != [[:blank:]]* && ( $word == [:=]* || \${words[last]} == *[:=] ) ]]; then
      words[last]+=$word
    else
      words[++last]=$word
    fi
    rest=\${rest#*"$word"}
  done
  [[ $typed == [:=] ]] && typed=
  local before="\${words[last]%"$typed"}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$typed"))
    else
      line=\${line%%$'\\t'*}
      [[ $line == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("\${line#"$before"}")
    fi
  done < <(eks-gpu-lab completion -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _eks_gpu_lab eks-gpu-lab
`,
  zsh: `#compdef eks-gpu-lab
_eks_gpu_lab() {
  local line value files
  local -a described plain assignments
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    if [[ $line == :files ]]; then
      files=1
    elif [[ $value == *= ]]; then
      assignments+=("$value")
    elif [[ $line == *$'\\t' ]]; then
      plain+=("$value")
    else
      described+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(eks-gpu-lab completion -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#described )) && _describe -V 'eks-gpu-lab' described
  (( $#plain )) && compadd -V eks-gpu-lab -- $plain
  (( $#assignments )) && compadd -S '' -- $assignments
  if [[ -n $files ]]; then
    [[ \${words[CURRENT]} == --*=* ]] && compset -P 1 '*='
    _files
  fi
  return 0
}
compdef _eks_gpu_lab eks-gpu-lab
`,
  fish: `# eks-gpu-lab completion fish
function __eks_gpu_lab
    set -l typed (commandline -ct)
    set -l words (commandline -opc) $typed
    set -l option (string match -r '^--[a-z-]+=' -- $typed)
    for line in (eks-gpu-lab completion -- $words[2..-1] 2>/dev/null)
        if test $line = :files
            for path in (__fish_complete_path (string replace -- "$option" '' $typed))
                echo "$option$path"
            end
        else
            echo $line
        end
    end
end
complete -c eks-gpu-lab -f -a '(__eks_gpu_lab)'
`,
} as const;

export type Shell = keyof typeof completionScripts;
