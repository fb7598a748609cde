/** What a recording rule may have named the numbers of GPUs, by the names of the rules that are known. */
export type Recorded = ReadonlySet<string>;

/** Stands in an expression for whatever it calls the GPUs of nodes. */
const gpus = "nvidia_com_gpu";

/**
 * Whether an expression asks if the GPUs of nodes are absent. The kubelet keeps the name of a resource whose plugin is
 * gone and sets its number to 0, so the series stays, and `absent()` says nothing.
 * @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/kubelet/nodestatus/setters.go
 */
export function asksForAbsence(expression: string, recorded: Recorded = new Set()): boolean {
  const opened: boolean[] = [];
  let absences = 0;
  for (const [token] of plain(expression, recorded).matchAll(/\babsent(_over_time)? ?\(|\(|\)|nvidia_com_gpu/g)) {
    if (token === gpus) {
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
export function asksForZero(expression: string, recorded: Recorded = new Set()): boolean {
  const text = plain(expression, recorded);
  return isOfGpus(text) && comparesWithZero.test(text);
}

/** Whether an expression is of the GPUs that nodes offer, so that a recording rule gives their number a name. */
export function countsGpus(expression: string, recorded: Recorded = new Set()): boolean {
  return isOfGpus(plain(expression, recorded));
}

/** Whether an expression could be one that these functions look for, whatever names stand for the GPUs. */
export function mayAsk(expression: string): boolean {
  const text = plain(expression, new Set());
  return comparesWithZero.test(text) || /\babsent/.test(text);
}

const comparesWithZero = /((==|<=) ?(bool )?0|< ?(bool )?1)(?![\d.])/;

function isOfGpus(text: string): boolean {
  return text.includes("kube_node_status_allocatable") && text.includes(gpus);
}

/** What a matcher of the label `resource` must hold to match the GPUs: it is never run, for it may take for ever. */
const gpuPattern = /nvidia|gpu|^\.[*+]$/;

const strings = /(\bresource ?=~ ?)?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)|#[^\n]*/g;

/** More than anybody writes; a search in it takes no time. */
const longest = 10_000;

/**
 * With single blanks, without comments, and without texts but those that name the GPUs. A name of a recording rule
 * becomes what it stands for.
 */
function plain(expression: string, recorded: Recorded): string {
  const withoutTexts = expression
    .replace(/\s+/g, (blanks) => (blanks.includes("\n") ? "\n" : " "))
    .slice(0, longest)
    .replace(strings, (_, pattern: string | undefined, text: string | undefined = "") => {
      const names = pattern === undefined ? text.includes(gpus) : gpuPattern.test(text.slice(1, -1));
      return names ? gpus : "";
    })
    .replace(/\n/g, " ");
  if (recorded.size === 0) return withoutTexts;
  return withoutTexts.replace(/[A-Za-z_:][\w:]*/g, (name) =>
    recorded.has(name) ? `kube_node_status_allocatable{${gpus}}` : name,
  );
}
