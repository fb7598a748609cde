import { describe, expect, test } from "vitest";
import { clusterFacts, InputError, type ClusterFacts } from "../../components";
import { inDays } from "../../components/core/faults";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import type { RecordedResource, Recording, Cloud } from "../../planner/record/record";
import { offlineCloud } from "../../planner/record/offline-cloud";
import { runLab } from "../../stacks/run/run-lab";
import { ofType, only, plan } from "../support/plan";
import { kubernetesVersion } from "../../components/core/versions";
import { brief, wording } from "../support/problems";
import { ownProject } from "../support/own-project";

const project = findProject(ownProject);
const owner = "organization/eks-gpu-lab/gpu-lab";
const sharing = `environment=${owner}`;
const faultOn = ["fault=on", `expires=${inDays(7, new Date())}`];
const offline = offlineCloud("ap-northeast-2");
const facts = clusterFacts({ publicAccessCidrs: ["203.0.113.7/32"] });

function planned(stack: string, overrides: readonly string[], cloud: Cloud = offline): Promise<Recording> {
  const { values } = stackConfig(project, stack, overrides);
  return plan(() => runLab(values, stack), { cloud, stack });
}

/** A cloud in which the other stack has these outputs. */
function exporting(outputs: Readonly<Record<string, unknown>>): Cloud {
  const reference = { outputs, secretOutputNames: ["kubeconfig"] };
  return { ...offline, outputsOf: ({ type }) => (type === "pulumi:pulumi:StackReference" ? reference : {}) };
}

function shared(outputs: Partial<Record<keyof ClusterFacts, unknown>>): Cloud {
  return exporting({ clusterFacts: { ...facts, ...outputs }, kubeconfig: "{}" });
}

/** A cloud in which a stack lends its cluster that was brought up as it is planned. */
async function sharedAs(stack: string, overrides: readonly string[], cloud?: Cloud): Promise<Cloud> {
  const { outputs } = await planned(stack, overrides, cloud);
  return exporting({ clusterFacts: outputs["clusterFacts"], kubeconfig: "{}" });
}

function operatorsOf(recording: Recording): RecordedResource[] {
  return ofType(recording, "kubernetes:helm.sh/v3:Release").filter(({ inputs }) => inputs["chart"] === "gpu-operator");
}

async function problemsOf(planning: Promise<Recording>): Promise<string[]> {
  const refused = await planning.catch((error: unknown) => error);
  if (!InputError.is(refused)) throw refused;
  expect(wording(refused.problems)).toMatchSnapshot();
  return brief(refused.problems);
}

describe("the operator in a shared cluster is the same as in the lab's own cluster", () => {
  test.for([
    "gpuHealth.engine=node-monitor",
    "gpuHealth.engine=operator",
    "gpuHealth.engine=off",
    "gpuNodes.instanceType=p4d.24xlarge",
    "gpuNodes.taints[0].key=team gpuNodes.taints[0].effect=NO_EXECUTE",
    "monitoring.nodeLabels[0]=team",
  ])("where the owner has %s", async (texts) => {
    const settings = texts.split(" ");
    const cloud = await sharedAs("gpu-lab", [...settings, "monitoring.enabled=true"]);
    for (const fault of [[], faultOn]) {
      const [own] = operatorsOf(await planned("device-plugin", [...settings, ...fault]));
      const [other] = operatorsOf(await planned("device-plugin", [sharing, ...fault], cloud));
      expect(own).toBeDefined();
      expect(other?.inputs).toEqual(own?.inputs);
    }
  });

  test("for the owner's Kubernetes", async () => {
    const recording = await planned("device-plugin", [sharing], shared({ kubernetesVersion: "1.34" }));
    const { inputs } = only(recording, "eks-gpu-lab:index:GpuOperator");
    expect(inputs).toMatchObject({ kubernetesVersion: "1.34" });
  });

  test("without a monitor where the owner has no Prometheus", async () => {
    const [operator] = operatorsOf(await planned("device-plugin", [sharing], shared({ monitoring: false })));
    expect(operator?.inputs).toMatchObject({ values: { dcgmExporter: { serviceMonitor: { enabled: false } } } });
  });
});

