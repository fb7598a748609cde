import { describe, expect, test } from "vitest";
import { clusterFacts, InputError, type ClusterFacts } from "../../components";
import { inDays } from "../../components/core/faults";
import { findProject } from "../../planner/program/project";
import { stackConfig } from "../../planner/program/stack-config";
import type { RecordedResource, Recording, Cloud } from "../../planner/record/record";
import { offlineCloud } from "../../planner/record/offline-cloud";
import { runLab } from "../../stacks/run/run-lab";
import { ofType, only, plan } from "../support/plan";

const project = findProject(process.cwd());
const lender = "organization/eks-gpu-lab/gpu-lab";
const borrow = `environment=${lender}`;
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

function lending(told: Partial<Record<keyof ClusterFacts, unknown>>): Cloud {
  return exporting({ clusterFacts: { ...facts, ...told }, kubeconfig: "{}" });
}

/** A cloud in which a stack lends its cluster that was brought up as it is planned. */
async function lendingAs(stack: string, overrides: readonly string[], cloud?: Cloud): Promise<Cloud> {
  const { outputs } = await planned(stack, overrides, cloud);
  return exporting({ clusterFacts: outputs["clusterFacts"], kubeconfig: "{}" });
}

function operatorsOf(recording: Recording): RecordedResource[] {
  return ofType(recording, "kubernetes:helm.sh/v3:Release").filter(({ inputs }) => inputs["chart"] === "gpu-operator");
}

async function problemsOf(planning: Promise<Recording>): Promise<string[]> {
  const refused = await planning.catch((error: unknown) => error);
  if (!InputError.is(refused)) throw refused;
  return refused.problems.map(({ path, why, fix }) => `${path}: ${why} -> ${fix}`);
}

describe("the operator in a borrowed cluster is what it would be in one of the lab's own", () => {
  test.for([
    "gpuHealth.engine=node-monitor",
    "gpuHealth.engine=operator",
    "gpuHealth.engine=off",
    "gpuNodes.instanceType=p4d.24xlarge",
    "gpuNodes.taints[0].key=team gpuNodes.taints[0].effect=NO_EXECUTE",
    "monitoring.nodeLabels[0]=team",
  ])("where the lender has %s", async (texts) => {
    const settings = texts.split(" ");
    const cloud = await lendingAs("gpu-lab", [...settings, "monitoring.enabled=true"]);
    for (const fault of [[], faultOn]) {
      const [own] = operatorsOf(await planned("device-plugin", [...settings, ...fault]));
      const [other] = operatorsOf(await planned("device-plugin", [borrow, ...fault], cloud));
      expect(own).toBeDefined();
      expect(other?.inputs).toEqual(own?.inputs);
    }
  });

  test("for the lender's Kubernetes", async () => {
    const recording = await planned("device-plugin", [borrow], lending({ kubernetesVersion: "1.34" }));
    const { inputs } = only(recording, "eks-gpu-lab:index:GpuOperator");
    expect(inputs).toMatchObject({ kubernetesVersion: "1.34" });
  });

  test("without a monitor where the lender has no Prometheus", async () => {
    const [operator] = operatorsOf(await planned("device-plugin", [borrow], lending({ monitoring: false })));
    expect(operator?.inputs).toMatchObject({ values: { dcgmExporter: { serviceMonitor: { enabled: false } } } });
  });
});

