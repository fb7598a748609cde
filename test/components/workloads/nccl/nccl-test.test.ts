import { readFileSync } from "node:fs";
import { Provider } from "@pulumi/kubernetes/provider";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { NcclTest } from "../../../../components/workloads/nccl/nccl-test";
import {
  ncclTestDefaults,
  ncclTestProblems,
  ownVariables,
  type NcclTestArgs,
} from "../../../../components/workloads/nccl/nccl-test-schema";
import { byName, only, plan } from "../../../support/plan";
import { testProblems, type WrongCase } from "../../../support/problems";
import { planned } from "../support";

const jobType = "kubernetes:batch/v1:Job";
const made = (args: NcclTestArgs = {}) => planned((opts) => new NcclTest("nccl-test", args, opts));
const scriptText = (file: string) => readFileSync(`components/workloads/nccl/scripts/${file}`, "utf8");
const efa = { expectTransport: "efa", image: "registry.example.com/pytorch-efa:2.8.0" } as const;

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: object;
}
interface JobSpec {
  readonly template: { readonly spec: { readonly containers: readonly [Container] } };
}

async function specOf(args: NcclTestArgs = {}): Promise<JobSpec> {
  return only(await made(args), jobType).inputs["spec"] as JobSpec;
}

async function containerOf(args: NcclTestArgs = {}): Promise<Container> {
  return (await specOf(args)).template.spec.containers[0];
}

const valuesOf = ({ env }: Container) => Object.fromEntries(env.map(({ name, value }) => [name, value]));

const labels = {
  "app.kubernetes.io/name": "nccl-test",
  "app.kubernetes.io/instance": "nccl-test",
  "app.kubernetes.io/part-of": "eks-gpu-lab",
  "app.kubernetes.io/managed-by": "pulumi",
};
const selector = { "app.kubernetes.io/name": "nccl-test", "app.kubernetes.io/instance": "nccl-test" };
const apart = (topologyKey: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: selector }, topologyKey }],
});

