#compdef eks-gpu-lab
_eks_gpu_lab() {
  local line value files
  local -a described plain assignments
  while IFS= read -r line; do
    value="${line%%$'\t'*}"
    if [[ $line == :files ]]; then
      files=1
    elif [[ $value == *= ]]; then
      assignments+=("$value")
    elif [[ $line == *$'\t' ]]; then
      plain+=("$value")
    else
      described+=("${value//:/\\:}:${line#*$'\t'}")
    fi
  done < <(eks-gpu-lab completion -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( $#described )) && _describe -V 'eks-gpu-lab' described
  (( $#plain )) && compadd -V eks-gpu-lab -- $plain
  (( $#assignments )) && compadd -S '' -- $assignments
  if [[ -n $files ]]; then
    [[ ${words[CURRENT]} == --*=* ]] && compset -P 1 '*='
    _files
  fi
  return 0
}
compdef _eks_gpu_lab eks-gpu-lab
