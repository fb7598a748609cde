import * as pulumi from "@pulumi/pulumi";
import { clusterFacts, clusterFactsProblems, refuse, type ClusterFacts, type Problem } from "../../components";

/** What a stack exports so that other stacks can use its cluster. */
interface SharedCluster extends Readonly<Record<SessionOutput, pulumi.Output<unknown>>> {
  readonly clusterFacts: ClusterFacts;
  readonly kubeconfig: pulumi.Output<string>;
}

/** Outputs that start and end a session in the cluster, its account, its costs, and the lease that ends it. */
const sessionOutputs = [
  "account",
  "configureKubectl",
  "scaleUp",
  "scaleDown",
  "costAtRest",
  "costPerGpuNode",
  "lease",
  "sessionHours",
  "leaseScheduleGroup",
  "monitoring",
] as const;
type SessionOutput = (typeof sessionOutputs)[number];

type Outputs = Readonly<Record<string, unknown>>;

/**
 * Reads the cluster that another stack shares. Offline its outputs are not known: the plan assumes a default base
 * environment and prints a warning.
 *
 * @param reference full name of the stack: organization, project, stack
 * @throws InputError when the stack does not export what is needed
 */
export async function readSharedCluster(reference: string): Promise<SharedCluster> {
  refuse(`stack ${pulumi.getStack()}`, selfReferenceProblems(reference));
  const owner = new pulumi.StackReference(reference);
  const kubeconfig = owner.getOutput("kubeconfig") as pulumi.Output<string>;
  const session = Object.fromEntries(sessionOutputs.map((output) => [output, owner.getOutput(output)])) as Pick<
    SharedCluster,
    SessionOutput
  >;
  const outputs = await outputsOf(owner);
  if (!outputs) {
    const assumed = clusterFacts({ publicAccessCidrs: ["203.0.113.7/32"] });
    await pulumi.log.warn(assumption(reference, assumed));
    return { ...session, clusterFacts: assumed, kubeconfig };
  }
  refuse(`stack ${pulumi.getStack()}`, sharedClusterProblems(reference, outputs));
  return { ...session, clusterFacts: outputs["clusterFacts"] as ClusterFacts, kubeconfig };
}

/** A stack that used its own cluster as a shared one would delete it. */
function selfReferenceProblems(reference: string): Problem[] {
  if (reference !== `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`) return [];
  const why = "Must be another stack; this stack would delete its own cluster.";
  return [{ code: "not-allowed", path: "environment", got: reference, why, fix: "pulumi config rm environment" }];
}

/** The outputs of a stack; undefined where they are not known. */
async function outputsOf({ outputs }: pulumi.StackReference): Promise<Outputs | undefined> {
  // The SDK omits it from its types, and has no other way to distinguish an unknown value from a missing one.
  const { isKnown } = outputs as unknown as { readonly isKnown: Promise<boolean> };
  return (await isKnown) ? new Promise((resolve) => void outputs.apply(resolve)) : undefined;
}

function assumption(reference: string, { kubernetesVersion, gpuInstanceType }: ClusterFacts): string {
  return (
    `The outputs of ${reference} are not known offline. The plan assumes a default gpu-lab: Kubernetes ` +
    `${kubernetesVersion}, ${gpuInstanceType}, without monitoring and without a GPU Operator.`
  );
}

/** Why the cluster of a stack with these outputs cannot be used. */
function sharedClusterProblems(reference: string, outputs: Outputs): Problem[] {
  const up = `pulumi up --stack ${reference}`;
  const refused = (code: Problem["code"], why: string, fix: string): Problem => ({
    ...{ code, path: "environment", got: reference, why, fix },
  });
  if (Object.keys(outputs).length === 0)
    return [refused("missing", `Stack ${reference} has no outputs: it is not deployed.`, up)];
  if (!("clusterEndpoint" in outputs || "clusterFacts" in outputs)) {
    const fix = "pulumi config set environment ORGANIZATION/eks-gpu-lab/gpu-lab";
    return [refused("not-allowed", `Stack ${reference} has no GPU cluster to share.`, fix)];
  }
  const again = `update it with this version of the project: ${up}`;
  const missing = ["clusterFacts", "kubeconfig"].filter((key) => !(key in outputs));
  if (missing.length > 0) {
    return missing.map((key) =>
      refused("missing", `Stack ${reference} does not export ${key}; it was created with an older version.`, again),
    );
  }
  return clusterFactsProblems(outputs["clusterFacts"], "clusterFacts").map(({ code, path, why }) =>
    refused(code, `The output ${path} of the stack is not valid. ${why}`, again),
  );
}