describe("keys that only the owner of the cluster can set are rejected", () => {
  test.for([
    ["gpuHealth.engine=operator", "gpuHealth"],
    ["monitoring.enabled=true", "monitoring"],
    ["kubernetesVersion=1.34", "kubernetesVersion"],
    ["gpuNodes.maxSize=4", "gpuNodes"],
    ["tags.team=a", "tags"],
  ])("%s", async ([setting = "", key]) => {
    expect(await problemsOf(planned("gpu-rollout", [sharing, setting], shared({})))).toEqual([`conflict ${key}`]);
  });

  test.for([
    ["nccl=blocked", "nccl"],
    ["monitoring.enabled=false", "monitoring"],
  ])("%s is reported once", async ([setting = "", key]) => {
    const problems = await problemsOf(planned("gpu-rollout", [sharing, setting], shared({})));
    expect(problems.map((line) => line.split(" ")[1])).toEqual([key]);
  });

  test("the cluster of its own, as its file describes it, rests meanwhile", async () => {
    const cidrs = ["publicAccessCidrs[0]=198.51.100.7/32", "clusterName=other", "addons.coredns=v1.13.2-eksbuild.31"];
    const { resources } = await planned("gpu-rollout", [sharing, ...cidrs], shared({ gpuOperator: true }));
    expect(resources.filter(({ type }) => type.startsWith("aws:"))).toEqual([]);
  });

  test("and need not be described", async () => {
    const values = { "eks-gpu-lab:environment": owner };
    const recording = await plan(() => runLab(values, "gpu-rollout"), { cloud: shared({}), stack: "gpu-rollout" });
    expect(operatorsOf(recording)).toHaveLength(1);
  });

  test("but the operator that it installs is, at once with all else", async () => {
    const planning = planned("gpu-rollout", [sharing, "gpuOperator.timeoutSeconds=1", "tags.team=a"], shared({}));
    expect((await problemsOf(planning)).map((line) => line.split(" ")[1])).toEqual([
      "tags",
      "gpuOperator.timeoutSeconds",
    ]);
  });

  test("and has to fit the cluster", async () => {
    const old = "gpuOperator.chartVersion=v25.10.1";
    const planning = (outputs: Partial<ClusterFacts>) => planned("gpu-rollout", [sharing, old], shared(outputs));
    expect(await problemsOf(planning({ kubernetesVersion: "1.34" }))).toEqual([
      `conflict gpuHealth.engine of ${owner}`,
    ]);
    const fits = await planning({ kubernetesVersion: "1.34", gpuHealthEngine: "operator" });
    expect(operatorsOf(fits)[0]?.inputs).toMatchObject({ version: "v25.10.1" });
    expect(await problemsOf(planning({ kubernetesVersion: "1.35", gpuHealthEngine: "operator" }))).toEqual([
      "version gpuOperator.chartVersion",
    ]);
  });
});

test("a session in a shared cluster begins, ends and costs as its own stack says", async () => {
  const ofOwner = {
    account: "123456789012",
    configureKubectl: "aws eks update-kubeconfig --region ap-northeast-2 --name myeks",
    scaleUp: "aws eks update-nodegroup-config up",
    scaleDown: "aws eks update-nodegroup-config down",
    costAtRest: "0.28 USD per hour",
    costPerGpuNode: "1.2500 USD per hour",
    monitoring: { prometheus: "kubectl port-forward" },
    lease: "GPU nodes end each day at 20:00 Asia/Seoul",
    sessionHours: 6,
    leaseScheduleGroup: "gpu-lab-lease-schedules",
  };
  const { outputs } = await planned(
    "gpu-rollout",
    [sharing],
    exporting({ clusterFacts: facts, kubeconfig: "{}", ...ofOwner }),
  );
  expect(outputs).toMatchObject({ ...ofOwner, duration: "30 minutes", gpuNodes: 1 });
});

test("a lab's pods tolerate the owner's taints", async () => {
  const gpuTaints = [{ key: "team", value: "a", effect: "NO_EXECUTE" }];
  const recording = await planned("gpu-rollout", [sharing], shared({ gpuTaints }));
  const [deployment] = ofType(recording, "kubernetes:apps/v1:Deployment");
  expect(JSON.stringify(deployment?.inputs)).toContain('"key":"team"');
});

