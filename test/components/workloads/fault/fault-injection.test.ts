import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { inDays } from "../../../../components/core/faults";
import { injectScript } from "../../../../components/workloads/fault/dcgm-faults";
import {
  FaultInjection,
  faultInjectionProblems,
  type FaultInjectionArgs,
} from "../../../../components/workloads/fault/fault-injection";
import { only, plan } from "../../../support/plan";
import { expectOwned, planned } from "../support";

const jobType = "kubernetes:batch/v1:Job";
const expires = inDays(7, new Date());
const stack = "node-health";

const made = (args: Partial<FaultInjectionArgs> = {}) =>
  planned((opts) => new FaultInjection("fault", { expires, ...args }, opts), stack);

interface JobSpec {
  readonly template: {
    readonly metadata: object;
    readonly spec: { readonly containers: readonly [{ readonly env: readonly object[] } & object] } & object;
  };
}
async function specOf(args: Partial<FaultInjectionArgs> = {}): Promise<JobSpec> {
  return only(await made(args), jobType).inputs["spec"] as JobSpec;
}
const envOf = async (args: Partial<FaultInjectionArgs>) => (await specOf(args)).template.spec.containers[0].env;

describe("by default", () => {
  test("the Job injects a double-bit error into the engine of any GPU node", async () => {
    const job = only(await made(), jobType);
    expect(job.options.deleteBeforeReplace).toBe(true);
    expect(job.inputs["metadata"]).toEqual({
      name: "fault",
      namespace: "kube-system",
      labels: {
        "app.kubernetes.io/name": "fault-injection",
        "app.kubernetes.io/instance": "fault",
        "app.kubernetes.io/part-of": "eks-gpu-lab",
        "app.kubernetes.io/managed-by": "pulumi",
      },
      annotations: {
        "eks-gpu-lab/fault": "on",
        "eks-gpu-lab/expires": expires,
        "pulumi.com/waitFor": "jsonpath={.metadata.uid}",
      },
    });
    expect(job.inputs["spec"]).toMatchObject({
      backoffLimit: 0,
      activeDeadlineSeconds: 900,
      template: {
        spec: {
          nodeSelector: { "nvidia.com/gpu.present": "true" },
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          restartPolicy: "Never",
          containers: [
            {
              image: "nvcr.io/nvidia/cloud-native/dcgm:4.6.0-1-ubuntu24.04",
              command: ["/bin/sh", "-c", injectScript()],
              env: [
                { name: "GPU", value: "0" },
                { name: "FIELD", value: "319" },
                { name: "VALUE", value: "1" },
                { name: "ATTEMPT", value: "1" },
                { name: "NVIDIA_VISIBLE_DEVICES", value: "void" },
                { name: "NODE_IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } },
              ],
            },
          ],
        },
      },
    });
  });

  test("it takes no GPU from the workload, and needs no door to its node", async () => {
    const { template } = await specOf();
    expect(JSON.stringify(template.spec.containers[0])).not.toContain('"nvidia.com/gpu"');
    for (const door of ["hostNetwork", "hostPID", "hostIPC"]) expect(template.spec).not.toHaveProperty(door);
  });

  test("the Job is its own", () =>
    expectOwned("fault", (opts, cluster) => new FaultInjection("fault", { expires, cluster }, opts), stack));
});

describe("what the arguments change", () => {
  test.for([
    [{ fault: "xid" }, "230", "79"],
    [{ fault: "xid", xid: 48 }, "230", "48"],
    [{ fault: "double-bit-ecc" }, "319", "1"],
  ] as const)("%j", async ([args, field, value]) => {
    expect(await envOf(args)).toMatchObject([
      {},
      { name: "FIELD", value: field },
      { name: "VALUE", value },
      {},
      {},
      {},
    ]);
  });

  test("one node, one GPU of it, another time", async () => {
    const nodeName = "ip-192-168-1-2.ap-northeast-2.compute.internal";
    const spec = await specOf({ nodeName, gpuIndex: 3, attempt: "2", timeoutSeconds: 120 });
    expect(spec).toMatchObject({ activeDeadlineSeconds: 120 });
    expect(spec.template.spec).toMatchObject({
      nodeSelector: { "nvidia.com/gpu.present": "true" },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] }],
          },
        },
      },
    });
    expect(spec.template.spec.containers[0].env).toMatchObject([{ value: "3" }, {}, {}, { value: "2" }, {}, {}]);
  });

  test("another end of the fault does not inject it again", async () => {
    const [one, other] = await Promise.all([specOf(), specOf({ expires: inDays(2, new Date()) })]);
    expect(one).toEqual(other);
  });

  test("the engine of policies sees when the fault ends; transform adjusts the Job", async () => {
    const recording = await made({ transform: { job: { metadata: { name: "other" } } } });
    expect(only(recording, "eks-gpu-lab:index:FaultInjection").inputs).toMatchObject({
      expires,
      fault: "double-bit-ecc",
    });
    expect(only(recording, jobType).inputs).toMatchObject({ metadata: { name: "other" } });
  });
});

