import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { workloadImages } from "../../../../components/core/versions";
import { ModelServer } from "../../../../components/workloads/serving/model-server";
import {
  modelServerProblems,
  type ModelServerArgs,
} from "../../../../components/workloads/serving/model-server-schema";
import { byName, only, plan } from "../../../support/plan";
import { brief, testProblems, type WrongCase } from "../../../support/problems";
import { planned } from "../support";

const deploymentType = "kubernetes:apps/v1:Deployment";
const model = "Qwen/Qwen2.5-0.5B-Instruct";
const large = "meta-llama/Llama-3.3-70B-Instruct";
const made = (args: Partial<ModelServerArgs> = {}) =>
  planned((opts) => new ModelServer("llm", { model, ...args }, opts));

/** The parts of a Deployment that a test looks at. */
interface Spec {
  readonly progressDeadlineSeconds: number;
  readonly template: { readonly spec: { readonly volumes: object[]; readonly containers: readonly [object] } };
}

async function specOf(args: Partial<ModelServerArgs> = {}): Promise<Spec> {
  return only(await made(args), deploymentType).inputs["spec"] as Spec;
}

async function containerOf(args: Partial<ModelServerArgs> = {}): Promise<object> {
  return (await specOf(args)).template.spec.containers[0];
}

const healthy = { httpGet: { path: "/health", port: "http" }, timeoutSeconds: 5 };

test("by default one pod serves from a cache of its own, without a spare GPU and without rights", async () => {
  const labels = { "app.kubernetes.io/name": "model-server", "app.kubernetes.io/instance": "llm" };
  expect(await specOf()).toEqual({
    replicas: 1,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    progressDeadlineSeconds: 1500,
    selector: { matchLabels: labels },
    template: {
      metadata: {
        labels: { ...labels, "app.kubernetes.io/part-of": "eks-gpu-lab", "app.kubernetes.io/managed-by": "pulumi" },
        annotations: { "eks-gpu-lab/revision": "1" },
      },
      spec: {
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65532,
          runAsGroup: 65532,
          fsGroup: 65532,
          seccompProfile: { type: "RuntimeDefault" },
        },
        tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
        containers: [
          {
            name: "vllm",
            image: workloadImages.vllm,
            imagePullPolicy: "IfNotPresent",
            command: [
              ...["vllm", "serve", model, "--port=8000", "--dtype=auto", "--max-model-len=4096"],
              ...["--gpu-memory-utilization=0.9", "--tensor-parallel-size=1"],
            ],
            env: [
              { name: "HOME", value: "/cache" },
              { name: "USER", value: "model-server" },
              { name: "HF_HOME", value: "/cache/huggingface" },
              { name: "VLLM_NO_USAGE_STATS", value: "1" },
            ],
            ports: [{ name: "http", containerPort: 8000 }],
            startupProbe: { ...healthy, periodSeconds: 10, failureThreshold: 60 },
            readinessProbe: { ...healthy, periodSeconds: 5 },
            livenessProbe: { ...healthy, periodSeconds: 10, failureThreshold: 3 },
            resources: {
              requests: { cpu: "2", memory: "12Gi" },
              limits: { memory: "12Gi", "nvidia.com/gpu": "1" },
            },
            securityContext: {
              allowPrivilegeEscalation: false,
              capabilities: { drop: ["ALL"] },
              readOnlyRootFilesystem: true,
            },
            volumeMounts: [
              { name: "tmp", mountPath: "/tmp" },
              { name: "cache", mountPath: "/cache" },
            ],
          },
        ],
        volumes: [
          { name: "tmp", emptyDir: {} },
          { name: "cache", emptyDir: { sizeLimit: "20Gi" } },
        ],
      },
    },
  });
});

