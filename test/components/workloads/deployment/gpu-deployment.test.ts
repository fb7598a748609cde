import * as pulumi from "@pulumi/pulumi";
import { Provider } from "@pulumi/kubernetes/provider";
import { describe, expect, test } from "vitest";
import { workloadImages } from "../../../../components/core/versions";
import { GpuDeployment } from "../../../../components/workloads/deployment/gpu-deployment";
import {
  gpuDeploymentProblems,
  type GpuDeploymentArgs,
} from "../../../../components/workloads/deployment/gpu-deployment-schema";
import { nvidiaSmiServer } from "../../../../components/workloads/deployment/gpu-deployment";
import { byName, only, plan } from "../../../support/plan";
import { brief, testProblems, type WrongCase } from "../../../support/problems";
import { planned } from "../support";

const deploymentType = "kubernetes:apps/v1:Deployment";
const serviceType = "kubernetes:core/v1:Service";
const classType = "kubernetes:scheduling.k8s.io/v1:PriorityClass";

const made = (args: GpuDeploymentArgs = {}) => planned((opts) => new GpuDeployment("server", args, opts));

/** The parts of a Deployment that a test looks at. */
interface Spec {
  readonly strategy: object;
  readonly template: { readonly metadata: object; readonly spec: PodSpec };
}
interface PodSpec {
  readonly containers: readonly [{ readonly command?: string[]; readonly readinessProbe?: object } & object];
}

async function specOf(args: GpuDeploymentArgs = {}): Promise<Spec> {
  return only(await made(args), deploymentType).inputs["spec"] as Spec;
}

const labels = {
  "app.kubernetes.io/name": "gpu-deployment",
  "app.kubernetes.io/instance": "server",
  "app.kubernetes.io/part-of": "eks-gpu-lab",
  "app.kubernetes.io/managed-by": "pulumi",
};
const selector = { "app.kubernetes.io/name": "gpu-deployment", "app.kubernetes.io/instance": "server" };

describe("by default", () => {
  test("the Deployment ends its pod before it starts another", async () => {
    expect(await specOf()).toEqual({
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      progressDeadlineSeconds: 600,
      selector: { matchLabels: selector },
      template: {
        metadata: { labels, annotations: { "eks-gpu-lab/revision": "1" } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            runAsGroup: 65532,
            seccompProfile: { type: "RuntimeDefault" },
          },
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          containers: [
            {
              name: "server",
              image: workloadImages.cuda,
              imagePullPolicy: "IfNotPresent",
              command: ["perl", "-e", nvidiaSmiServer()],
              env: [
                { name: "PORT", value: "8080" },
                { name: "REVISION", value: "1" },
              ],
              ports: [{ name: "server", containerPort: 8080 }],
              readinessProbe: { tcpSocket: { port: "server" }, periodSeconds: 5 },
              resources: {
                requests: { cpu: "250m", memory: "512Mi" },
                limits: { memory: "512Mi", "nvidia.com/gpu": "1" },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ["ALL"] },
                readOnlyRootFilesystem: true,
              },
              volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
            },
          ],
          volumes: [{ name: "tmp", emptyDir: {} }],
        },
      },
    });
  });

  test("the Service selects the pods; there is no priority class", async () => {
    const recording = await made();
    expect(only(recording, serviceType).inputs).toEqual({
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: "server",
        namespace: "gpu-lab",
        labels,
        annotations: { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" },
      },
      spec: { type: "ClusterIP", selector, ports: [{ name: "server", port: 8080, targetPort: "server" }] },
    });
    expect(recording.resources.filter(({ type }) => type === classType)).toEqual([]);
  });
});