describe("a cluster has one operator", () => {
  test("that of its own stack serves a lab that only uses it", async () => {
    const recording = await planned("gpu-rollout", [sharing], shared({ gpuOperator: true }));
    expect(operatorsOf(recording)).toEqual([]);
  });

  test.for([
    ["off", []],
    ["on", faultOn],
  ] as const)("that of its own stack is not for a fault of the operator, which is %s", async ([, fault]) => {
    const planning = planned("device-plugin", [sharing, ...fault], shared({ gpuOperator: true }));
    expect(await problemsOf(planning)).toEqual(["conflict environment"]);
  });

  test("that of its own stack is set there", async () => {
    const planning = planned(
      "gpu-rollout",
      [sharing, "gpuOperator.timeSlicing.replicas=2"],
      shared({ gpuOperator: true }),
    );
    expect(await problemsOf(planning)).toEqual(["conflict gpuOperator.timeSlicing"]);
  });

  test("a lab that has installed it lends the cluster on, with the operator", async () => {
    const first = await planned("device-plugin", [sharing], shared({ monitoring: true }));
    expect(first.outputs["clusterFacts"]).toEqual({ ...facts, monitoring: true, gpuOperator: true });
    expect(first.secretOutputs).toContain("kubeconfig");
    const cloud = await sharedAs("device-plugin", [sharing], shared({ monitoring: true }));
    const second = await planned("gpu-rollout", ["environment=organization/eks-gpu-lab/device-plugin"], cloud);
    expect(operatorsOf(second)).toEqual([]);
    expect(second.outputs["clusterFacts"]).toEqual(first.outputs["clusterFacts"]);
  });

  test("a lab that needs none lends the cluster on as it is", async () => {
    const { outputs } = await planned("runtime-socket", [sharing], shared({}));
    expect(outputs["clusterFacts"]).toEqual(facts);
  });
});

test("a stack does not use its own cluster as a shared one", async () => {
  const own = "environment=organization/eks-gpu-lab/device-plugin";
  expect(await problemsOf(planned("device-plugin", [own], shared({})))).toEqual(["not-allowed environment"]);
});

describe("a stack without a cluster to share is rejected", () => {
  const lacking = { ...facts, gpuHealthEngine: undefined };
  const otherwise = { ...facts, gpuHealthEngine: "nvml", monitoring: "yes" };
  test.for([
    ["that is not up", {}, ["missing environment"]],
    ["of another kind", { url: "https://example.com" }, ["not-allowed environment"]],
    [
      "of an older version",
      { clusterEndpoint: "https://a", gpuOperatorVersion: "none", kubeconfig: "{}" },
      ["missing environment"],
    ],
    ["without a kubeconfig", { clusterFacts: facts }, ["missing environment"]],
    ["that does not export all facts", { clusterFacts: lacking, kubeconfig: "{}" }, ["missing environment"]],
    [
      "with invalid facts",
      { clusterFacts: otherwise, kubeconfig: "{}" },
      ["not-allowed environment", "wrong-type environment"],
    ],
    ["with a string", { clusterFacts: "v1", kubeconfig: "{}" }, ["wrong-type environment"]],
  ] as [string, Record<string, unknown>, string[]][])("%s", async ([, outputs, expected]) => {
    expect(await problemsOf(planned("device-plugin", [sharing], exporting(outputs)))).toEqual(expected);
  });

  test("unknown facts of a later version are ignored", async () => {
    const cloud = exporting({ clusterFacts: { ...facts, later: 1 }, kubeconfig: "{}" });
    expect((await planned("device-plugin", [sharing], cloud)).outputs["clusterFacts"]).toMatchObject({ later: 1 });
  });
});

test("offline the plan assumes a default environment, and says so", async () => {
  const recording = await planned("device-plugin", [sharing]);
  expect(recording.diagnostics.map(({ severity, message }) => [severity, message])).toEqual([
    [
      "warning",
      `The outputs of ${owner} are not known offline. The plan assumes a default gpu-lab: Kubernetes ` +
        `${kubernetesVersion}, g5.xlarge, without monitoring and without a GPU Operator.`,
    ],
  ]);
  const [operator] = operatorsOf(recording);
  const [known] = operatorsOf(await planned("device-plugin", [sharing], shared({})));
  expect(operator?.inputs).toEqual(known?.inputs);
  expect(recording.outputs["clusterFacts"]).toEqual({ ...facts, gpuOperator: true });
});
