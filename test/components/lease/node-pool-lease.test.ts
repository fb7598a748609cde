import { Provider } from "@pulumi/kubernetes/provider";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { NodePoolLease } from "../../../components/lease/node-pool-lease";
import { nodePoolLeaseProblems, type NodePoolLeaseArgs } from "../../../components/lease/node-pool-lease-schema";
import { recordingProblems } from "../../support/kubernetes-schema";
import { brief, testProblems } from "../../support/problems";
import { byName, ofType, only, plan } from "../../support/plan";

beforeAll(() => {
  vi.useFakeTimers({ now: new Date("2026-11-23T12:00:00Z"), toFake: ["Date"] });
});
afterAll(() => {
  vi.useRealTimers();
});

const planned = (args: Partial<NodePoolLeaseArgs> = {}, name = "lease") =>
  plan(() => {
    const provider = new Provider("k8s", { kubeconfig: "{}" });
    const lease = new NodePoolLease(name, { nodePools: ["gpu"], ...args }, { provider });
    return { description: lease.description, commands: lease.commands };
  });

interface CronJob {
  readonly schedule: string;
  readonly timeZone: string;
  readonly jobTemplate: { readonly spec: { readonly template: { readonly spec: Pod } } };
}
interface Pod {
  readonly initContainers: readonly { readonly args: readonly string[] }[];
  readonly containers: readonly { readonly args: readonly string[] }[];
}

const cronJobs = "kubernetes:batch/v1:CronJob";

describe("by default", () => {
  test("each evening it first sets the limit to 0, and then ends the nodes", async () => {
    const recording = await planned();
    const { spec } = only(recording, cronJobs).inputs as { spec: CronJob };
    const { initContainers, containers } = spec.jobTemplate.spec.template.spec;
    const end = "delete nodeclaims.karpenter.sh --selector=karpenter.sh/nodepool=gpu --timeout=50m";
    expect([...initContainers, ...containers].map(({ args }) => args.join(" "))).toEqual([
      `patch nodepools.karpenter.sh gpu --type=merge --field-manager=pulumi-kubernetes --patch={"spec":{"limits":{"nvidia.com/gpu":"0"}}}`,
      end,
      end,
    ]);
    expect(spec).toMatchObject({
      ...{ schedule: "0 22 * * *", timeZone: "UTC", concurrencyPolicy: "Forbid", startingDeadlineSeconds: 14_400 },
      jobTemplate: { spec: { activeDeadlineSeconds: 3600, template: { spec: { restartPolicy: "Never" } } } },
    });
    expect(recording.outputs).toMatchObject({ description: "all GPU nodes are terminated every day at 22:00 UTC" });
    expect(recordingProblems(recording)).toEqual({});
  });

  test("it waits for its rights", async () => {
    const recording = await planned();
    expect(only(recording, cronJobs).dependencies).toContain(byName(recording, "lease-binding").urn);
  });
});

test("each NodePool has a CronJob for each time, and the rights are those for all of them", async () => {
  const times = { nightly: "05:07", timeZone: "Asia/Seoul", expiresAt: "2026-12-01T18:30:00+09:00" };
  const recording = await planned({ nodePools: ["a", "b"], namespace: "lab", ...times });
  const made = ofType(recording, cronJobs).map(({ name, inputs }) => {
    const { schedule, timeZone } = (inputs as { spec: CronJob }).spec;
    return `${name}: ${schedule} ${timeZone}`;
  });
  expect(made).toEqual([
    ...["lease-nightly-a: 7 5 * * * Asia/Seoul", "lease-nightly-b: 7 5 * * * Asia/Seoul"],
    ...["lease-end-a: 30 9 1 12 * Etc/UTC", "lease-end-b: 30 9 1 12 * Etc/UTC"],
  ]);
  const role = only(recording, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole").inputs;
  expect(role).toMatchObject({ rules: [{ resourceNames: ["a", "b"], verbs: ["get", "patch"] }, {}] });
  expect(recording.outputs).toMatchObject({
    commands: {
      runs: "kubectl get jobs -n lab -l app.kubernetes.io/instance=lease",
      nodes: "kubectl get nodeclaims -l 'karpenter.sh/nodepool in (a,b)'",
      endNow:
        "kubectl create job -n lab lease-now-1 --from=cronjob/lease-nightly-a && " +
        "kubectl create job -n lab lease-now-2 --from=cronjob/lease-nightly-b",
    },
  });
});

test("a name that is too long for the Jobs of a NodePool is rejected", async () => {
  await expect(planned({ nodePools: ["g", "training-on-eight-gpus"] }, "the-lease-of-the-laboratory")).rejects.toThrow(
    /name: got "the-lease-of-the-laboratory"\. Must be 1 to 21 lowercase/,
  );
});

const problems = (args: object) => nodePoolLeaseProblems({ nodePools: ["gpu"], ...args });

test.for([{}, { nodePools: ["a.b", "c"] }, { nightly: "none", expiresAt: "2026-12-01" }])("%j is accepted", (args) => {
  expect(brief(problems(args))).toEqual([]);
});

describe("rejected", () => {
  testProblems(problems, [
    [{ nodePools: [] }, "missing nodePools"],
    [{ nodePools: ["a", "a"] }, "conflict nodePools[1]"],
    [{ nodePools: ["GPU"] }, "not-allowed nodePools[0]"],
    [{ nightly: "none" }, "conflict nightly"],
    [{ timeZone: "KST" }, "not-allowed timeZone"],
    [{ expiresAt: "2026-11-22" }, "not-allowed expiresAt"],
    [{ image: "registry.k8s.io/kubectl:latest" }, "version image"],
    [{ nodePool: "gpu" }, "unknown-key nodePool"],
  ]);
});