describe("rollouts", () => {
  test.for([
    ["recreate", { type: "Recreate" }],
    ["surge", { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } }],
  ] as const)("%s", async ([rollout, strategy]) => expect((await specOf({ rollout })).strategy).toEqual(strategy));

  test("another revision changes the pods", async () => {
    const { template } = await specOf({ revision: "2" });
    expect(template.metadata).toMatchObject({ annotations: { "eks-gpu-lab/revision": "2" } });
  });

  test.for([
    [{ rollout: "surge", pinnedTo: "node-1" }, ["conflict rollout"]],
    [{ rollout: "surge", pinnedTo: "node-1", allowDeadlock: false }, ["conflict rollout"]],
    [{ rollout: "surge", pinnedTo: "node-1", allowDeadlock: true }, []],
    [{ rollout: "in-place", pinnedTo: "node-1" }, []],
    [{ rollout: "recreate", pinnedTo: "node-1" }, []],
    [{ rollout: "surge" }, []],
  ] as const)("%j", ([args, expected]) => expect(brief(gpuDeploymentProblems(args))).toEqual(expected));
});

describe("where the pods run", () => {
  test("on one node", async () => {
    const { template } = await specOf({ pinnedTo: "ip-192-168-1-2.ap-northeast-2.compute.internal" });
    expect(template.spec).toMatchObject({
      nodeSelector: { "kubernetes.io/hostname": "ip-192-168-1-2.ap-northeast-2.compute.internal" },
    });
  });

  test("on models of GPU", async () => {
    const { template } = await specOf({ gpuProducts: ["NVIDIA-A10G", "NVIDIA-L4"] });
    expect(template.spec).toMatchObject({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: "nvidia.com/gpu.product", operator: "In", values: ["NVIDIA-A10G", "NVIDIA-L4"] },
                ],
              },
            ],
          },
        },
      },
    });
  });

  test.for([
    [{ value: 1000 }, "PreemptLowerPriority", "eks-gpu-lab-server-1000"],
    [{ value: -5, preempts: "never" }, "Never", "eks-gpu-lab-server-minus-5-never"],
  ] as const)("before others: %j", async ([priority, preemptionPolicy, name]) => {
    const recording = await made({ priority });
    const rank = byName(recording, "server-priority");
    expect(rank.inputs).toMatchObject({
      metadata: { name },
      value: priority.value,
      preemptionPolicy,
      globalDefault: false,
    });
    // A class with another value has another name.
    expect(rank.options.deleteBeforeReplace).toBe(false);
    const pods = only(recording, deploymentType);
    expect(pods.inputs).toMatchObject({ spec: { template: { spec: { priorityClassName: name } } } });
    expect(pods.propertyDependencies["spec"]).toContain(rank.urn);
  });
});

describe("what the pods run", () => {
  test("your own image runs its own command, or yours", async () => {
    const image = "docker.io/vllm/vllm-openai:v0.11.0";
    const [own] = (await specOf({ image, port: 8000, readiness: "http" })).template.spec.containers;
    expect(own).not.toHaveProperty("command");
    expect(own.readinessProbe).toEqual({ httpGet: { path: "/", port: "server" }, periodSeconds: 5, timeoutSeconds: 5 });
    const [stated] = (await specOf({ command: ["sleep"], args: ["infinity"], readiness: "none" })).template.spec
      .containers;
    expect(stated).toMatchObject({ command: ["sleep"], args: ["infinity"] });
    expect(stated).not.toHaveProperty("readinessProbe");
  });

  test("amounts, user, port and variables", async () => {
    const more = { gpus: 4, cpu: "2", memory: "12Gi", user: 0, port: 9000, env: { HF_HOME: "/tmp" } };
    const recording = await made(more);
    expect(only(recording, deploymentType).inputs).toMatchObject({
      spec: {
        template: {
          spec: {
            securityContext: { runAsUser: 0, runAsNonRoot: false },
            containers: [
              {
                env: [{ name: "PORT", value: "9000" }, {}, { name: "HF_HOME", value: "/tmp" }],
                ports: [{ containerPort: 9000 }],
                resources: {
                  requests: { cpu: "2", memory: "12Gi" },
                  limits: { memory: "12Gi", "nvidia.com/gpu": "4" },
                },
              },
            ],
          },
        },
      },
    });
    expect(only(recording, serviceType).inputs).toMatchObject({ spec: { ports: [{ port: 9000 }] } });
  });
});

