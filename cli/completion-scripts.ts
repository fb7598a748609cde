/** The script of each shell. Each asks the tool itself, so that a new option needs no new script. */
export const completionScripts = {
  bash: `# eks-gpu-lab completion bash
_eks_gpu_lab() {
  local IFS=$'\\n' line current="\${COMP_WORDS[COMP_CWORD]}"
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$current"))
    else
      line=\${line%%$'\\t'*}
      [[ $line == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("$line")
    fi
  done < <(eks-gpu-lab completion -- "\${words[@]}" 2>/dev/null)
}
complete -F _eks_gpu_lab eks-gpu-lab
`,
  zsh: `#compdef eks-gpu-lab
_eks_gpu_lab() {
  local line value
  local -a plain assignments
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      _files
      continue
    fi
    value="\${line%%$'\\t'*}"
    if [[ $value == *= ]]; then
      assignments+=("$value")
    else
      plain+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(eks-gpu-lab completion -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#plain )) && _describe -V 'eks-gpu-lab' plain
  (( $#assignments )) && compadd -S '' -- $assignments
  return 0
}
compdef _eks_gpu_lab eks-gpu-lab
`,
  fish: `# eks-gpu-lab completion fish
function __eks_gpu_lab
    set -l words (commandline -opc) (commandline -ct)
    for line in (eks-gpu-lab completion -- $words[2..-1] 2>/dev/null)
        if test $line = :files
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c eks-gpu-lab -f -a '(__eks_gpu_lab)'
`,
} as const;

export type Shell = keyof typeof completionScripts;
