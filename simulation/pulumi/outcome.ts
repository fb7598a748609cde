import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/events";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";

/** What the engine did, or would do, with one resource. */
export interface Step {
  readonly urn: string;
  readonly type: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** `create`, `update`, `same`, `create-replacement`, `refresh`… */
  readonly op: string;
  /** Place among all events of the run: what ended before another began has a lower number. */
  readonly began: number;
  /** Undefined when the run ended first. */
  readonly ended: number | undefined;
  readonly failed: boolean;
  /** Whether it is an object of a provider, not a component. */
  readonly custom: boolean;
  /** Inputs that differ, by path, and how: `scalingConfig.maxSize` to `update`. */
  readonly diff: Readonly<Record<string, string>>;
}

export interface Diagnostic {
  readonly severity: string;
  readonly message: string;
  readonly urn: string | undefined;
}

/** What a policy says against a resource or the whole stack. */
export interface PolicyViolation {
  readonly pack: string;
  readonly policy: string;
  readonly level: string;
  readonly message: string;
  readonly urn: string | undefined;
}

/** What came of a command. */
export interface Outcome {
  /** Exit status; undefined when a signal ended it. */
  readonly status: number | undefined;
  readonly steps: readonly Step[];
  /** Warnings and errors. */
  readonly diagnostics: readonly Diagnostic[];
  readonly violations: readonly PolicyViolation[];
  /** The stack's outputs as far as they are known; secrets read `[secret]`. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** How long it took, the start of the CLI included. */
  readonly seconds: number;
  /** What the CLI printed beside the events: complaints, mostly. */
  readonly cliOutput: string;
}

/** The steps that change something. */
export function changesOf({ steps }: Pick<Outcome, "steps">): Step[] {
  return steps.filter(({ op }) => !["same", "read", "refresh"].includes(op));
}

/** The same as people count them: a replacement is one change, not the three steps that the engine takes for it. */
export function logicalChangesOf(outcome: Pick<Outcome, "steps">): Step[] {
  return changesOf(outcome).filter(({ op }) => !["create-replacement", "delete-replaced"].includes(op));
}

/** Puts together what the events of a run tell. */
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
    const step = stepOf(end.metadata, takeOpen(open, end.metadata)?.began ?? index, index, failed !== undefined);
    // A preview tells of a component twice: when it is registered and when it has its outputs.
    const told = steps.findIndex(({ urn, op }) => urn === step.urn && op === step.op);
    if (told >= 0) steps.push({ ...step, began: steps.splice(told, 1)[0]?.began ?? index });
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

/** A step ends under its own name; only a refresh ends under that of its result. */
function takeOpen(open: Step[], { urn, op }: StepEventMetadata): Step | undefined {
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

/** The name a resource has in its program. */
export function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

function diagnosticsOf({ diagnosticEvent: event }: EngineEvent): Diagnostic[] {
  if (!event || !["warning", "error"].includes(event.severity)) return [];
  return [{ severity: event.severity, message: event.message.trim(), urn: event.urn }];
}

function violationsOf({ policyEvent: event }: EngineEvent): PolicyViolation[] {
  if (!event) return [];
  const { policyPackName: pack, policyName: policy, enforcementLevel: level, message, resourceUrn: urn } = event;
  return [{ pack, policy, level, message: message.trim(), urn }];
}

/** Secrets travel as objects that hold no value. */
function plain(outputs: Properties): Properties {
  return Object.fromEntries(
    Object.entries(outputs).map(([key, value]) => [key, isRecord(value) && "ciphertext" in value ? "[secret]" : value]),
  );
}
