import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inDays } from "../../../../components/core/faults";
import { injectScript } from "../../../../components/workloads/fault/dcgm-faults";
import { workloadImages } from "../../../../components/core/versions";
import { FaultInjection } from "../../../../components/workloads/fault/fault-injection";
import {
  faultInjectionProblems,
  type FaultInjectionArgs,
} from "../../../../components/workloads/fault/fault-injection-schema";
import { only, plan } from "../../../support/plan";
import { brief, testProblems, type WrongCase } from "../../../support/problems";
import { planned } from "../support";

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
              image: workloadImages.dcgm,
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

  test("it requests no GPU, and shares no namespace of its node", async () => {
    const { template } = await specOf();
    expect(JSON.stringify(template.spec.containers[0])).not.toContain('"nvidia.com/gpu"');
    for (const shared of ["hostNetwork", "hostPID", "hostIPC"]) expect(template.spec).not.toHaveProperty(shared);
  });
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

  test("policies see the end of the fault; transform adjusts the Job", async () => {
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

test("after an XID the engine restarts, too", async () => {
  expect(await outputsOf({ fault: "xid" })).toMatchObject({
    reason: "NvidiaXID79Error",
    restore: "kubectl rollout restart daemonset/dcgm-server daemonset/eks-node-monitoring-agent -n kube-system",
  });
});

describe("problems", () => {
  beforeAll(() => void vi.useFakeTimers({ now: new Date("2026-11-21T12:00:00Z"), toFake: ["Date"] }));
  afterAll(() => void vi.useRealTimers());
  const problemsOf = (args: unknown, at?: string) => faultInjectionProblems(args as FaultInjectionArgs, at);

  test.for([
    [{ expires: "2026-11-21" }, []],
    [{ expires: "2026-11-28T18:00:00Z" }, []],
    [{ expires: "2026-12-05" }, []],
    [{}, ["missing expires"]],
    [{ expires: "" }, ["missing expires"]],
    [{ expires: "2026-11-20" }, ["not-allowed expires"]],
    [{ expires: "2026-12-06" }, ["not-allowed expires"]],
    [{ expires: "tomorrow" }, ["wrong-type expires"]],
    [{ expires: 20261122 }, ["wrong-type expires"]],
    [{ expires: pulumi.output("2026-11-22") }, ["wrong-type expires"]],
  ])("the end %o", ([args, expected]) => expect(brief(problemsOf(args))).toEqual(expected));

  const wrong: readonly WrongCase[] = [
    [{ fault: "ecc" }, "not-allowed fault"],
    [{ xid: 79 }, "conflict xid"],
    [{ fault: "xid", xid: 13 }, "not-allowed xid"],
    [{ fault: "xid", xid: "79" }, "wrong-type xid"],
    [{ fault: "xid", xid: 0 }, "out-of-range xid"],
    [{ gpuIndex: -1 }, "out-of-range gpuIndex"],
    [{ gpuIndex: 16 }, "out-of-range gpuIndex"],
    [{ nodeName: "" }, "not-allowed nodeName"],
    [{ nodeName: "Node 1" }, "not-allowed nodeName"],
    [{ nodeName: `${"a.".repeat(127)}aa` }, "out-of-range nodeName"],
    [
      { attempt: 1, timeoutSeconds: 59, image: "dcgm" },
      ["wrong-type attempt", "out-of-range timeoutSeconds", "version image"],
    ],
    [{ gpus: 1 }, "unknown-key gpus"],
  ];
  const otherwise = { expires: "2026-11-22" };

  testProblems((args: object) => problemsOf({ ...otherwise, ...args }), wrong);

  test("paths begin with the path of the arguments", () => {
    expect(problemsOf({}, "injection")).toMatchObject([{ path: "injection.expires" }]);
  });

  test.for(["prod", "gpu-prod", "team"])("in the stack %s it is rejected, and so is a past end", async (name) => {
    const make = planned((opts) => new FaultInjection("fault", { expires: "2026-01-01" }, opts), name);
    await expect(make).rejects.toMatchObject({
      subject: 'FaultInjection "fault"',
      problems: [
        { path: "stack", code: "not-allowed" },
        { path: "expires", code: "not-allowed" },
      ],
    });
  });
});
