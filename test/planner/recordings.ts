import type { CostReport } from "../../planner/cost/cost";
import { planCost } from "../../planner/cost/cost";
import type { Plan } from "../../planner/plan";
import type { Diagnostic, RecordedOptions, RecordedResource, Recording } from "../../planner/record/record";
import type { Finding } from "../../policies/engine/judge";

/** A short description of a resource; `from` names the resources that the value of a property comes from. */
export interface ResourceSpec {
  type: string;
  name: string;
  /** Name of a component of the same recording. */
  parent?: string;
  component?: boolean;
  remote?: boolean;
  inputs?: Record<string, unknown>;
  from?: Record<string, string[]>;
  secretPaths?: string[];
  provider?: string;
  options?: Partial<RecordedOptions>;
}

const noOptions: RecordedOptions = {
  ignoreChanges: [],
  protect: false,
  deleteBeforeReplace: false,
  retainOnDelete: false,
};

/** A recording with URNs as the engine builds them. Refer to one of several resources with the same name by `type name`. */
export function recordingOf(
  specs: readonly ResourceSpec[],
  { stack = "test", diagnostics = [] }: { stack?: string; diagnostics?: Diagnostic[] } = {},
): Recording {
  const project = "lab";
  const stackUrn = `urn:pulumi:${stack}::${project}::pulumi:pulumi:Stack::${project}-${stack}`;
  const find = (name: string): ResourceSpec => {
    const found = specs.find((one) => one.name === name || `${one.type} ${one.name}` === name);
    if (!found) throw new Error(`no resource ${name}`);
    return found;
  };
  const types = ({ type, parent }: ResourceSpec): string =>
    parent === undefined ? type : `${types(find(parent))}$${type}`;
  const urn = (one: ResourceSpec): string => `urn:pulumi:${stack}::${project}::${types(one)}::${one.name}`;
  const resources = specs.map((one): RecordedResource => {
    const propertyDependencies = Object.fromEntries(
      Object.entries(one.from ?? {}).map(([property, names]) => [property, names.map((name) => urn(find(name)))]),
    );
    return {
      urn: urn(one),
      type: one.type,
      name: one.name,
      custom: !(one.component ?? false) && !(one.remote ?? false),
      remote: one.remote ?? false,
      parent: one.parent === undefined ? stackUrn : urn(find(one.parent)),
      inputs: one.inputs ?? {},
      secretPaths: one.secretPaths ?? [],
      ...(one.provider !== undefined && { provider: one.provider }),
      dependencies: [...new Set(Object.values(propertyDependencies).flat())],
      propertyDependencies,
      options: { ...noOptions, ...one.options },
    };
  });
  const root: RecordedResource = {
    urn: stackUrn,
    type: "pulumi:pulumi:Stack",
    name: `${project}-${stack}`,
    custom: false,
    remote: false,
    inputs: {},
    secretPaths: [],
    dependencies: [],
    propertyDependencies: {},
    options: noOptions,
  };
  return { project, stack, resources: [...resources, root], outputs: {}, secretOutputs: [], diagnostics };
}

/** A plan of a recording, without findings by default. */
export function planOf(
  recording: Recording,
  { findings = [], cost, region = "ap-northeast-2" }: { findings?: Finding[]; cost?: CostReport; region?: string } = {},
): Plan {
  const titles = { "gpu-taint": "GPU nodes have a taint", quota: "Sizes fit the quota", lease: "Sessions end" };
  const pack = { name: "lab", version: "1.2.3", rules: 24, titles };
  return { recording, cost: cost ?? planCost(recording, region), findings, pack, region };
}

export function finding(facts: Partial<Finding>): Finding {
  return {
    pack: "lab",
    rule: "gpu-taint",
    level: "mandatory",
    severity: "high",
    urn: "urn:pulumi:test::lab::aws:eks/nodeGroup:NodeGroup::gpu",
    name: "gpu",
    verdict: "fail",
    message: "taints: got nothing. Pods that need no GPU can fill this node.\nfix: add the taint",
    ...facts,
  };
}

/** A cost report for a region without prices. */
export const unpricedCost: CostReport = {
  region: "us-gov-west-1",
  atRest: {
    lines: [
      {
        item: "EKS control plane",
        unit: "cluster-hour",
        quantity: 1,
        usdPerUnit: undefined,
        usdPerHour: undefined,
        status: "unknown",
        note: "no price known",
      },
    ],
    usdPerHour: 0,
    usdPerMonth: 0,
    complete: false,
  },
  gpuGroups: [
    {
      name: "gpu",
      instanceType: "g5.xlarge",
      maxSize: 2,
      usdPerNodeHour: undefined,
      usdPerHourAtMax: undefined,
      lines: [],
    },
  ],
  sessionHour: { usd: 0, complete: false, lines: [] },
  usageBased: [],
  pricesAsOf: "2026-11-21",
  priceTable: { date: "2026-11-21" },
  sources: [],
};
