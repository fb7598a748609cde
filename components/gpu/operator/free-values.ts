import { join } from "../../core/checks";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { topLevelKeys, unknownChartKeys } from "./chart-keys";
import { gpuHealth, remoteEngineVariable, type GpuHealthEngine } from "../health/gpu-health";
import { valueAt } from "./values";

/** What no value may turn on, and why. */
const alwaysOff: readonly { path: readonly [string, string]; why: string }[] = [
  {
    path: ["driver", "enabled"],
    why: "The AL2023 NVIDIA AMI ships the driver, and NVIDIA publishes no driver container for AL2023.",
  },
  {
    path: ["toolkit", "enabled"],
    why: "The AL2023 NVIDIA AMI ships the container toolkit; the operator's own, installed over it, breaks it.",
  },
  {
    path: ["cdi", "nriPluginEnabled"],
    why: "The NRI plugin is part of the operator's container toolkit, which is off on the AL2023 NVIDIA AMI.",
  },
];

/** Values for which the component has an argument: stated twice, one would be believed and the other done. */
const argued: readonly { path: readonly string[]; argument: string }[] = [
  { path: ["devicePlugin", "enabled"], argument: "devicePlugin" },
  { path: ["dcgmExporter", "enabled"], argument: "dcgmExporter" },
  { path: ["dcgmExporter", "serviceMonitor", "enabled"], argument: "serviceMonitor" },
  { path: ["mig", "strategy"], argument: "migStrategy" },
];

type Values = Readonly<Record<string, unknown>>;

/** What free-form values are checked against. */
export interface FreeValuesContext {
  /** Leads the paths of the problems. */
  readonly at: string;
  /** Undefined when the choice itself is wrong. */
  readonly engine?: GpuHealthEngine | undefined;
  /** Undefined when it is not exact: then the keys of every release are known. */
  readonly chartVersion?: string | undefined;
}

/** Everything that is wrong with free-form values for the chart. */
export function freeValuesProblems(values: unknown, { at, engine, chartVersion }: FreeValuesContext): Problem[] {
  if (isOutput(values)) return requirePlainValue(at);
  if (!isRecord(values)) {
    const fix = `set ${at} to an object such as { gfd: { enabled: false } }`;
    return [{ code: "wrong-type", path: at, got: values, why: "It must hold the chart's values by key.", fix }];
  }
  return [
    ...unknownChartKeys(values, chartVersion, at),
    ...wrongSections(values, at),
    ...turnedOn(values, at),
    ...statedTwice(values, at),
    ...(engine ? engineProblems(values, engine, at) : []),
  ];
}

/** A section that is not an object would erase what the component writes below it. */
function wrongSections(values: Values, at: string): Problem[] {
  const known = topLevelKeys();
  return Object.entries(values)
    .filter(([key, got]) => known.includes(key) && key !== "extraObjects" && !isRecord(got))
    .map(([key, got]) => ({
      code: "wrong-type",
      path: join(at, key),
      got,
      why: "The chart has an object here, and anything else would erase it.",
      fix: `state single keys below ${join(at, key)}`,
    }));
}

function turnedOn(values: Values, at: string): Problem[] {
  return alwaysOff.flatMap(({ path, why }) => {
    const got = valueAt(values, path);
    const full = join(at, path.join("."));
    return got === undefined || got === false
      ? []
      : [{ code: "not-allowed" as const, path: full, got, why, fix: `remove ${full}` }];
  });
}

function statedTwice(values: Values, at: string): Problem[] {
  return argued.flatMap(({ path, argument }) => {
    const got = valueAt(values, path);
    if (got === undefined) return [];
    const [full, instead] = [join(at, path.join(".")), at.replace(/values$/, argument)];
    const why = `${instead} says it, and what else is made goes by that.`;
    return [{ code: "conflict" as const, path: full, got, why, fix: `remove ${full}, and set ${instead}` }];
  });
}

/** Values that would give a node two DCGM engines, or an exporter that finds none. */
function engineProblems(values: Values, engine: GpuHealthEngine, at: string): Problem[] {
  const { dcgm, dcgmExporter } = gpuHealth({ engine, taints: [] }).operatorValues;
  const why = `A node must have exactly one DCGM engine, and health "${engine}" has chosen it.`;
  const differs = (path: readonly string[], chosen: unknown): Problem[] => {
    const got = valueAt(values, path);
    const full = join(at, path.join("."));
    return got === undefined || chosen === undefined || got === chosen
      ? []
      : [{ code: "conflict", path: full, got, why, fix: `remove ${full}, or choose another engine with health` }];
  };
  const env = valueAt(values, ["dcgmExporter", "env"]);
  const remote = dcgmExporter.env?.[0]?.value;
  const path = join(at, "dcgmExporter.env");
  const fix = remote
    ? `add { name: "${remoteEngineVariable}", value: "${remote}" } to ${path}`
    : `remove ${remoteEngineVariable} from ${path}, or choose another engine with health`;
  return [
    ...differs(["dcgm", "enabled"], dcgm.enabled),
    ...differs(["dcgmExporter", "hostNetwork"], dcgmExporter.hostNetwork),
    ...(env === undefined || remoteEngine(env) === remote
      ? []
      : [{ code: "conflict" as const, path, got: env, why, fix }]),
  ];
}

function remoteEngine(env: unknown): unknown {
  const entries: readonly unknown[] = Array.isArray(env) ? env : [];
  return valueAt(
    entries.find((entry) => valueAt(entry, ["name"]) === remoteEngineVariable),
    ["value"],
  );
}
