import { resolve } from "node:path";
import { Unreachable } from "../../components/core/kubernetes-api/api";
import { InputError, refuse } from "../../components/core/problems";
import { connectLocal, type LocalCluster } from "../../components/local/local-cluster";
import { choose, isPossible, newSeed, type Choice, type ClusterFacts } from "./choose";
import { drillFor, kubectlFor, Rejected } from "./live/requests";
import { diagnose, readFacts } from "./live/facts";
import { createNamespace, inject } from "./live/inject";
import { findTraces, refuseTraces, restore, type Target } from "./live/restore";
import {
  documentOf,
  restoredLines,
  resultLines,
  rightAnswers,
  type DrillResult,
  type Restored,
  type Line,
} from "./report";
import { scenarios } from "./scenarios/scenarios";
import { answerLines, notStarted, take, usage, type Progress, type Quiz } from "./session";
import { exitStatus, type Console } from "../core/command";
import { drillCommand } from "./drill-options";
import { interruptible } from "../core/interruptible";
import { Lines } from "../core/terminal";
import { aligned, indented, pageWidth, wrapped } from "../../components/core/text";

type DrillOptions = ReturnType<typeof drillCommand.read>;

/** `eks-gpu-lab drill`: injects a failure into a local cluster, and asks for the diagnosis. */
export async function runDrill(args: readonly string[], console: Console): Promise<number> {
  const options = drillCommand.read(args);
  const page = new DrillPage(console, options.json);
  if (options.list) return listScenarios(options, page);
  try {
    const cluster = await connectLocal({
      ...{ context: options.context, confirm: options.confirm, subject: "the command line", contextPath: "--context" },
      confirmFix: `add --confirm ${options.context}`,
      ...(options.kubeconfig !== undefined && { kubeconfig: resolve(console.cwd, options.kubeconfig) }),
    });
    return options.restore
      ? await restoreOnly(cluster, page)
      : await drill(options, cluster, page, console.input ?? process.stdin);
  } catch (error) {
    const { context: got } = options;
    if (error instanceof Rejected && error.status === 403) {
      const why = `Its user lacks permissions: ${error.message}.`;
      const fix = "use a context with administrator permissions";
      throw new InputError("the cluster", [{ code: "not-allowed", path: "--context", got, why, fix }]);
    }
    if (!(error instanceof Unreachable)) throw error;
    // Not the fix of the error, which is one for a cluster on AWS.
    const fix = `check that the cluster runs: ${kubectlFor(options)} get nodes`;
    throw new InputError("the cluster", [{ code: "missing", path: "--context", got, why: error.why, fix }]);
  }
}

function listScenarios({ json }: DrillOptions, page: DrillPage): number {
  const rows = scenarios.map(({ id, conclusion, symptom }) => ({ id, conclusion, symptom: symptom("NAME") }));
  page.resultIfJson({ kind: "DrillScenarios", version: 1, scenarios: rows });
  if (!json) page.table(rows.map(({ id, symptom }) => [id, symptom]));
  return exitStatus.ok;
}

async function restoreOnly(cluster: LocalCluster, page: DrillPage): Promise<number> {
  const { nodes, seed } = await findTraces(cluster.call);
  if (nodes.length === 0 && seed === undefined) {
    page.say("Nothing to restore: the cluster has no traces of a drill.");
    return finishRestore({ nodes, leftovers: [] }, page);
  }
  const restored = await restore(cluster);
  page.say(...restoredLines(restored));
  return finishRestore(restored, page);
}

function finishRestore({ nodes, leftovers }: Restored, page: DrillPage): number {
  const restored = leftovers.length === 0;
  page.resultIfJson({ kind: "DrillRestoration", version: 1, restored, nodes, leftovers });
  return restored ? exitStatus.ok : exitStatus.failed;
}

interface Drill {
  readonly cluster: LocalCluster;
  readonly page: DrillPage;
  readonly seed: number;
  readonly choice: Choice;
  readonly input: NodeJS.ReadableStream;
}

async function drill(
  options: DrillOptions,
  cluster: LocalCluster,
  page: DrillPage,
  input: NodeJS.ReadableStream,
): Promise<number> {
  const { scenario } = options;
  await refuseTraces(cluster);
  const { facts, faults } = await readFacts(cluster);
  refuseUnsuitable(facts, options);
  const seed = options.seed ?? newSeed();
  const choice = choose(facts, seed, scenario);
  const again = scenario === undefined ? "" : ` --scenario ${scenario.id}`;
  page.say(
    `Drill with seed ${seed} in ${cluster.context}. To repeat it:`,
    { command: `${drillFor(cluster)} --seed ${seed}${again}` },
    ...(faults.length > 0 ? [`Before the drill, triage already finds: ${faults.join(", ")}.`] : []),
  );
  return perform({ cluster, page, seed, choice, input });
}

function refuseUnsuitable(facts: ClusterFacts, { context, scenario }: DrillOptions): void {
  const unusable = facts.unusable.map(({ name, why }) => `; ${name}: ${why}`).join("");
  if (facts.nodes.length === 0) {
    const why = `The cluster has no healthy GPU node with a free GPU${unusable}.`;
    const fix = "create fake GPU nodes or mock GPUs as docs/laptop.md describes, or repair a GPU node or free its GPU";
    refuse("the cluster", [{ code: "missing", path: "--context", got: context, why, fix }]);
  }
  if (!scenario || isPossible(scenario, facts)) return;
  const why = `Needs ${scenario.needs?.text ?? "another cluster"}.`;
  refuse("the cluster", [
    { code: "not-allowed", path: "--scenario", got: scenario.id, why, fix: "choose another one with --list" },
  ]);
}

