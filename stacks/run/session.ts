import { getRegionOutput } from "@pulumi/aws/getRegion";
import type { Inputs } from "@pulumi/pulumi";
import type { GpuEnvironment, GpuEnvironmentArgs } from "../../components";
import { environmentCost, type EnvironmentCost } from "../../components/cost/environment-cost";
import { gpuNodeLimits, scaleGpuNodes } from "../../components/environment/gpu-environment-outputs";
import { costSizes } from "../../components/environment/gpu-environment-plan";
import { remedyOf } from "./fault-rules";
import type { Lab } from "./lab";
import type { LabConfig } from "./lab-config";
import { labs } from "../labs";

/** Minutes for which an environment without GPU nodes is paid beside each session: to make it, and to destroy it. */
const around = 40;

/** What a session takes, wherever it is. */
export function sessionOf({ lab: name, remedy }: Pick<LabConfig, "lab" | "remedy">): Session {
  const lab: Lab = labs[name];
  return { minutes: lab.minutes, gpuNodes: remedyOf(lab, remedy)?.gpuNodes ?? lab.gpuNodes };
}

export interface Session {
  readonly minutes: number;
  readonly gpuNodes: number;
}

/**
 * The command that starts a session in an environment of the lab's own, and what the session costs. A lab that adds
 * nothing is the environment itself, and takes all of its GPU nodes.
 */
export function sessionOutputs(config: LabConfig, environment: GpuEnvironment): Inputs {
  const { environment: args, lab } = config;
  const region = getRegionOutput({}).region;
  const { min, max } = gpuNodeLimits(args);
  const needed = sessionOf(config);
  const wanted = "add" in labs[lab] ? needed.gpuNodes : max;
  const session = { ...needed, gpuNodes: Math.max(min, Math.min(wanted, max)) };
  return {
    gpuNodes: session.gpuNodes,
    scaleUp: scaleGpuNodes(environment, args, region, session.gpuNodes),
    sessionCost: region.apply((name) => describeSession(session, costWithoutGpus(args, name))),
  };
}

function costWithoutGpus(args: GpuEnvironmentArgs, region: string): EnvironmentCost {
  const sizes = costSizes(args, region);
  return environmentCost({ ...sizes, gpuNodes: { ...sizes.gpuNodes, desiredSize: 0 } });
}

/** `1.95 USD: …`; `at least` where a price is missing. */
export function describeSession({ minutes, gpuNodes }: Session, { atRest, perGpuNodeHour }: SessionPrices): string {
  const usd = ((minutes + around) / 60) * atRest.usdPerHour + (minutes / 60) * gpuNodes * perGpuNodeHour.usdPerHour;
  const nodes = gpuNodes === 1 ? "one GPU node" : `${gpuNodes} GPU nodes`;
  const atLeast = atRest.complete && perGpuNodeHour.complete ? "" : "at least ";
  return `${atLeast}${usd.toFixed(2)} USD: ${minutes} minutes with ${nodes}, and ${around} to make the cluster and destroy it`;
}

type Price = Pick<EnvironmentCost["atRest"], "usdPerHour" | "complete">;
type SessionPrices = { readonly atRest: Price; readonly perGpuNodeHour: Price };
