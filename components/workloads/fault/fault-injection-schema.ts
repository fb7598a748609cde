import type { JobArgs } from "@pulumi/kubernetes/batch/v1/job";
import * as v from "valibot";
import { namespace, nodeName } from "../../core/kubernetes-names";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { transformOf, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import { image, runName } from "../shared/container-schema";
import { faultArgs } from "../shared/faults";
import { workloadArgs } from "../shared/workload";
import { dcgmFaults, fatalXids } from "./dcgm-faults";

/** Adjusts the Job before it is made. */
export interface FaultInjectionTransform {
  readonly job?: Transform<JobArgs>;
}

const injection = s.section({
  ...workloadArgs.entries,
  ...faultArgs.entries,
  /**
   * Namespace of the Job.
   * @default "kube-system" - the namespace of the node monitoring agent and its DCGM engine
   */
  namespace: s.optional(namespace(), "kube-system"),
  /**
   * The error that DCGM reports: a double-bit error in the GPU's memory, or the driver error in `xid`.
   * @default "double-bit-ecc" - the tests of the agent inject this error, too
   */
  fault: s.optional(s.oneOf(dcgmFaults), "double-bit-ecc"),
  /**
   * Number of the driver error: one of the errors for which the node monitoring agent reports the node as unhealthy.
   * @default none - 79 with `fault: "xid"`: the GPU has fallen off the bus
   */
  xid: s.optional(s.wholeNumber({ min: 1, max: 999 })),
  /** DCGM's number of the GPU on its node, 0 to 15. @default 0 - the only GPU of a g5.xlarge */
  gpuIndex: s.optional(s.wholeNumber({ min: 0, max: 15 }), 0),
  /** Name of the node. On a node without a GPU the Job never starts. @default none - any GPU node */
  nodeName: s.optional(nodeName()),
  /**
   * Names this injection. A new name replaces the Job, which injects the error again. 1 to 200 characters.
   * @default "1" - the first
   */
  attempt: s.optional(runName(), "1"),
  /**
   * Seconds after which the Job fails, including the time in which its pod is pending: 60 to 3600.
   * @default 900 - the node pulls the image of about 2 GB first
   */
  timeoutSeconds: s.optional(s.wholeNumber({ min: 60, max: 3600, unit: "seconds" }), 900),
  /**
   * Image with dcgmi, by exact tag or digest.
   * @default "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubi10@sha256:92080d86d04c265f7fc0b8e1cd95dff94d3ab57de6a6474c3c483e4c2ada5dea" - the version of the engine in the add-on v1.7.0
   */
  image: s.optional(image(), workloadImages.dcgm),
  /** Adjusts an underlying resource. @default none - none is adjusted */
  transform: s.optional(transformOf<FaultInjectionTransform>({ job: true })),
});

/** Arguments of a FaultInjection. */
export const faultInjection = v.pipe(injection, s.check(xidConflicts));

export interface FaultInjectionArgs extends Readonly<GivenOf<typeof faultInjection>> {}

export const faultInjectionDefaults = defaultsOf(injection);

function xidConflicts({ fault, xid: got }: ValueOf<typeof injection>, at: string): Problem[] {
  const path = join(at, "xid");
  if (got === undefined) return [];
  if (fault !== "xid") {
    const why = `Must not be set with the fault "${fault}".`;
    return [{ code: "conflict", path, got, why, fix: `remove ${path}, or set ${join(at, "fault")} to "xid"` }];
  }
  if (fatalXids.includes(got)) return [];
  const why = "For this error the node monitoring agent only records an event. The node's condition does not change.";
  return [{ code: "not-allowed", path, got, why, fix: `set ${path} to one of ${fatalXids.join(", ")}` }];
}

/** Every problem in the arguments of a FaultInjection. `at` is the prefix of the paths. */
export function faultInjectionProblems(args: FaultInjectionArgs, at = ""): readonly Problem[] {
  return problemsIn(faultInjection, args, at);
}
