import { getRegionOutput } from "@pulumi/aws/getRegion";
import type { Inputs } from "@pulumi/pulumi";
import type { GpuEnvironment } from "../../components";
import { environmentCost, type EnvironmentCost } from "../../components/cost/environment-cost";
import { gpuNodeLimits, scaleGpuNodes } from "../../components/environment/gpu-environment-outputs";
import { sizesOf, type EnvironmentSettings } from "../../components/environment/gpu-environment-plan";
import { remedyOf } from "./fault-rules";
import type { Lab } from "./lab";
import type { LabConfig } from "./lab-config";
import { labs } from "../labs";

/** Minutes that an environment without GPU nodes costs in addition to a session: to create and to destroy it. */
const setupMinutes = 40;

/** The length and the GPU nodes of a session. */
export function sessionOf({ lab: name, remedy }: Pick<LabConfig, "lab" | "remedy">): Session {
  const lab: Lab = labs[name];
  return { minutes: lab.minutes, gpuNodes: remedyOf(lab, remedy)?.gpuNodes ?? lab.gpuNodes };
}

type Session = Pick<Lab, "minutes" | "gpuNodes">;

/**
 * The command that starts a session in the lab's own environment, and the cost of the session. A lab that adds nothing
 * is the environment itself and uses all of its GPU nodes.
 */
export function sessionOutputs(config: LabConfig, settings: EnvironmentSettings, environment: GpuEnvironment): Inputs {
  const { lab } = config;
  const region = getRegionOutput({}).region;
  const { min, max } = gpuNodeLimits(settings);
  const needed = sessionOf(config);
  const wanted = "add" in labs[lab] ? needed.gpuNodes : max;
  const session = { ...needed, gpuNodes: Math.max(min, Math.min(wanted, max)) };
  return {
    gpuNodes: session.gpuNodes,
    scaleUp: scaleGpuNodes(environment, settings, region, session.gpuNodes),
    sessionCost: region.apply((name) => describeSession(session, costWithoutGpus(settings, name))),
  };
}

function costWithoutGpus(settings: EnvironmentSettings, region: string): EnvironmentCost {
  const sizes = sizesOf(settings, region);
  return environmentCost({ ...sizes, gpuNodes: { ...sizes.gpuNodes, desiredSize: 0 } });
}

/** `1.95 USD: …`; `at least` where a price is missing. */
export function describeSession({ minutes, gpuNodes }: Session, { atRest, perGpuNodeHour }: SessionPrices): string {
  const usd =
    ((minutes + setupMinutes) / 60) * atRest.usdPerHour + (minutes / 60) * gpuNodes * perGpuNodeHour.usdPerHour;
  const nodes = gpuNodes === 1 ? "one GPU node" : `${gpuNodes} GPU nodes`;
  const atLeast = atRest.complete && perGpuNodeHour.complete ? "" : "at least ";
  return `${atLeast}${usd.toFixed(2)} USD: ${minutes} minutes with ${nodes}, and ${setupMinutes} minutes to create and destroy the cluster`;
}

type Price = Pick<EnvironmentCost["atRest"], "usdPerHour" | "complete">;
type SessionPrices = { readonly atRest: Price; readonly perGpuNodeHour: Price };
