import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/events";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";

/** What the engine did, or would do, with a resource. */
export interface Step {
  readonly urn: string;
  readonly type: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** `create`, `update`, `same`, `create-replacement`, `refresh`… */
  readonly op: string;
  /** Index of the step's first event among all events of the run. */
  readonly began: number;
  /** Index of its last event; undefined when the run ended before the step. */
  readonly ended: number | undefined;
  readonly failed: boolean;
  /** Whether the resource belongs to a provider; a component does not. */
  readonly custom: boolean;
  /** The kind of change by path of the input, e.g. `scalingConfig.maxSize: "update"`. */
  readonly diff: Readonly<Record<string, string>>;
}

interface Diagnostic {
  readonly severity: string;
  readonly message: string;
}

/** A policy violation of a resource or of the stack. */
interface PolicyViolation {
  readonly pack: string;
  readonly policy: string;
  readonly level: string;
  readonly message: string;
}

/** The result of a command. */
export interface Outcome {
  /** Exit status; undefined after a signal. */
  readonly status: number | undefined;
  readonly steps: readonly Step[];
  /** Warnings and errors. */
  readonly diagnostics: readonly Diagnostic[];
  readonly violations: readonly PolicyViolation[];
  /** The known outputs of the stack; secrets are `[secret]`. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Duration, including the start of the CLI. */
  readonly seconds: number;
  /** What the CLI printed apart from events, usually errors. */
  readonly cliOutput: string;
}

/** The steps that change a resource. */
export function changesOf({ steps }: Pick<Outcome, "steps">): Step[] {
  return steps.filter(({ op }) => !["same", "read", "refresh"].includes(op));
}

/** The changes of a run, with a replacement as one change instead of the engine's three steps. */
export function logicalChangesOf(outcome: Pick<Outcome, "steps">): Step[] {
  return changesOf(outcome).filter(({ op }) => !["create-replacement", "delete-replaced"].includes(op));
}

/** Collects steps, diagnostics, policy violations and outputs from the events of a run. */
export function readEvents(
  events: readonly EngineEvent[],
): Pick<Outcome, "steps" | "diagnostics" | "violations" | "outputs"> {
  const steps: Step[] = [];
  const open: Step[] = [];
  let outputs: Readonly<Record<string, unknown>> = {};
  events.forEach(({ resourcePreEvent: began, resOutputsEvent: done, resOpFailedEvent: failed }, index) => {
    if (began) open.push(stepOf(began.metadata, index, undefined, false));
    const end = done ?? failed;
    if (!end) return;
    const step = stepOf(end.metadata, takeStarted(open, end.metadata)?.began ?? index, index, failed !== undefined);
    // A preview reports a component twice: when it is registered and when its outputs are registered.
    const previous = steps.findIndex(({ urn, op }) => urn === step.urn && op === step.op);
    if (previous >= 0) steps.push({ ...step, began: steps.splice(previous, 1)[0]?.began ?? index });
    else steps.push(step);
    if (end.metadata.type === "pulumi:pulumi:Stack") outputs = plain((end.metadata.new?.outputs ?? {}) as Properties);
  });
  return {
    steps: [...steps, ...open].sort((a, b) => a.began - b.began),
    diagnostics: events.flatMap(diagnosticsOf),
    violations: events.flatMap(violationsOf),
    outputs,
  };
}

/** A step ends with the operation it began with; only a refresh ends with the operation of its result. */
function takeStarted(open: Step[], { urn, op }: StepEventMetadata): Step | undefined {
  const exact = open.findIndex((step) => step.urn === urn && step.op === op);
  const index = exact >= 0 ? exact : open.findIndex((step) => step.urn === urn && step.op === "refresh");
  return index >= 0 ? open.splice(index, 1)[0] : undefined;
}

function stepOf(metadata: StepEventMetadata, began: number, ended: number | undefined, failed: boolean): Step {
  const { urn, type, op, detailedDiff, diffs } = metadata;
  const diff: (readonly [path: string, kind: string])[] = detailedDiff
    ? Object.entries(detailedDiff).map(([path, { diffKind }]) => [path, diffKind])
    : (diffs ?? []).map((path) => [path, "update"]);
  const custom = (metadata.new ?? metadata.old)?.custom === true;
  return { urn, type, name: nameOf(urn), op, began, ended, failed, custom, diff: Object.fromEntries(diff) };
}

/** The name of a resource in its program. */
export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

function diagnosticsOf({ diagnosticEvent: event }: EngineEvent): Diagnostic[] {
  if (!event || !["warning", "error"].includes(event.severity)) return [];
  return [{ severity: event.severity, message: event.message.trim() }];
}

function violationsOf({ policyEvent: event }: EngineEvent): PolicyViolation[] {
  if (!event) return [];
  const { policyPackName: pack, policyName: policy, enforcementLevel: level, message } = event;
  return [{ pack, policy, level, message: message.trim() }];
}

/** Events contain secrets as objects without a value. */
function plain(outputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(outputs).map(([key, value]) => [key, isRecord(value) && "ciphertext" in value ? "[secret]" : value]),
  );
}
