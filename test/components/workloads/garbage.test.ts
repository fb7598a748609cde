import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as library from "../../../components";
import type { Problem } from "../../../components";

type Check = (args: object, at?: string) => Problem[];

/** The keys of each workload's arguments, `transform` and `cluster` left out: they hold what is Pulumi's. */
const workloads: Readonly<Record<string, readonly [check: unknown, keys: readonly string[]]>> = {
  GpuProbe: [library.gpuProbeProblems, ["mode", "gpus", "image", "schedule", "namespace", "taints", "wait"]],
  GpuDeployment: [
    library.gpuDeploymentProblems,
    [
      ...["replicas", "gpus", "rollout", "pinnedTo", "allowDeadlock", "gpuProducts", "priority", "revision", "port"],
      ...["progressDeadlineSeconds", "image", "command", "args", "env", "readiness", "cpu", "memory", "user"],
    ],
  ],
  ModelServer: [
    library.modelServerProblems,
    [
      ...["model", "replicas", "tensorParallelSize", "gpus", "maxModelLen", "gpuMemoryUtilization", "dtype", "token"],
      ...["cache", "sharedMemory", "startupMinutes", "extraArgs", "env", "port", "image", "cpu", "memory", "revision"],
      ...["serviceMonitor", "monitorLabels", "allowMisfit"],
    ],
  ],
  NcclTest: [
    library.ncclTestProblems,
    [
      ...["nodes", "gpusPerNode", "expectTransport", "efaDevices", "timeoutSeconds", "pendingSeconds", "attempt"],
      ...["image", "sizesMiB", "memory", "env"],
    ],
  ],
  FaultInjection: [
    library.faultInjectionProblems,
    ["expires", "fault", "xid", "gpuIndex", "nodeName", "attempt", "timeoutSeconds", "image", "namespace"],
  ],
  SocketWatch: [library.socketWatchProblems, ["paths", "port", "serviceMonitor", "monitorLabels", "image", "wait"]],
  SocketMount: [library.socketMountProblems, ["expires", "path", "typed", "nodeName", "nodeSelector", "attempt"]],
};

const something = fc.oneof(
  fc.anything(),
  fc.constantFrom(
    pulumi.output("a"),
    pulumi.output([1]),
    Promise.resolve(1),
    Symbol("s"),
    () => 1,
    10n,
    "efa",
    "xid",
    "surge",
  ),
);

test.for(Object.entries(workloads))(
  "%s: whatever its arguments hold, there are problems and no errors",
  ([, [check, keys]]) => {
    const arbitrary = fc.record(Object.fromEntries(keys.map((key) => [key, something])), { requiredKeys: [] });
    fc.assert(
      fc.property(arbitrary, (args) => {
        for (const { path, why, fix } of (check as Check)(args, "lab")) {
          expect(path).toMatch(/^lab\b/);
          expect(`${why}${fix}`).not.toContain("undefined");
        }
      }),
      { numRuns: 300 },
    );
  },
);

test.for(Object.entries(workloads))(
  "%s: an argument of another kind is reported with its path",
  ([, [check, keys]]) => {
    for (const key of keys) {
      for (const value of [Symbol("s"), 1.5, { a: { b: 1 } }]) {
        const paths = (check as Check)({ [key]: value }).map(({ path }) => path);
        expect([
          key,
          paths.some((path) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`)),
        ]).toEqual([key, true]);
      }
    }
  },
);