describe("what each argument changes", () => {
  test("ranks: one GPU and shared memory for them", async () => {
    const { template } = await specOf({ tensorParallelSize: 2 });
    expect(template.spec.volumes).toContainEqual({ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "2Gi" } });
    expect(template.spec.containers[0]).toMatchObject({
      command: expect.arrayContaining(["--tensor-parallel-size=2"]) as unknown,
      resources: { limits: { "nvidia.com/gpu": "2" } },
      volumeMounts: [{}, {}, { name: "shm", mountPath: "/dev/shm" }],
    });
  });

  test("shared memory for one rank", async () => {
    const { template } = await specOf({ sharedMemory: "1Gi" });
    expect(template.spec.volumes).toContainEqual({ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } });
  });

  test("the token is a reference to its Secret, whose value the stack does not know", async () => {
    const { env } = (await containerOf({ token: { secret: "hub", key: "hf" } })) as { env: object[] };
    expect(env.at(-1)).toEqual({ name: "HF_TOKEN", valueFrom: { secretKeyRef: { name: "hub", key: "hf" } } });
  });

  test("a claim keeps the models", async () => {
    const { template } = await specOf({ cache: { claim: "models" } });
    expect(template.spec.volumes).toContainEqual({ name: "cache", persistentVolumeClaim: { claimName: "models" } });
  });

  test("time to start", async () => {
    const { progressDeadlineSeconds, template } = await specOf({ startupMinutes: 60 });
    expect(progressDeadlineSeconds).toBe(4500);
    expect(template.spec.containers[0]).toMatchObject({ startupProbe: { failureThreshold: 360 } });
  });

  test("arguments and variables of your own come last", async () => {
    const own = { extraArgs: ["--enforce-eager"], env: { VLLM_LOGGING_LEVEL: "DEBUG" }, port: 9000 } as const;
    expect(await containerOf(own)).toMatchObject({
      command: expect.arrayContaining(["--port=9000", "--enforce-eager"]) as unknown,
      env: expect.arrayContaining([{ name: "VLLM_LOGGING_LEVEL", value: "DEBUG" }]) as unknown,
    });
  });

  test("Prometheus scrapes the metrics of the Service", async () => {
    const recording = await made({ serviceMonitor: true, monitorLabels: { release: "monitoring" } });
    const selector = { "app.kubernetes.io/name": "model-server", "app.kubernetes.io/instance": "llm" };
    expect(byName(recording, "llm-monitor").inputs).toMatchObject({
      kind: "ServiceMonitor",
      metadata: { namespace: "gpu-lab", labels: { release: "monitoring" } },
      spec: { selector: { matchLabels: selector }, endpoints: [{ port: "http", path: "/metrics" }] },
    });
    expect(byName(recording, "llm-service").inputs).toMatchObject({
      metadata: { name: "llm", labels: selector },
      spec: { selector, ports: [{ name: "http", port: 8000, targetPort: "http" }] },
    });
  });
});

test("its outputs name the next commands", async () => {
  const { outputs } = await plan(() => {
    const server = new ModelServer("llm", { model }, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
    return { ...server.commands };
  });
  expect(outputs).toEqual({
    rollout: "kubectl rollout status deployment/llm -n gpu-lab --timeout=60s",
    log: "kubectl logs deployment/llm -n gpu-lab --previous --tail=200 || kubectl logs deployment/llm -n gpu-lab --tail=200",
    forward: "kubectl port-forward -n gpu-lab service/llm 8000:8000",
    ask: `curl -s http://localhost:8000/v1/completions -H 'Content-Type: application/json' -d '{"model":"${model}","prompt":"The capital of France is","max_tokens":8}'`,
  });
});

describe("problems", () => {
  const wrong: readonly WrongCase[] = [
    [{}, "missing model"],
    [{ model: "two words" }, "not-allowed model"],
    [{ model, tensorParallelSize: 2, gpus: 1 }, "conflict gpus"],
    [{ model, tensorParallelSize: 4 }, "conflict tensorParallelSize"],
    [{ model, maxModelLen: 32_769 }, "conflict maxModelLen"],
    [{ model: "own/model", tensorParallelSize: 3, gpus: 2, maxModelLen: 1_000_000 }, "conflict gpus"],
    [{ model, gpuMemoryUtilization: 0 }, "out-of-range gpuMemoryUtilization"],
    [{ model, gpuMemoryUtilization: 1.1 }, "out-of-range gpuMemoryUtilization"],
    [{ model, gpuMemoryUtilization: "0.9" }, "wrong-type gpuMemoryUtilization"],
    [{ model, maxModelLen: 0 }, "out-of-range maxModelLen"],
    [{ model, token: "hf_abcdef" }, "wrong-type token"],
    [{ model, token: { secret: "Not A Name" } }, "not-allowed token.secret"],
    [{ model, env: { HF_TOKEN: "hf_abcdef" } }, "conflict env.HF_TOKEN"],
    [
      { model, extraArgs: ["--max_model_len=8192", "-tp", "--dtype", "--seed=1"] },
      ["conflict extraArgs[0]", "conflict extraArgs[1]", "conflict extraArgs[2]"],
    ],
    [{ model, cache: { size: "20" } }, "not-allowed cache.size"],
    [{ model, startupMinutes: 0 }, "out-of-range startupMinutes"],
    [{ model: large, startupMinutes: 1 }, "conflict startupMinutes"],
    [{ model, image: "vllm/vllm-openai:latest" }, "version image"],
  ];
  testProblems((given: ModelServerArgs) => modelServerProblems(given), wrong);

  test.for([
    { model: "gpt2" },
    { model: "/models/qwen" },
    { model, tensorParallelSize: 2, gpus: 1, allowMisfit: true },
    { model, gpuMemoryUtilization: 1 },
    { model: "own/model", tensorParallelSize: 3, maxModelLen: 1_000_000 },
    { model, maxModelLen: 65_536, allowMisfit: true },
    { model: large, startupMinutes: 2 },
    { model: large, startupMinutes: 1, allowMisfit: true },
    { model: "own/model", startupMinutes: 1 },
  ])("none: %j", (args) => expect(brief(modelServerProblems(args))).toEqual([]));

  test("an Output is no model", () => {
    expect(brief(modelServerProblems({ model: pulumi.output(model) as never }))).toEqual(["wrong-type model"]);
  });
});