/** The reason and the commands of an injection. */
async function outputsOf(args: Partial<FaultInjectionArgs>) {
  const run = () => {
    const opts = { provider: new Provider("cluster", { kubeconfig: "{}" }) };
    const { reason, commands } = new FaultInjection("fault", { expires, ...args }, opts);
    return { reason, ...commands };
  };
  return (await plan(run, { stack })).outputs;
}

test("its outputs name the reason and the next commands", async () => {
  expect(await outputsOf({ timeoutSeconds: 600 })).toMatchInlineSnapshot(`
    {
      "condition": "kubectl get nodes -l nvidia.com/gpu.present=true -o jsonpath='{range .items[*]}{.metadata.name}{" "}{.status.conditions[?(@.type=="AcceleratedHardwareReady")].status}{" "}{.status.conditions[?(@.type=="AcceleratedHardwareReady")].reason}{" since "}{.status.conditions[?(@.type=="AcceleratedHardwareReady")].lastTransitionTime}{"\\n"}{end}'",
      "injected": "kubectl wait --for=condition=Complete job/fault -n kube-system --timeout=600s",
      "logs": "kubectl logs job/fault -n kube-system --timestamps",
      "reason": "NvidiaDoubleBitError",
      "restore": "kubectl rollout restart daemonset/eks-node-monitoring-agent -n kube-system",
    }
  `);
});

test("an XID is forgotten by the engine, too", async () => {
  expect(await outputsOf({ fault: "xid" })).toMatchObject({
    reason: "NvidiaXID79Error",
    restore: "kubectl rollout restart daemonset/dcgm-server daemonset/eks-node-monitoring-agent -n kube-system",
  });
});

describe("what is wrong", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const pathsOf = (args: object, at?: string) =>
    faultInjectionProblems(args as FaultInjectionArgs, at, now).map(({ path }) => path);

  test.for([
    [{ expires: "2026-11-21" }, []],
    [{ expires: "2026-11-28T18:00:00Z" }, []],
    [{ expires: "2026-12-05" }, []],
    [{}, ["expires"]],
    [{ expires: "" }, ["expires"]],
    [{ expires: "2026-11-20" }, ["expires"]],
    [{ expires: "2026-12-06" }, ["expires"]],
    [{ expires: "tomorrow" }, ["expires"]],
    [{ expires: 20261122 }, ["expires"]],
    [{ expires: pulumi.output("2026-11-22") }, ["expires"]],
  ])("the end %j", ([args, paths]) => expect(pathsOf(args as object)).toEqual(paths));

  test.for([
    [{ fault: "ecc" }, ["fault"]],
    [{ xid: 79 }, ["xid"]],
    [{ fault: "xid", xid: 13 }, ["xid"]],
    [{ fault: "xid", xid: "79" }, ["xid"]],
    [{ fault: "xid", xid: 0 }, ["xid"]],
    [{ gpuIndex: -1 }, ["gpuIndex"]],
    [{ gpuIndex: 16 }, ["gpuIndex"]],
    [{ nodeName: "" }, ["nodeName"]],
    [{ nodeName: "Node 1" }, ["nodeName"]],
    [{ nodeName: `${"a.".repeat(127)}aa` }, ["nodeName"]],
    [{ attempt: 1, timeoutSeconds: 59, image: "dcgm" }, ["attempt", "timeoutSeconds", "image"]],
    [{ gpus: 1 }, ["gpus"]],
  ])("%j", ([args, paths]) => expect(pathsOf({ expires: "2026-11-22", ...(args as object) })).toEqual(paths));

  test("paths begin where the arguments stand", () => expect(pathsOf({}, "injection")).toEqual(["injection.expires"]));

  test.for([undefined, null, 5, []])("garbage %# gives a problem", (args) => {
    expect(faultInjectionProblems(args as unknown as FaultInjectionArgs)).toMatchObject([{ path: "args" }]);
  });

  test.for(["prod", "gpu-prod", "team"])("in the stack %s it is refused, and so is a past end", async (name) => {
    const make = planned((opts) => new FaultInjection("fault", { expires: "2026-01-01" }, opts), name);
    await expect(make).rejects.toThrow(/FaultInjection "fault": 2 problems/);
    await expect(make).rejects.toThrow(/This stack is no lab[^]*expires: got "2026-01-01". That is past/);
  });
});