/** Runs the drill and restores the cluster, however it ends. */
async function perform(drill: Drill): Promise<number> {
  const { cluster, page, seed } = drill;
  return interruptible(async (signal) => {
    let target: Target | undefined;
    let done: DrillResult | undefined;
    let failure: unknown;
    await createNamespace(cluster, seed);
    try {
      done = await inCluster(drill, signal, (node) => (target = node));
    } catch (error) {
      if (signal.aborted) done = interruptedEarly(drill);
      else failure = error;
    }
    page.say("Restoring the cluster ...");
    const restored = await restore(cluster, target);
    page.say(...restoredLines(restored));
    if (restored.leftovers.length > 0) page.say("Or run:", { command: `${drillFor(cluster)} --restore` });
    if (failure !== undefined) {
      const { message } = failure as Error;
      const isOfCluster = failure instanceof Rejected || failure instanceof Unreachable;
      if (!isOfCluster || restored.leftovers.length === 0) throw failure as Error;
      page.say(`The drill failed: ${message}`);
    }
    if (done) page.resultIfJson(documentOf(done, restored.leftovers));
    if (restored.leftovers.length > 0) return exitStatus.failed;
    return done?.result === "solved" ? exitStatus.ok : exitStatus.rejected;
  });
}

/** The result of a drill that was interrupted before its symptom showed. */
function interruptedEarly({ cluster: { context }, seed, choice: { scenario, site } }: Drill) {
  const triage = { rootCauses: [], consequences: [] };
  const [symptom, result] = ["", "interrupted"] as const;
  return { context, seed, scenario, site, symptom, triage, progress: notStarted, result, seconds: 0 };
}

async function inCluster(
  { cluster, page, seed, choice, input }: Drill,
  signal: AbortSignal,
  onTarget: (target: Target) => void,
): Promise<DrillResult> {
  const { scenario, site } = choice;
  page.say("Injecting a failure ...");
  const found = await inject(choice, { call: cluster.call, seed, signal, onTarget });
  const triage = await diagnose(cluster, found);
  signal.throwIfAborted();
  const symptom = scenario.symptom(found.name);
  const right = rightAnswers(scenario, triage);
  const quiz = { answers: choice.answers, right, consequences: triage.consequences, hints: scenario.hints(site) };
  page.say(`Inspect the cluster with ${kubectlFor(cluster)}. Ctrl-C ends the drill and restores the cluster.`);
  page.say("", `Symptom: ${symptom}`, "", "What is the cause?", ...answerLines(quiz), usage);
  const started = Date.now();
  const { progress, result } = await ask(quiz, page, input, signal);
  const seconds = Math.round((Date.now() - started) / 1000);
  const { context } = cluster;
  const done = { context, seed, scenario, site, symptom, triage, progress, result, seconds };
  page.say("", ...resultLines(done), "");
  return done;
}

async function ask(
  quiz: Quiz,
  page: DrillPage,
  input: NodeJS.ReadableStream,
  signal: AbortSignal,
): Promise<{ readonly progress: Progress; readonly result: DrillResult["result"] }> {
  const lines = new Lines(input);
  let progress = notStarted;
  try {
    for (;;) {
      page.prompt();
      const line = await lines.next(signal);
      if (line === undefined) return { progress, result: signal.aborted ? "interrupted" : "input-ended" };
      page.echo(line, input);
      const turn = take(line, quiz, progress);
      progress = turn.progress;
      page.say(...turn.reply);
      if (progress.result) return { progress, result: progress.result };
    }
  } finally {
    lines.close();
  }
}

/** Where a drill writes: its conversation to standard output, or to standard error if the result is JSON. */
class DrillPage {
  constructor(
    private readonly console: Console,
    private readonly isJson: boolean,
  ) {}

  /** Writes paragraphs. Commands are not wrapped, so that they can be copied. */
  say(...lines: readonly Line[]): void {
    const width = pageWidth(this.console.terminal.columns ?? 100);
    const texts = lines.flatMap((line) =>
      typeof line === "string" ? paragraph(line, width) : indented([line.command]),
    );
    this.talk(texts.map((text) => `${text}\n`).join(""));
  }

  /** Writes names, each with a text beside it. */
  table(rows: readonly (readonly [name: string, text: string])[]): void {
    const lines = aligned(rows, [{}, { flexible: true }], pageWidth(this.console.terminal.columns ?? 100));
    this.talk(lines.map((line) => `${line}\n`).join(""));
  }

  prompt(): void {
    this.talk("> ");
  }

  /** Shows a line that was piped, where a terminal has shown it already. */
  echo(line: string, input: NodeJS.ReadableStream): void {
    if ((input as { isTTY?: boolean }).isTTY !== true) this.talk(`${line}\n`);
  }

  /** Writes the result as JSON, if the user asks for it. */
  resultIfJson(document: object): void {
    if (this.isJson) this.console.write(`${JSON.stringify(document, null, 2)}\n`);
  }

  private talk(text: string): void {
    if (this.isJson) this.console.warn(text);
    else this.console.write(text);
  }
}

/** A paragraph, or a numbered one with its text in a column. */
function paragraph(text: string, width: number): string[] {
  const [number = ""] = /^\d+ {2}/.exec(text) ?? [];
  const lines = wrapped(text.slice(number.length), width - number.length);
  return lines.map((line, at) => `${at === 0 ? number : " ".repeat(number.length)}${line}`);
}
