import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inDays } from "../../../../components/core/faults";
import { SocketMount } from "../../../../components/workloads/socket/socket-mount";
import { socketMountProblems, type SocketMountArgs } from "../../../../components/workloads/socket/socket-mount-schema";
import { only, plan } from "../../../support/plan";
import { testProblems, type WrongCase } from "../../../support/problems";
import { planned } from "../support";

const podType = "kubernetes:core/v1:Pod";
const expires = inDays(7, new Date());
const stack = "runtime-socket";
const made = (args: Partial<SocketMountArgs> = {}) =>
  planned((opts) => new SocketMount("socket-mount", { expires, ...args }, opts), stack);

interface Spec {
  readonly volumes: readonly object[];
}
const specOf = async (args: Partial<SocketMountArgs> = {}) => only(await made(args), podType).inputs["spec"] as Spec;

test("by default the pod mounts a path without a type, on a GPU node", async () => {
  const pod = only(await made(), podType);
  expect(pod.options.deleteBeforeReplace).toBe(true);
  expect(pod.inputs).toMatchObject({
    metadata: {
      name: "socket-mount",
      namespace: "gpu-lab",
      annotations: { "eks-gpu-lab/fault": "on", "eks-gpu-lab/expires": expires },
    },
    spec: {
      nodeSelector: { tier: "gpu" },
      restartPolicy: "Never",
      tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
      securityContext: { runAsNonRoot: true },
      containers: [
        {
          command: ["ls", "-ld", "/mounted"],
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          volumeMounts: [{ name: "socket", mountPath: "/mounted", readOnly: true }],
        },
      ],
    },
  });
  expect((await specOf()).volumes).toEqual([{ name: "socket", hostPath: { path: "/run/eks-gpu-lab/runtime.sock" } }]);
});

describe("what the arguments change", () => {
  test("typed is the same pod with a type", async () => {
    const [untyped, typed] = await Promise.all([specOf(), specOf({ typed: true })]);
    expect(typed).toEqual({
      ...untyped,
      volumes: [{ name: "socket", hostPath: { path: "/run/eks-gpu-lab/runtime.sock", type: "Socket" } }],
    });
  });

  test("the pod mounts the normal form of the path", async () => {
    const { volumes } = await specOf({ path: "/var/run/eks-gpu-lab//a/../b.sock/" });
    expect(volumes).toEqual([{ name: "socket", hostPath: { path: "/run/eks-gpu-lab/b.sock" } }]);
  });

  test("one node of those that end with the session, another attempt", async () => {
    const spec = await specOf({ nodeName: "node-1", attempt: "2" });
    expect(spec).toMatchObject({
      nodeSelector: { tier: "gpu" },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] }],
          },
        },
      },
      containers: [{ env: [{ name: "ATTEMPT", value: "2" }] }],
    });
  });

  test("another end of the fault does not mount it again", async () => {
    expect(await specOf({ expires: inDays(1, new Date()) })).toEqual(await specOf());
  });
});

test("its outputs name the next commands, and none deletes files", async () => {
  const run = () => {
    const opts = { provider: new Provider("cluster", { kubeconfig: "{}" }) };
    const { commands, path } = new SocketMount("socket-mount", { expires }, opts);
    return { path, ...commands };
  };
  const { outputs } = await plan(run, { stack });
  expect(outputs).toMatchInlineSnapshot(`
    {
      "describe": "kubectl describe pod socket-mount -n gpu-lab",
      "logs": "kubectl logs socket-mount -n gpu-lab",
      "path": "/run/eks-gpu-lab/runtime.sock",
      "restore": "kubectl debug node/$(kubectl get pod socket-mount -n gpu-lab -o jsonpath={.spec.nodeName}) --attach --profile=sysadmin --image=docker.io/library/busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0 -- rmdir /host/run/eks-gpu-lab/runtime.sock",
    }
  `);
  expect(JSON.stringify(outputs)).not.toMatch(/rm -/);
});

describe("problems", () => {
  beforeAll(() => void vi.useFakeTimers({ now: new Date("2026-11-21T12:00:00Z"), toFake: ["Date"] }));
  afterAll(() => void vi.useRealTimers());

  const wrong: readonly WrongCase[] = [
    [{ path: "/run/containerd/containerd.sock" }, "not-allowed path"],
    [{ path: "/run/eks-gpu-lab/../containerd/containerd.sock" }, "not-allowed path"],
    [{ path: "/run/eks-gpu-lab" }, "not-allowed path"],
    [{ path: pulumi.output("/run/eks-gpu-lab/a") }, "wrong-type path"],
    [{ expires: "2026-11-20" }, "not-allowed expires"],
    [{ expires: undefined }, "missing expires"],
    [{ typed: "Socket" }, "wrong-type typed"],
    [{ nodeName: "-", nodeSelector: { tier: 1 } }, ["not-allowed nodeName", "wrong-type nodeSelector.tier"]],
    [{ attempt: "", image: "busybox:latest" }, ["out-of-range attempt", "version image"]],
    [{ type: "Socket" }, "unknown-key type"],
  ];
  const problemsOf = (args: object) => socketMountProblems({ expires: "2026-11-22", ...args });

  testProblems(problemsOf, wrong);

  test("none by default", () => expect(problemsOf({})).toEqual([]));

  test("outside a lab it is rejected, and the runtime's socket everywhere", async () => {
    const args = { expires: "2026-11-22", path: "/var/run/containerd/containerd.sock" };
    const make = planned((opts) => new SocketMount("socket-mount", args, opts), "prod");
    await expect(make).rejects.toMatchObject({ problems: [{ path: "stack" }, { path: "path", code: "not-allowed" }] });
  });
});
