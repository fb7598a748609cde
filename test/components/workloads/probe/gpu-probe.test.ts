import { Provider } from "@pulumi/kubernetes/provider";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../../components/core/problems";
import { workloadImages } from "../../../../components/core/versions";
import { GpuProbe } from "../../../../components/workloads/probe/gpu-probe";
import { gpuProbeProblems, type GpuProbeArgs } from "../../../../components/workloads/probe/gpu-probe-schema";
import { byName, only, plan } from "../../../support/plan";
import { testProblems, type WrongCase } from "../../../support/problems";
import { planned } from "../support";

const podType = "kubernetes:core/v1:Pod";
const cronJobType = "kubernetes:batch/v1:CronJob";
const podOf = async (args: GpuProbeArgs = {}) =>
  only(await planned((opts) => new GpuProbe("gpu-probe", args, opts)), podType);

/** The container of the pod, as far as a test looks at it. */
async function containerOf(args: GpuProbeArgs = {}) {
  const { inputs } = await podOf(args);
  const { spec } = inputs as {
    spec: { containers: [{ command: string[]; resources: object; image: string }] };
  };
  return spec.containers[0];
}

test("by default the pod is exactly this", async () => {
  const pod = await podOf();
  expect(pod.inputs).toEqual({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "gpu-probe",
      namespace: "gpu-lab",
      labels: {
        "app.kubernetes.io/name": "gpu-probe",
        "app.kubernetes.io/instance": "gpu-probe",
        "app.kubernetes.io/part-of": "eks-gpu-lab",
        "app.kubernetes.io/managed-by": "pulumi",
      },
      annotations: { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" },
    },
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
      restartPolicy: "Never",
      containers: [
        {
          name: "probe",
          image: workloadImages.cuda,
          imagePullPolicy: "IfNotPresent",
          command: [
            "/bin/sh",
            "-c",
            "nvidia-smi -L && nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv",
          ],
          resources: {
            requests: { cpu: "100m", memory: "256Mi" },
            limits: { memory: "256Mi", "nvidia.com/gpu": "1" },
          },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
            readOnlyRootFilesystem: true,
          },
        },
      ],
    },
  });
  expect(pod.options.deleteBeforeReplace).toBe(true);
});

describe("what the arguments change", () => {
  test("stay holds the GPU, with another image where one is stated", async () => {
    const image = "docker.io/nvidia/cuda:13.0.2-runtime-ubuntu22.04";
    const container = await containerOf({ mode: "stay", image, gpus: 2 });
    expect(container.command[2]).toMatch(/^nvidia-smi && .*sleep infinity/);
    expect(container).toMatchObject({ image, resources: { limits: { "nvidia.com/gpu": "2" } } });
  });

  test("any change of the specification is a new pod", async () => {
    let replaced: CustomResourceOptions = {};
    const pod = (_: object, opts: CustomResourceOptions) => void (replaced = opts);
    await podOf({ gpus: 2, transform: { pod } });
    expect(replaced).toMatchObject({ replaceOnChanges: ["spec"], deleteBeforeReplace: true });
  });

  test("a namespace from a resource, and waiting", async () => {
    const { inputs } = await podOf({ namespace: pulumi.output("lab"), wait: true });
    const once = { "pulumi.com/timeoutSeconds": "600", "pulumi.com/waitFor": "jsonpath={.status.phase}=Succeeded" };
    expect(inputs).toMatchObject({ metadata: { namespace: "lab", annotations: once } });
    const stay = { metadata: { annotations: { "pulumi.com/waitFor": "condition=Ready" } } };
    expect((await podOf({ mode: "stay", wait: true })).inputs).toMatchObject(stay);
  });
});

