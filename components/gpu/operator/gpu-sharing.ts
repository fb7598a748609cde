import { dump } from "js-yaml";
import { isPlainObject, join, keysOf, oneOf, onlyKeys, wholeNumber } from "../../core/checks";
import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { type Json, type JsonObject } from "./values";

/** How many pods one GPU is offered to. */
export interface GpuShares {
  /** A whole number: 2 to 110 for time slicing, 2 to 48 for MPS. */
  readonly replicas: number;
}

/**
 * Time slicing has no limit of its own; 110 is the number of pods a kubelet takes unless told otherwise. An MPS server
 * of a Volta or newer GPU takes 48 clients.
 * @see https://github.com/NVIDIA/k8s-device-plugin/blob/v0.19.0/cmd/mps-control-daemon/mps/device.go
 */
const mostReplicas = { timeSlicing: 110, mps: 48 } as const;

/**
 * The device plugin's values when it offers one GPU to several pods: the chart puts the configuration into a
 * ConfigMap. Its name holds the number, because the operator restarts the plugin for a new name but not for new data.
 * @see https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/gpu-sharing.html
 */
export function sharingConfig(shares: {
  timeSlicing?: GpuShares | undefined;
  mps?: GpuShares | undefined;
}): JsonObject {
  const { timeSlicing, mps } = shares;
  if (timeSlicing) {
    // A second share of a GPU makes a pod no faster: better refused than believed.
    const sharing = { timeSlicing: { failRequestsGreaterThanOne: true, resources: resources(timeSlicing) } };
    return config(`time-slicing-${timeSlicing.replicas}`, sharing);
  }
  return mps ? config(`mps-${mps.replicas}`, { mps: { resources: resources(mps) } }) : {};
}

function resources({ replicas }: GpuShares): Json {
  return [{ name: "nvidia.com/gpu", replicas }];
}

function config(name: string, sharing: JsonObject): JsonObject {
  return {
    config: { create: true, name: "gpu-sharing", default: name, data: { [name]: dump({ version: "v1", sharing }) } },
  };
}

const sharesKeys = keysOf<GpuShares>({ replicas: true });

type Given = Readonly<Record<string, unknown>>;

/** Everything that is wrong with time slicing, MPS and MIG together. */
export function sharingProblems(given: Given, at: string): Problem[] {
  const { timeSlicing, mps, devicePlugin } = given;
  const problems = [...sharesProblems("timeSlicing", timeSlicing, at), ...sharesProblems("mps", mps, at)];
  const conflict = (key: string, got: unknown, why: string, fix: string) =>
    problems.push({ code: "conflict", path: join(at, key), got, why, fix });
  if (timeSlicing !== undefined && mps !== undefined) {
    conflict(
      "mps",
      mps,
      "The device plugin shares a GPU either by time slicing or by MPS.",
      "state one of timeSlicing and mps",
    );
  }
  if (devicePlugin === false && (timeSlicing ?? mps) !== undefined) {
    const key = timeSlicing === undefined ? "mps" : "timeSlicing";
    const fix = `set ${join(at, "devicePlugin")} to true, or leave ${key} out`;
    conflict(key, given[key], "It is the device plugin that shares GPUs, and it is off.", fix);
  }
  return [...problems, ...migProblems(given, at)];
}

function sharesProblems(key: "timeSlicing" | "mps", got: unknown, at: string): Problem[] {
  if (got === undefined) return [];
  const path = join(at, key);
  const replicas = join(path, "replicas");
  if (isOutput(got)) return requirePlainValue(path);
  if (!isPlainObject(got)) {
    return [{ code: "wrong-type", path, got, why: "It must be an object.", fix: `set ${replicas}, e.g. to 4` }];
  }
  return [
    ...onlyKeys(path, got, sharesKeys),
    ...wholeNumber(replicas, got["replicas"], { min: 2, max: mostReplicas[key] }),
  ];
}

/**
 * MIG cuts a GPU in hardware; only some models can.
 * @see https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-gpus.html
 */
function migProblems({ migStrategy, migCapable, mps }: Given, at: string): Problem[] {
  if (migStrategy === undefined) return [];
  const path = join(at, "migStrategy");
  const problems = oneOf(path, migStrategy, ["single", "mixed"]);
  if (problems.length === 0 && migCapable === false) {
    const why = "The GPUs have no MIG: an A100, A30 or H100 has, an A10G, L4, L40S or T4 has not.";
    const fix = `leave ${path} out, or use an instance type whose GPUs have MIG`;
    problems.push({ code: "conflict", path, got: migStrategy, why, fix });
  }
  if (mps !== undefined && migCapable === true) {
    const why = "The device plugin cannot share MIG devices by MPS.";
    problems.push({ code: "conflict", path: join(at, "mps"), got: mps, why, fix: `leave mps or ${path} out` });
  }
  return problems;
}