describe("what the cluster's own stack sets is not for a stack that borrows it", () => {
  test.for([
    ["gpuHealth.engine=operator", "gpuHealth"],
    ["monitoring.enabled=true", "monitoring"],
    ["kubernetesVersion=1.34", "kubernetesVersion"],
    ["gpuNodes.maxSize=4", "gpuNodes"],
    ["tags.team=a", "tags"],
  ])("%s", async ([setting = "", key]) => {
    expect(await problemsOf(planned("gpu-rollout", [borrow, setting], lending({})))).toEqual([
      `${key}: The cluster is that of ${lender}, which alone sets it. -> ` +
        `pulumi config rm ${key}, or set it in that stack; or pulumi config rm environment`,
    ]);
  });

  test.for([
    ["nccl=blocked", "nccl"],
    ["monitoring.enabled=false", "monitoring"],
  ])("one refusal of %s will do", async ([setting = "", key]) => {
    const problems = await problemsOf(planned("gpu-rollout", [borrow, setting], lending({})));
    expect(problems.map((line) => line.split(":")[0])).toEqual([key]);
  });

  test("the cluster of its own, as its file describes it, rests meanwhile", async () => {
    const cidrs = ["publicAccessCidrs[0]=198.51.100.7/32", "clusterName=other", "addons.coredns=v1.13.2-eksbuild.31"];
    const { resources } = await planned("gpu-rollout", [borrow, ...cidrs], lending({ gpuOperator: true }));
    expect(resources.filter(({ type }) => type.startsWith("aws:"))).toEqual([]);
  });

  test("and need not be described", async () => {
    const values = { "eks-gpu-lab:environment": lender };
    const recording = await plan(() => runLab(values, "gpu-rollout"), { cloud: lending({}), stack: "gpu-rollout" });
    expect(operatorsOf(recording)).toHaveLength(1);
  });

  test("but the operator that it installs is, at once with all else", async () => {
    const planning = planned("gpu-rollout", [borrow, "gpuOperator.timeoutSeconds=1", "tags.team=a"], lending({}));
    expect((await problemsOf(planning)).map((line) => line.split(":")[0])).toEqual([
      "tags",
      "gpuOperator.timeoutSeconds",
    ]);
  });

  test("and has to fit the cluster", async () => {
    const old = "gpuOperator.chartVersion=v25.10.1";
    const planning = (told: Partial<ClusterFacts>) => planned("gpu-rollout", [borrow, old], lending(told));
    expect(await problemsOf(planning({ kubernetesVersion: "1.34" }))).toEqual([
      `gpuHealth.engine of ${lender}: The exporter of chart v25.10.1 has no host network, so it cannot reach the node ` +
        `monitor's DCGM engine. -> set gpuHealth.engine of ${lender} to "operator" or "off"`,
    ]);
    const fits = await planning({ kubernetesVersion: "1.34", gpuHealthEngine: "operator" });
    expect(operatorsOf(fits)[0]?.inputs).toMatchObject({ version: "v25.10.1" });
    expect(await problemsOf(planning({ kubernetesVersion: "1.35", gpuHealthEngine: "operator" }))).toEqual([
      expect.stringMatching(/^gpuOperator\.chartVersion: /),
    ]);
  });
});

test("a session in a borrowed cluster begins, ends and costs as its own stack says", async () => {
  const told = {
    configureKubectl: "aws eks update-kubeconfig --region ap-northeast-2 --name myeks",
    scaleUp: "aws eks update-nodegroup-config up",
    scaleDown: "aws eks update-nodegroup-config down",
    costAtRest: "0.28 USD per hour",
    costPerGpuNode: "1.2500 USD per hour",
    monitoring: { prometheus: "kubectl port-forward" },
  };
  const { outputs } = await planned(
    "gpu-rollout",
    [borrow],
    exporting({ clusterFacts: facts, kubeconfig: "{}", ...told }),
  );
  expect(outputs).toMatchObject({ ...told, duration: "30 minutes", gpuNodes: 1 });
});

test("a lab's pods tolerate the lender's taints", async () => {
  const gpuTaints = [{ key: "team", value: "a", effect: "NO_EXECUTE" }];
  const recording = await planned("gpu-rollout", [borrow], lending({ gpuTaints }));
  const [deployment] = ofType(recording, "kubernetes:apps/v1:Deployment");
  expect(JSON.stringify(deployment?.inputs)).toContain('"key":"team"');
});

describe("a cluster has one operator", () => {
  test("that of its own stack serves a lab that only uses it", async () => {
    const recording = await planned("gpu-rollout", [borrow], lending({ gpuOperator: true }));
    expect(operatorsOf(recording)).toEqual([]);
  });

  test.for([
    ["off", []],
    ["on", faultOn],
  ] as const)("that of its own stack is not for a fault of the operator, which is %s", async ([, fault]) => {
    const planning = planned("device-plugin", [borrow, ...fault], lending({ gpuOperator: true }));
    expect(await problemsOf(planning)).toEqual([
      "environment: That stack has installed the GPU Operator, and the fault changes the operator. -> " +
        "set gpuOperator.enabled to false in that stack, and this one installs it; or remove environment",
    ]);
  });

  test("that of its own stack is set there", async () => {
    const planning = planned(
      "gpu-rollout",
      [borrow, "gpuOperator.timeSlicing.replicas=2"],
      lending({ gpuOperator: true }),
    );
    expect(await problemsOf(planning)).toEqual([
      `gpuOperator.timeSlicing: The GPU Operator of the cluster is that of ${lender}. -> ` +
        "pulumi config rm --path gpuOperator.timeSlicing, or set it in that stack",
    ]);
  });

  test("a lab that has installed it lends the cluster on, with the operator", async () => {
    const first = await planned("device-plugin", [borrow], lending({ monitoring: true }));
    expect(first.outputs["clusterFacts"]).toEqual({ ...facts, monitoring: true, gpuOperator: true });
    expect(first.secretOutputs).toContain("kubeconfig");
    const cloud = await lendingAs("device-plugin", [borrow], lending({ monitoring: true }));
    const second = await planned("gpu-rollout", ["environment=organization/eks-gpu-lab/device-plugin"], cloud);
    expect(operatorsOf(second)).toEqual([]);
    expect(second.outputs["clusterFacts"]).toEqual(first.outputs["clusterFacts"]);
  });

  test("a lab that needs none lends the cluster on as it is", async () => {
    const { outputs } = await planned("runtime-socket", [borrow], lending({}));
    expect(outputs["clusterFacts"]).toEqual(facts);
  });
});

