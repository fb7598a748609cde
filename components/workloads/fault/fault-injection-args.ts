import type { JobArgs } from "@pulumi/kubernetes/batch/v1/job";
import type { Input } from "@pulumi/pulumi";
import { isPlainObject, join, keysOf, noObject, oneOf, onlyKeys, wholeNumber } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { expiryProblems } from "../../core/faults";
import type { Problem } from "../../core/problems";
import { transformProblems, type Transform } from "../../core/transform";
import { workloadImages } from "../../core/versions";
import type { FaultArgs } from "../shared/faults";
import { imageProblems } from "../shared/images";
import { freeTextProblems, nodeNameProblems } from "../shared/names";
import { workloadDefaults, workloadKeys, workloadProblems, type WorkloadArgs } from "../shared/workload";
import { dcgmFields, fatalXids, type DcgmFault } from "./dcgm-faults";

export interface FaultInjectionArgs extends WorkloadArgs, FaultArgs {
  /**
   * Namespace of the Job.
   * @default "kube-system" - where the node monitor and its engine run; a pod that needs a GPU node but no GPU would be
   *   odd elsewhere
   */
  readonly namespace?: Input<string>;
  /**
   * What DCGM is to report: a double-bit error in the memory of the GPU, or the error of the driver that `xid` names.
   * @default "double-bit-ecc" - the one that the node monitor's own tests inject
   */
  readonly fault?: DcgmFault;
  /**
   * Number of the driver's error, one of those for which the node monitor calls a node unhealthy.
   * @default none - 79 under `fault: "xid"`: the GPU has fallen off the bus
   */
  readonly xid?: number;
  /** Which GPU of the node, by DCGM's number: 0 to 15. @default 0 - the only one of a g5.xlarge */
  readonly gpuIndex?: number;
  /**
   * Name of the node. On one without a GPU the Job never starts.
   * @default none - any GPU node
   */
  readonly nodeName?: string;
  /**
   * Names this injection. Another text makes a new Job in place of the old one. 1 to 200 characters.
   * @default "1" - the first
   */
  readonly attempt?: string;
  /**
   * Seconds after which the Job gives up, with the time that its pod waits for a node: 60 to 3600.
   * @default 900 - the image of some 2 GB is pulled first
   */
  readonly timeoutSeconds?: number;
  /**
   * Image with dcgmi, by exact tag or digest.
   * @default "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubuntu24.04" - as old as the engine of the add-on at v1.7.0
   */
  readonly image?: string;
  /** Adjusts the underlying resource. @default none - it is made as described */
  readonly transform?: FaultInjectionTransform;
}

/** Adjusts the Job before it is made. */
export interface FaultInjectionTransform {
  readonly job?: Transform<JobArgs>;
}

export const faultInjectionDefaults = {
  ...workloadDefaults,
  namespace: "kube-system",
  fault: "double-bit-ecc",
  gpuIndex: 0,
  attempt: "1",
  timeoutSeconds: 900,
  image: workloadImages.dcgm,
} as const;

/** The XID where none is stated: the one that everybody fears. */
export const defaultXid = 79;

const faultInjectionKeys = keysOf<FaultInjectionArgs>({
  ...workloadKeys,
  expires: true,
  fault: true,
  xid: true,
  gpuIndex: true,
  nodeName: true,
  attempt: true,
  timeoutSeconds: true,
  image: true,
  transform: true,
});

type Given = Readonly<Record<string, unknown>>;

/** Everything that is wrong with the arguments of a FaultInjection. `at` leads the paths, `now` is for tests. */
export function faultInjectionProblems(args: FaultInjectionArgs, at = "", now = new Date()): Problem[] {
  if (!isPlainObject(args)) return noObject(at, args);
  const given: Given = withDefaults(args, faultInjectionDefaults);
  const seconds = { min: 60, max: 3600, unit: "seconds" };
  return [
    ...onlyKeys(at, args, faultInjectionKeys),
    ...expiryProblems(join(at, "expires"), given["expires"], now),
    ...workloadProblems(given, at),
    ...faultProblems(given, at),
    ...wholeNumber(join(at, "gpuIndex"), given["gpuIndex"], { min: 0, max: 15 }),
    ...(given["nodeName"] === undefined ? [] : nodeNameProblems(join(at, "nodeName"), given["nodeName"])),
    ...freeTextProblems(join(at, "attempt"), given["attempt"]),
    ...wholeNumber(join(at, "timeoutSeconds"), given["timeoutSeconds"], seconds),
    ...imageProblems(join(at, "image"), given["image"]),
    ...transformProblems(join(at, "transform"), args.transform, keysOf<FaultInjectionTransform>({ job: true })),
  ];
}

function faultProblems({ fault, xid }: Given, at: string): Problem[] {
  const path = join(at, "xid");
  const problems = oneOf(join(at, "fault"), fault, Object.keys(dcgmFields));
  if (xid === undefined || problems.length > 0) return problems;
  const refused = (code: Problem["code"], why: string, fix: string): Problem[] => [{ code, path, got: xid, why, fix }];
  if (fault !== "xid") {
    const why = `It belongs to the fault "xid", and this one is ${JSON.stringify(fault)}.`;
    return refused("conflict", why, `leave ${path} out, or set ${join(at, "fault")} to "xid"`);
  }
  const number = wholeNumber(path, xid, { min: 1, max: 999 });
  if (number.length > 0 || fatalXids.some((fatal) => fatal === xid)) return number;
  const why = "The node monitor makes an event of it and leaves the node's condition as it is.";
  return refused("not-allowed", why, `set ${path} to one of ${fatalXids.join(", ")}`);
}