test("its outputs name the next commands", async () => {
  const { outputs } = await plan(() => {
    const server = new GpuDeployment("server", {}, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
    return { ...server.commands };
  });
  expect(outputs).toEqual({
    rollout: "kubectl rollout status deployment/server -n gpu-lab --timeout=60s",
    pods: "kubectl get pods -n gpu-lab -l app.kubernetes.io/instance=server -o wide",
    describe: "kubectl describe pods -n gpu-lab -l app.kubernetes.io/instance=server",
    endpoints: "kubectl get endpointslices -n gpu-lab -l kubernetes.io/service-name=server",
  });
});

describe("problems", () => {
  const wrong: readonly WrongCase[] = [
    [
      { replicas: -1, gpus: 0, port: 0, user: -1 },
      ["out-of-range replicas", "out-of-range gpus", "out-of-range port", "out-of-range user"],
    ],
    [{ rollout: "rolling", readiness: "grpc" }, ["not-allowed rollout", "not-allowed readiness"]],
    [{ rollout: "surge", pinnedTo: "node-1" }, "conflict rollout"],
    [{ progressDeadlineSeconds: 0 }, "out-of-range progressDeadlineSeconds"],
    [{ revision: 2 }, "wrong-type revision"],
    [{ pinnedTo: "" }, "not-allowed pinnedTo"],
    [{ pinnedTo: "a b" }, "not-allowed pinnedTo"],
    [{ pinnedTo: pulumi.output("a") }, "wrong-type pinnedTo"],
    [{ gpuProducts: "NVIDIA-A10G" }, "wrong-type gpuProducts"],
    [{ gpuProducts: ["NVIDIA A10G", ""] }, ["not-allowed gpuProducts[0]", "not-allowed gpuProducts[1]"]],
    [{ priority: { value: 2e9 } }, "out-of-range priority.value"],
    [{ priority: 5 }, "wrong-type priority"],
    [{ image: "vllm/vllm-openai" }, "version image"],
    [{ command: "sleep", args: [1] }, ["wrong-type command", "wrong-type args[0]"]],
    [{ env: { PORT: "1", REVISION: "1", B: "1" } }, ["conflict env.PORT", "conflict env.REVISION"]],
    [{ env: [] }, "wrong-type env"],
    [{ cpu: "0", memory: "512" }, ["not-allowed cpu", "not-allowed memory"]],
    [{ cpu: 1, memory: "1.5Gi" }, ["wrong-type cpu", "not-allowed memory"]],
    [{ allowDeadlock: "yes" }, "wrong-type allowDeadlock"],
  ];
  const problemsOf = (args: unknown) => gpuDeploymentProblems(args as GpuDeploymentArgs);

  testProblems(problemsOf, wrong);

  test.for([
    { cpu: "500m", memory: "2Gi" },
    { cpu: "1.5", memory: "800M" },
  ])("none: %j", (args) => expect(problemsOf(args)).toEqual([]));

  test("a conflict has the path of the section", () => {
    const [problem] = gpuDeploymentProblems({ rollout: "surge", pinnedTo: "node-1" }, "server");
    expect(problem?.path).toBe("server.rollout");
    expect(problem?.fix).toContain("server.allowDeadlock");
  });

  test("the name must be valid for a Service", async () => {
    const make = planned((opts) => new GpuDeployment("1st", {}, opts));
    await expect(make).rejects.toMatchObject({ problems: [{ path: "name", code: "not-allowed" }] });
    const long = planned((opts) => new GpuDeployment("a".repeat(64), {}, opts));
    await expect(long).rejects.toMatchObject({ problems: [{ path: "name", code: "out-of-range" }] });
  });
});