describe("by a schedule", () => {
  const everyMinute = (args: GpuProbeArgs = {}) =>
    planned((opts) => new GpuProbe("gpu-probe", { schedule: "* * * * *", ...args }, opts));

  test("the CronJob runs the same pod, one at a time, and deletes old Jobs", async () => {
    const single = await podOf({ gpus: 2 });
    const { inputs, options } = only(await everyMinute({ gpus: 2 }), cronJobType);
    const labels = (single.inputs as { metadata: { labels: object } }).metadata.labels;
    const priorityClassName = "eks-gpu-lab-gpu-probe-minus-100";
    expect(inputs).toEqual({
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "gpu-probe", namespace: "gpu-lab", labels },
      spec: {
        schedule: "* * * * *",
        timeZone: "Etc/UTC",
        concurrencyPolicy: "Forbid",
        startingDeadlineSeconds: 60,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: {
          metadata: { labels },
          spec: {
            backoffLimit: 3,
            template: { metadata: { labels }, spec: { ...(single.inputs["spec"] as object), priorityClassName } },
          },
        },
      },
    });
    // Its specification is mutable.
    expect(options.deleteBeforeReplace).toBe(false);
  });

  test("there is no single pod, and other pods preempt them", async () => {
    const recording = await everyMinute();
    expect(recording.resources.filter(({ type }) => type === podType)).toEqual([]);
    const rank = byName(recording, "gpu-probe-priority");
    expect(rank.inputs).toMatchObject({
      metadata: { name: "eks-gpu-lab-gpu-probe-minus-100" },
      value: -100,
      globalDefault: false,
    });
    // A class with another value has another name.
    expect(rank.options.deleteBeforeReplace).toBe(false);
    expect(only(recording, cronJobType).propertyDependencies["spec"]).toContain(rank.urn);
  });

  test("a class whose value the transform changes has the name of that value", async () => {
    const recording = await everyMinute({ transform: { priorityClass: { value: -5 } } });
    expect(byName(recording, "gpu-probe-priority").inputs).toMatchObject({
      metadata: { name: "eks-gpu-lab-gpu-probe-minus-5" },
      value: -5,
    });
  });

  test("its name leaves room for the suffixes of its Jobs", async () => {
    const named = (length: number) =>
      planned((opts) => new GpuProbe("a".repeat(length), { schedule: "@hourly" }, opts));
    await expect(named(53)).rejects.toMatchObject({ problems: [{ path: "name", code: "out-of-range" }] });
    expect(only(await named(52), cronJobType).name).toHaveLength(52);
  });
});

test.for([
  [
    {},
    {
      podName: "gpu-probe",
      logs: "kubectl logs gpu-probe -n gpu-lab",
      describe: "kubectl describe pod gpu-probe -n gpu-lab",
    },
  ],
  [
    { schedule: "@hourly" },
    {
      cronJobName: "gpu-probe",
      logs: "kubectl logs -n gpu-lab -l app.kubernetes.io/instance=gpu-probe --prefix --tail=-1 --ignore-errors",
      describe: "kubectl describe pod -l app.kubernetes.io/instance=gpu-probe -n gpu-lab",
    },
  ],
] as [GpuProbeArgs, object][])("its outputs name the next commands: %j", async ([args, expected]) => {
  const { outputs } = await plan(() => {
    const probe = new GpuProbe("gpu-probe", args, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
    const { podName, cronJobName, namespace } = probe;
    return { ...probe.commands, podName, cronJobName, namespace };
  });
  expect(outputs).toEqual({ ...expected, namespace: "gpu-lab" });
});

describe("problems", () => {
  const wrong: readonly WrongCase[] = [
    [{ mode: "forever" }, "not-allowed mode"],
    [{ gpus: 0 }, "out-of-range gpus"],
    [{ gpus: 17 }, "out-of-range gpus"],
    [{ gpus: "1" }, "wrong-type gpus"],
    [{ image: "nvidia/cuda:latest" }, "version image"],
    [{ schedule: "60 * * * *" }, "not-allowed schedule"],
    [{ schedule: "* * * * *", mode: "stay", wait: true }, ["conflict mode", "conflict wait"]],
    [{ schedules: "@hourly" }, "unknown-key schedules"],
    [
      { namespace: "-", wait: 1, mode: null, taints: {} },
      ["not-allowed namespace", "wrong-type wait", "wrong-type taints", "not-allowed mode"],
    ],
  ];
  const problemsOf = (args: unknown) => gpuProbeProblems(args as GpuProbeArgs);

  testProblems(problemsOf, wrong);

  test.for([{}, { mode: "stay", wait: true }, { schedule: "@hourly", wait: false }])("none: %j", (args) => {
    expect(problemsOf(args)).toEqual([]);
  });

  test("the constructor reports all of them at once, including the name's", async () => {
    const make = planned((opts) => new GpuProbe("GPU", { gpus: 0, mode: "x" as "once" }, opts));
    await expect(make).rejects.toThrow(InputError);
    await expect(make).rejects.toMatchObject({
      subject: 'GpuProbe "GPU"',
      problems: [{ path: "name" }, { path: "mode" }, { path: "gpus" }],
    });
  });

  test("it needs a provider", async () => {
    await expect(plan(() => void new GpuProbe("gpu-probe"))).rejects.toMatchObject({
      problems: [{ path: "provider", code: "missing" }],
    });
  });
});
