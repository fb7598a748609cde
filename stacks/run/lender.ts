import * as pulumi from "@pulumi/pulumi";
import { clusterFacts, clusterFactsProblems, refuse, type ClusterFacts, type Problem } from "../../components";

/** What a stack with a cluster exports, so that others can make something in it. */
export interface Lent extends Readonly<Record<SessionOutput, pulumi.Output<unknown>>> {
  readonly clusterFacts: ClusterFacts;
  readonly kubeconfig: pulumi.Output<string>;
}

/** What a session in the cluster begins and ends with, and costs. */
const sessionOutputs = [
  "configureKubectl",
  "scaleUp",
  "scaleDown",
  "costAtRest",
  "costPerGpuNode",
  "monitoring",
] as const;
type SessionOutput = (typeof sessionOutputs)[number];

type Outputs = Readonly<Record<string, unknown>>;

/**
 * Reads what another stack tells of its cluster. Offline nobody knows that: then it is taken for the base environment
 * as it is by default, and a warning says so.
 *
 * @param reference the stack in full: organisation, project, stack
 * @throws InputError when it tells nothing, or not enough
 */
export async function lentBy(reference: string): Promise<Lent> {
  refuse(`stack ${pulumi.getStack()}`, ownProblems(reference));
  const lender = new pulumi.StackReference(reference);
  const kubeconfig = lender.getOutput("kubeconfig") as pulumi.Output<string>;
  const session = Object.fromEntries(sessionOutputs.map((output) => [output, lender.getOutput(output)])) as Pick<
    Lent,
    SessionOutput
  >;
  const outputs = await outputsOf(lender);
  if (!outputs) {
    const assumed = clusterFacts({ publicAccessCidrs: [] });
    await pulumi.log.warn(unknownLender(reference, assumed));
    return { ...session, clusterFacts: assumed, kubeconfig };
  }
  refuse(`stack ${pulumi.getStack()}`, lenderProblems(reference, outputs));
  return { ...session, clusterFacts: outputs["clusterFacts"] as ClusterFacts, kubeconfig };
}

/** A stack that borrowed from itself would give up the cluster that it borrows. */
function ownProblems(reference: string): Problem[] {
  if (reference !== `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`) return [];
  const why = "That is this stack itself, which would give up its cluster.";
  return [{ code: "not-allowed", path: "environment", got: reference, why, fix: "pulumi config rm environment" }];
}

/** Undefined where they are not known. */
async function outputsOf({ outputs }: pulumi.StackReference): Promise<Outputs | undefined> {
  // The SDK keeps it out of its types, and has nothing else that tells an unknown value from a missing one.
  const { isKnown } = outputs as unknown as { readonly isKnown: Promise<boolean> };
  return (await isKnown) ? new Promise((resolve) => void outputs.apply(resolve)) : undefined;
}

function unknownLender(reference: string, { kubernetesVersion, gpuInstanceType }: ClusterFacts): string {
  return (
    `Offline nothing is known of ${reference}. It is taken for a gpu-lab as it is by default: Kubernetes ` +
    `${kubernetesVersion}, ${gpuInstanceType}, neither monitoring nor a GPU Operator.`
  );
}

/** Why the cluster of a stack with these outputs cannot be borrowed. */
export function lenderProblems(reference: string, outputs: Outputs): Problem[] {
  const up = `pulumi up --stack ${reference}`;
  const refused = (code: Problem["code"], why: string, fix: string): Problem => ({
    ...{ code, path: "environment", got: reference, why, fix },
  });
  if (Object.keys(outputs).length === 0) return [refused("missing", "That stack exports nothing: it is not up.", up)];
  if (!("clusterEndpoint" in outputs || "clusterFacts" in outputs)) {
    const fix = "pulumi config set environment ORGANISATION/eks-gpu-lab/gpu-lab";
    return [refused("not-allowed", "That stack has no GPU cluster that it could lend.", fix)];
  }
  const again = `bring it up with the version of the project that this stack has: ${up}`;
  const missing = ["clusterFacts", "kubeconfig"].filter((key) => !(key in outputs));
  if (missing.length > 0) {
    return missing.map((key) =>
      refused("missing", `That stack has no output ${key}, which those of this version have.`, again),
    );
  }
  return clusterFactsProblems(outputs["clusterFacts"], "clusterFacts").map(({ code, path, why }) =>
    refused(code, `Its output ${path} cannot be used. ${why}`, again),
  );
}