describe("by default", () => {
  test("the Job has a pod on each of two nodes of one zone, and tries once", async () => {
    const job = only(await made(), jobType);
    expect(job.options.deleteBeforeReplace).toBe(true);
    expect(job.inputs).toMatchObject({
      metadata: { name: "nccl-test", annotations: { "pulumi.com/waitFor": "jsonpath={.metadata.uid}" } },
      spec: {
        completionMode: "Indexed",
        completions: 2,
        parallelism: 2,
        backoffLimitPerIndex: 0,
        activeDeadlineSeconds: 1200,
        template: {
          metadata: { labels },
          spec: {
            subdomain: "nccl-test",
            restartPolicy: "Never",
            affinity: {
              podAntiAffinity: apart("kubernetes.io/hostname"),
              podAffinity: apart("topology.kubernetes.io/zone"),
            },
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          },
        },
      },
    });
    // One failure would otherwise delete the pods that still have something to tell.
    expect(job.inputs["spec"]).not.toHaveProperty("backoffLimit");
  });

  test("a pod runs the script, with its GPU, shared memory and a place for its report", async () => {
    expect(await containerOf()).toMatchObject({
      image: ncclTestDefaults.image,
      command: ["python3", "/opt/nccl-test/all_reduce.py"],
      resources: { requests: { cpu: "1", memory: "6Gi" }, limits: { memory: "6Gi", "nvidia.com/gpu": "1" } },
      terminationMessagePath: "/dev/termination-log",
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      volumeMounts: [{ mountPath: "/opt/nccl-test" }, { mountPath: "/tmp" }, { mountPath: "/dev/shm" }],
    });
    expect(valuesOf(await containerOf())).toMatchObject({
      NODES: "2",
      GPUS_PER_NODE: "1",
      RENDEZVOUS_HOST: "nccl-test-0.nccl-test",
      TIMEOUT_SECONDS: "300",
      SIZES_MIB: "1,8,64,256",
      EXPECT_TRANSPORT: "tcp",
      ATTEMPT: "baseline",
      NCCL_DEBUG: "INFO",
      NCCL_SOCKET_IFNAME: "eth0",
    });
    expect((await containerOf()).env).toContainEqual({
      name: "POD_IP",
      valueFrom: { fieldRef: { fieldPath: "status.podIP" } },
    });
  });

  test("every variable that the script reads is set, and none can be set twice", async () => {
    // Kubernetes sets the index of a pod of an Indexed Job by itself; three are for tests and for children.
    const byOthers = ["JOB_COMPLETION_INDEX", "LOCAL_RANK", "NCCL_LOGS", "TERMINATION_LOG"];
    const read = [...scriptText("all_reduce.py").matchAll(/environ(?:\.get\(|\[)"(\w+)"/g)].map(([, name]) => name);
    const set = [...Object.keys(valuesOf(await containerOf(efa)))];
    expect(read.filter((name) => name !== undefined && !set.includes(name)).sort()).toEqual(byOthers);
    expect(set.filter((name) => !ownVariables.some((own) => own === name))).toEqual([]);
  });

  test("the pods have names before they are ready, and the script is a ConfigMap", async () => {
    const recording = await made();
    expect(byName(recording, "nccl-test-service").inputs).toMatchObject({
      metadata: { name: "nccl-test", labels },
      spec: { clusterIP: "None", publishNotReadyAddresses: true, selector, ports: [{ port: 29500 }] },
    });
    const script = byName(recording, "nccl-test-script");
    expect(script.inputs).toMatchObject({
      data: { "report.py": scriptText("report.py"), "all_reduce.py": scriptText("all_reduce.py") },
    });
    expect(script.options.deleteBeforeReplace).toBe(true);
    expect(only(recording, jobType).propertyDependencies["spec"]?.toSorted()).toEqual(
      [byName(recording, "nccl-test-service").urn, script.urn].toSorted(),
    );
  });
});

describe("what the arguments change", () => {
  test("EFA asks for devices and huge pages, and for its provider", async () => {
    const container = await containerOf({ ...efa, efaDevices: 4, gpusPerNode: 8, memory: "64Gi" });
    expect(container.resources).toMatchObject({
      limits: { memory: "64Gi", "nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "4", "hugepages-2Mi": "5120Mi" },
    });
    expect(valuesOf(container)).toMatchObject({ EXPECT_TRANSPORT: "efa", FI_PROVIDER: "efa", GPUS_PER_NODE: "8" });
    expect(valuesOf(await containerOf())).not.toHaveProperty("FI_PROVIDER");
    expect((await containerOf(efa)).resources).toMatchObject({ limits: { "vpc.amazonaws.com/efa": "1" } });
  });

  test("nodes, times, sizes, variables and the attempt", async () => {
    const args = { nodes: 4, timeoutSeconds: 120, pendingSeconds: 0, sizesMiB: [16], env: { NCCL_ALGO: "Ring" } };
    const spec = await specOf({ ...args, attempt: "after-restore" });
    expect(spec).toMatchObject({ completions: 4, parallelism: 4, activeDeadlineSeconds: 120 });
    expect(valuesOf(spec.template.spec.containers[0])).toMatchObject({
      NODES: "4",
      TIMEOUT_SECONDS: "120",
      SIZES_MIB: "16",
      NCCL_ALGO: "Ring",
      ATTEMPT: "after-restore",
    });
  });

  test("transform adjusts each of the three, and a change replaces the Job", async () => {
    let options: CustomResourceOptions = {};
    const job = (args: { metadata?: unknown }, opts: CustomResourceOptions) => {
      options = opts;
      args.metadata = { name: "other" };
    };
    const recording = await made({ transform: { job, service: { metadata: { name: "s" } }, script: { data: {} } } });
    expect(options).toMatchObject({ replaceOnChanges: ["spec"], deleteBeforeReplace: true });
    expect(only(recording, jobType).inputs).toMatchObject({
      metadata: { name: "other" },
      spec: { template: { spec: { subdomain: "s" } } },
    });
    expect(byName(recording, "nccl-test-script").inputs).toMatchObject({ data: {} });
  });
});

test("its outputs name the next commands", async () => {
  const { outputs } = await plan(() => {
    const run = new NcclTest("nccl-test", {}, { provider: new Provider("cluster", { kubeconfig: "{}" }) });
    return { ...run.commands };
  });
  expect(outputs).toMatchInlineSnapshot(`
    {
      "failed": "kubectl wait --for=condition=Failed job/nccl-test -n gpu-lab --timeout=1230s",
      "logs": "kubectl logs -n gpu-lab -l batch.kubernetes.io/job-name=nccl-test --prefix --tail=-1",
      "passed": "kubectl wait --for=condition=Complete job/nccl-test -n gpu-lab --timeout=1230s",
      "report": "kubectl get pods -n gpu-lab -l batch.kubernetes.io/job-name=nccl-test -o jsonpath='{range .items[*]}{.metadata.name}{" "}{.status.containerStatuses[0].state.terminated.message}{"\\n"}{end}'",
    }
  `);
});

describe("problems", () => {
  const wrong: readonly WrongCase[] = [
    [{ nodes: 1, gpusPerNode: 0 }, ["out-of-range nodes", "out-of-range gpusPerNode"]],
    [
      { nodes: 65, timeoutSeconds: 29, pendingSeconds: -1 },
      ["out-of-range nodes", "out-of-range timeoutSeconds", "out-of-range pendingSeconds"],
    ],
    [{ expectTransport: "ib" }, "not-allowed expectTransport"],
    [{ expectTransport: "efa" }, "conflict expectTransport"],
    [{ ...efa, efaDevices: 0 }, "conflict efaDevices"],
    [{ ...efa, efaDevices: 33 }, "out-of-range efaDevices"],
    [{ efaDevices: 1 }, "conflict efaDevices"],
    [{ sizesMiB: [] }, "out-of-range sizesMiB"],
    [{ sizesMiB: Array.from({ length: 11 }, () => 1) }, "out-of-range sizesMiB"],
    [{ sizesMiB: "1,8" }, "wrong-type sizesMiB"],
    [
      { sizesMiB: [0, 1, 5000, "8"] },
      ["out-of-range sizesMiB[0]", "out-of-range sizesMiB[2]", "wrong-type sizesMiB[3]"],
    ],
    [{ attempt: "", image: "pytorch", memory: 6 }, ["out-of-range attempt", "version image", "wrong-type memory"]],
    [{ env: { NCCL_DEBUG: "WARN", NCCL_ALGO: "Ring" } }, "conflict env.NCCL_DEBUG"],
    [{ node: 2 }, "unknown-key node"],
  ];
  const problemsOf = (args: unknown) => ncclTestProblems(args as NcclTestArgs);

  testProblems(problemsOf, wrong);

  test.for([{}, efa, { efaDevices: 0 }])("none: %j", (args) => expect(problemsOf(args)).toEqual([]));

  test("the name leaves room for the index of a pod", async () => {
    const make = planned((opts) => new NcclTest("n".repeat(61), {}, opts));
    await expect(make).rejects.toMatchObject({ problems: [{ path: "name", code: "out-of-range" }] });
  });
});
