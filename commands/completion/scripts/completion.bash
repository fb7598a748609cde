# eks-gpu-lab completion bash
_eks_gpu_lab() {
  local IFS=$'\n' line word typed="${COMP_WORDS[COMP_CWORD]}" rest="${COMP_LINE:0:COMP_POINT}" last=-1
  local -a words=()
  # Bash breaks words at : and = also, and completes only what follows them.
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if (( last >= 0 )) && [[ $rest != [[:blank:]]* && ( $word == [:=]* || ${words[last]} == *[:=] ) ]]; then
      words[last]+=$word
    else
      words[++last]=$word
    fi
    rest=${rest#*"$word"}
  done
  [[ $typed == [:=] ]] && typed=
  local before="${words[last]%"$typed"}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$typed"))
    else
      line=${line%%$'\t'*}
      [[ $line == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("${line#"$before"}")
    fi
  done < <(eks-gpu-lab completion -- "${words[@]:1}" 2>/dev/null)
}
complete -F _eks_gpu_lab eks-gpu-lab