test("a stack does not borrow from itself", async () => {
  const own = "environment=organization/eks-gpu-lab/device-plugin";
  expect(await problemsOf(planned("device-plugin", [own], lending({})))).toEqual([
    "environment: That is this stack itself, which would give up its cluster. -> pulumi config rm environment",
  ]);
});

describe("a stack that lends no cluster is refused by name, with the way out", () => {
  const up = `pulumi up --stack ${lender}`;
  const again = `bring it up with the version of the project that this stack has: ${up}`;
  const lacking = { ...facts, gpuHealthEngine: undefined };
  const otherwise = { ...facts, gpuHealthEngine: "nvml", monitoring: "yes" };
  const unusable = (key: string, why: string) => `environment: Its output ${key} cannot be used. ${why} -> ${again}`;
  test.for([
    ["that is not up", {}, [`environment: That stack exports nothing: it is not up. -> ${up}`]],
    [
      "of another kind",
      { url: "https://example.com" },
      [
        "environment: That stack has no GPU cluster that it could lend. -> pulumi config set environment ORGANISATION/eks-gpu-lab/gpu-lab",
      ],
    ],
    [
      "of an older version",
      { clusterEndpoint: "https://a", gpuOperatorVersion: "none", kubeconfig: "{}" },
      [`environment: That stack has no output clusterFacts, which those of this version have. -> ${again}`],
    ],
    [
      "without a kubeconfig",
      { clusterFacts: facts },
      [`environment: That stack has no output kubeconfig, which those of this version have. -> ${again}`],
    ],
    [
      "that does not tell all",
      { clusterFacts: lacking, kubeconfig: "{}" },
      [unusable("clusterFacts.gpuHealthEngine", "It must be stated.")],
    ],
    [
      "that tells otherwise",
      { clusterFacts: otherwise, kubeconfig: "{}" },
      [
        unusable("clusterFacts.gpuHealthEngine", 'It must be one of "node-monitor", "operator", "off".'),
        unusable("clusterFacts.monitoring", "It must be true or false."),
      ],
    ],
    ["with a text", { clusterFacts: "v1", kubeconfig: "{}" }, [unusable("clusterFacts", "It must be an object.")]],
  ] as [string, Record<string, unknown>, string[]][])("%s", async ([, outputs, expected]) => {
    expect(await problemsOf(planned("device-plugin", [borrow], exporting(outputs)))).toEqual(expected);
  });

  test("and what a later version tells beside that is left alone", async () => {
    const cloud = exporting({ clusterFacts: { ...facts, later: 1 }, kubeconfig: "{}" });
    expect((await planned("device-plugin", [borrow], cloud)).outputs["clusterFacts"]).toMatchObject({ later: 1 });
  });
});

test("offline the other stack is taken for the base environment, and the plan says so", async () => {
  const recording = await planned("device-plugin", [borrow]);
  expect(recording.diagnostics.map(({ severity, message }) => [severity, message])).toEqual([
    [
      "warning",
      `Offline nothing is known of ${lender}. It is taken for a gpu-lab as it is by default: Kubernetes 1.35, ` +
        "g5.xlarge, neither monitoring nor a GPU Operator.",
    ],
  ]);
  const [operator] = operatorsOf(recording);
  const [known] = operatorsOf(await planned("device-plugin", [borrow], lending({})));
  expect(operator?.inputs).toEqual(known?.inputs);
  expect(recording.outputs["clusterFacts"]).toEqual({ ...facts, gpuOperator: true });
});
