import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks";
import { Provider } from "@pulumi/kubernetes/provider";
import { FakeGpus, GpuOperator, MockGpus, mockOperatorSettings, refuse, type Problem } from "../../components";
import { factsOf } from "../../components/environment/cluster-facts";
import { valueAt } from "../../components/core/reader/paths";
import { capacityStageName } from "../../components/local/fake-gpus";
import { connectLocal, type LocalCluster } from "../../components/local/local-cluster";
import { mockGpusDefaults } from "../../components/local/mock-gpus-schema";
import { deepMerge } from "../../components/core/reader/records";
import { shellText } from "../../components/core/text";
import type { LabConfig, LocalClusterChoice } from "./lab-config";
import { labs, type LabName } from "../labs";
import type { Lab, LabPlace } from "./lab";
import { place } from "./place";
import { sessionOf } from "./session";

/**
 * The place of a lab on a local cluster: its GPUs are created there first.
 *
 * @throws InputError when the cluster is not local, does not respond, or has no KWOK for fake GPUs
 */
export async function localPlace(config: LabConfig, choice: LocalClusterChoice): Promise<LabPlace> {
  await checkCluster(config.lab, choice);
  const { gpus: localGpus, settings } = choice;
  const provider = new Provider(`${config.lab}-cluster`, { context: choice.context });
  const isFake = localGpus === "fake";
  const options = { provider, dependsOn: (isFake ? fakeGpus : mockGpus)(config, choice, provider) };
  const facts = { ...factsOf(settings), monitoring: false, ...(!isFake && { gpuTaints: [] }) };
  return place(config, { options, cluster: undefined, facts, localGpus });
}

/** A plan connects to nothing: it assumes a cluster as docs/laptop.md describes it. */
async function checkCluster(lab: LabName, { context, confirm, gpus }: LocalClusterChoice): Promise<void> {
  if (pulumi.runtime.getMonitor() instanceof MockMonitor) return;
  const subject = `stack ${pulumi.getStack()}`;
  const contextPath = "localCluster.context";
  const confirmFix = `pulumi config set --path localCluster.confirm ${shellText([context])}`;
  const cluster = await connectLocal({ context, confirm, subject, contextPath, confirmFix });
  const problems =
    gpus === "fake" ? kwokProblems(cluster, contextPath, gpusOf(lab)) : labelProblems(cluster, contextPath);
  refuse(subject, await problems);
  await warnOfWriters(cluster);
}

/** An update of a node takes over what kubectl has written there, and forces the list of taints. */
async function warnOfWriters({ call }: LocalCluster): Promise<void> {
  const nodes = await call({
    method: "GET",
    path: "/api/v1/nodes?labelSelector=app.kubernetes.io/part-of=eks-gpu-lab",
  });
  const items = nodes.ok ? valueAt(nodes.body, "items") : [];
  for (const { metadata } of items as { metadata: { name: string; managedFields?: { manager: string }[] } }[]) {
    const writers = metadata.managedFields?.map(({ manager }) => manager).filter((one) => one.startsWith("kubectl"));
    if (!writers?.length) continue;
    const effect = "An update of the node gives it the labels, annotations and taints of the stack, and no others.";
    await pulumi.log.warn(`Node ${metadata.name} was changed by ${writers.join(", ")}. ${effect}`);
  }
}

/** Without a node that it selects, the mock would be installed and do nothing. */
async function labelProblems({ call, context: got }: LocalCluster, path: string): Promise<Problem[]> {
  const selector = Object.entries(mockGpusDefaults.nodeSelector).map(([key, value]) => `${key}=${value}`);
  const query = `labelSelector=${encodeURIComponent(selector.join(","))}`;
  const nodes = await call({ method: "GET", path: `/api/v1/nodes?${query}` });
  const items = nodes.ok ? valueAt(nodes.body, "items") : undefined;
  if (!Array.isArray(items) || items.length > 0) return [];
  const why = `It has no node with the label ${selector.join(", ")}, so no node would get mock GPUs.`;
  const fix = `run kubectl --context ${shellText([got])} label node NODE ${selector.join(" ")}, or create the cluster as docs/laptop.md describes`;
  return [{ code: "missing", path, got, why, fix }];
}

/** The cluster must run KWOK, and a second FakeGpus would have nodes of the same names. */
async function kwokProblems({ call, context: got }: LocalCluster, path: string, own: string): Promise<Problem[]> {
  const stage = (name: string) => call({ method: "GET", path: `/apis/kwok.x-k8s.io/v1alpha1/stages/${name}` });
  const existing = await stage(capacityStageName);
  const owner = existing.ok ? valueAt(existing.body, ["metadata", "labels", "app.kubernetes.io/instance"]) : own;
  if (owner !== own) {
    const why = `The cluster already has the fake GPUs ${String(owner)} of another stack.`;
    return [{ code: "conflict", path, got, why, fix: "run pulumi destroy in that stack, or create another cluster" }];
  }
  if ((await stage("pod-ready")).ok) return [];
  const why = "It has no fast stages of KWOK, so pods on fake nodes would never start.";
  const fix = "create the cluster as docs/laptop.md describes";
  return [{ code: "missing", path, got, why, fix }];
}

/** Name of the component with the simulated GPUs of a lab. */
function gpusOf(lab: LabName): string {
  return `${lab}-gpus`;
}

function fakeGpus(config: LabConfig, { settings, gpuNodes }: LocalClusterChoice, provider: Provider): FakeGpus {
  const { systemNodes, gpuNodes: given, gpuOperator } = settings;
  const args = {
    gpuNodes: gpuNodes ?? sessionOf(config).gpuNodes,
    ...{ instanceType: given.instanceType, labels: given.labels, taints: given.taints },
    ...{ systemNodes: systemNodes.desiredSize, systemInstanceType: systemNodes.instanceType },
    devicePlugin: gpuOperator.devicePlugin,
  };
  return new FakeGpus(gpusOf(config.lab), args, { provider });
}

/** Mock GPUs, and the GPU Operator with the values that it needs on them. */
function mockGpus(
  config: LabConfig,
  { settings, failure = "ecc_uncorrectable" }: LocalClusterChoice,
  provider: Provider,
): GpuOperator {
  const { lab, isFaulty } = config;
  const { fault }: Lab = labs[lab];
  const gpus = new MockGpus(gpusOf(lab), isFaulty && fault?.failsMockGpus ? { failure } : {}, { provider });
  const { enabled, ...operator } = settings.gpuOperator;
  const unlike = { controllerNodeSelector: {}, taints: [], serviceMonitor: false };
  const args = deepMerge({ ...operator, ...unlike }, mockOperatorSettings);
  return new GpuOperator(`${lab}-gpu-operator`, args, { provider, dependsOn: gpus });
}
