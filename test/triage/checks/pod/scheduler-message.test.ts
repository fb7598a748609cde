import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { schedulerMessage } from "../../../../triage/checks/pod/scheduler-message";

/** `nodes class text` of each reason. */
function short(text: string) {
  return schedulerMessage(text)?.reasons.map(({ nodes, class: kind, resource, taint }) =>
    [nodes, kind, resource ?? (taint && `${taint.key}=${taint.value}`)].filter((part) => part !== undefined).join(" "),
  );
}

describe("the six classes", () => {
  test.for([
    ["0/4 nodes are available: 4 Insufficient nvidia.com/gpu.", ["4 insufficient nvidia.com/gpu"]],
    [
      "0/2 nodes are available: 2 Insufficient cpu, 1 Insufficient memory.",
      ["2 insufficient cpu", "1 insufficient memory"],
    ],
    [
      "0/3 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: true}, 2 Insufficient cpu.",
      ["2 insufficient cpu", "1 taint nvidia.com/gpu=true"],
    ],
    ["0/9 nodes are available: 9 node(s) didn't match Pod's node affinity/selector.", ["9 node-selector"]],
    [
      "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
      ["volume"],
    ],
    ["0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.", ["2 topology-spread"]],
  ] as const)("%s", ([text, expected]) => expect(short(text)).toEqual(expected));
});

describe("messages of kube-scheduler from 1.20 to 1.36", () => {
  test.for([
    [
      "1 node(s) had taint {node-role.kubernetes.io/master: }, that the pod didn't tolerate, 2 Insufficient cpu",
      ["2 insufficient cpu", "1 taint node-role.kubernetes.io/master="],
    ],
    ["3 node(s) had untolerated taint(s)", ["3 taint"]],
    ["2 node(s) had taints that the pod didn't tolerate", ["2 taint"]],
    ["1 node(s) were unschedulable", ["1 cordoned"]],
    ["1 node(s) didn't match PersistentVolume's node affinity", ["1 volume"]],
    ["1 node(s) had volume node affinity conflict", ["1 volume"]],
    ['persistentvolumeclaim "data" not found', ["volume"]],
    ["1 node(s) didn't find available persistent volumes to bind", ["1 volume"]],
    ["1 node(s) didn't match pod topology spread constraints (missing required label)", ["1 topology-spread"]],
    ["1 node(s) didn't match pod anti-affinity rules", ["1 other"]],
    ["1 node(s) didn't satisfy existing pods anti-affinity rules", ["1 other"]],
    ["1 node(s) didn't have free ports for the requested pod ports", ["1 other"]],
    ["1 Too many pods", ["1 too-many-pods"]],
    ["1 Insufficient nvidia.com/mig-1g.5gb", ["1 insufficient nvidia.com/mig-1g.5gb"]],
    ["1 cannot allocate all claims", ["1 resource-claim"]],
    ['waiting for dynamic resource controller to create the resourceclaim "p-gpu"', ["resource-claim"]],
  ] as const)("%s", ([reasons, expected]) => {
    expect(
      short(
        `0/3 nodes are available: ${reasons}. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.`,
      ),
    ).toEqual(expected);
    expect(short(`0/3 nodes are available: ${reasons}`)).toEqual(expected);
  });

  test("text of other plugins before preemption is not a reason", () => {
    const text =
      "0/17 nodes are available: 17 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/17 nodes are available: 17 Preemption is not helpful for scheduling.";
    expect(schedulerMessage(text)).toMatchObject({
      nodes: 17,
      reasons: [{ nodes: 17, class: "taint" }],
    });
  });

  test("a cluster without nodes", () => {
    expect(schedulerMessage("no nodes available to schedule pods")).toEqual({
      nodes: 0,
      reasons: [],
      nodesWithoutVictims: 0,
    });
  });

  test("a pod that may not evict others", () => {
    const text =
      "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. preemption: not eligible due to preemptionPolicy=Never.";
    expect(schedulerMessage(text)?.nodesWithoutVictims).toBe(0);
  });
});

describe("a deadlocked rollout", () => {
  const message =
    "0/10 nodes are available: 1 Insufficient nvidia.com/gpu, 9 node(s) didn't match Pod's node affinity/selector. preemption: 0/10 nodes are available: 1 No preemption victims found for incoming pod, 9 Preemption is not helpful for scheduling..";

  test("one node fits and has no victim", () => {
    expect(schedulerMessage(message)).toMatchObject({ nodes: 10, nodesWithoutVictims: 1 });
    expect(short(message)).toEqual(["9 node-selector", "1 insufficient nvidia.com/gpu"]);
  });

  test("typographic quotes, broken lines and non-breaking spaces change nothing", () => {
    const pasted = message
      .replaceAll("'", "\u2019")
      .replaceAll(". preemption", ".\n   preemption")
      .replaceAll(" nodes", "\u00a0nodes");
    expect(schedulerMessage(pasted)).toEqual(schedulerMessage(message));
  });
});

test("commas and braces in a taint do not split a reason", () => {
  expect(short("0/2 nodes are available: 2 node(s) had untolerated taint {a/b: x, 3 y}.")).toEqual([
    "2 taint a/b=x, 3 y",
  ]);
  expect(short("0/2 nodes are available: 1 node(s) had untolerated taint {a, 1 Insufficient cpu.")).toEqual([
    "1 taint",
    "1 insufficient cpu",
  ]);
});

test.for(["", "Back-off restarting failed container", "Successfully assigned gpu-lab/probe to node", "0/0"])(
  "%j is no message of the scheduler",
  (text) => expect(schedulerMessage(text)).toBeUndefined(),
);

test("parses counts and reasons of arbitrary messages", () => {
  const reason = fc.tuple(
    fc.integer({ min: 1, max: 5000 }),
    fc.stringMatching(/^[A-Za-z()'/]{1,12}( [A-Za-z()'/]{1,12}){0,4}$/),
  );
  fc.assert(
    fc.property(fc.array(reason, { minLength: 1, maxLength: 8 }), (reasons) => {
      const text = `0/9 nodes are available: ${reasons.map(([count, what]) => `${count} ${what}`).join(", ")}.`;
      const found = schedulerMessage(text)?.reasons.map(({ nodes }) => nodes ?? 0) ?? [];
      const byCount = (one: number, other: number) => one - other;
      expect([...found].sort(byCount)).toEqual(reasons.map(([count]) => count).sort(byCount));
    }),
  );
});

test("does not throw on arbitrary text", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      schedulerMessage(text);
      schedulerMessage(`0/3 nodes are available: ${text}. preemption: ${text}`);
    }),
  );
});
