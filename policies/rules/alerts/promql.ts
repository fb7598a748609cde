/**
 * Whether an expression asks if the GPUs of nodes are absent. The kubelet keeps the name of a resource whose plugin is
 * gone and sets its number to 0, so the series stays, and `absent()` says nothing.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/nodestatus/setters.go
 */
export function asksForAbsence(expression: string): boolean {
  const opened: boolean[] = [];
  let absences = 0;
  for (const [token] of plain(expression).matchAll(/\babsent(_over_time)? ?\(|\(|\)|nvidia_com_gpu/g)) {
    if (token === "nvidia_com_gpu") {
      if (absences > 0) return true;
    } else if (token === ")") {
      if (opened.pop() === true) absences--;
    } else {
      opened.push(token !== "(");
      if (token !== "(") absences++;
    }
  }
  return false;
}

/** Whether an expression finds nodes that offer no GPU although they have the resource. */
export function asksForZero(expression: string): boolean {
  const text = plain(expression);
  const isOfGpus = text.includes("kube_node_status_allocatable") && text.includes("nvidia_com_gpu");
  return isOfGpus && /(== ?(bool ?)?0|<= ?(bool ?)?0|< ?(bool ?)?1)(?![\d.])/.test(text);
}

/** Without comments and with single blanks, so that no search takes long. */
function plain(expression: string): string {
  return expression.replace(/#[^\n]*/g, "").replace(/\s+/g, " ");
}
