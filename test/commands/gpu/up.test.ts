import { describe, expect, onTestFinished, test, vi } from "vitest";
import { accepted, activities, instances, nodegroup } from "./session/support/answers";
import { expectValidExchanges, failure, type Params } from "../../support/aws-server";
import { apiServer } from "../../triage/support/api-server";
import { clusterPolicy, daemonSet, gpuNode, node } from "../../triage/support/objects";
import { after, gpu, quota } from "./support";
import { twoNodes } from "../../support/prices";

expectValidExchanges();

describe("up", () => {
  const started = (desired: number) => ({
    DescribeNodegroup: (_: Params, number: number) => nodegroup({ desired: number > 1 ? desired : 0 }),
    UpdateNodegroupConfig: () => accepted,
  });

  test("waits until the nodes advertise their GPUs, and shows each step once without a terminal", async () => {
    const labels = { "eks.amazonaws.com/nodegroup": "gpu" };
    const items: Record<string, unknown>[] = [daemonSet("nvidia-device-plugin-daemonset"), clusterPolicy()];
    const api = await apiServer({ items });
    const { status, out, err, changes } = await gpu(
      {
        ...started(1),
        DescribeAutoScalingGroups: (_, number) => {
          if (number === 4) items.push(node("n1", { labels, type: "g5.xlarge" }));
          if (number === 6) items.splice(2, 1, gpuNode("n1", { labels }));
          return number < 2 ? instances() : number < 3 ? instances("Pending") : instances("InService");
        },
      },
      ["up", "1", "--kubeconfig", api.kubeconfig, "--context", "lab"],
    );
    expect(status, err).toBe(0);
    expect(changes).toMatchObject([{ scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 1 } }]);
    expect(err.split("\n")).toEqual([
      "reading the GPU nodes",
      "checking the account",
      "instances running: 0 of 1, nodes Ready: 0 of 1, with GPUs: 0 of 1",
      "instances running: 1 of 1, nodes Ready: 0 of 1, with GPUs: 0 of 1",
      "instances running: 1 of 1, nodes Ready: 1 of 1, with GPUs: 0 of 1",
      "",
    ]);
    expect(out).toContain("The session runs: 1 node Ready, with GPUs, after ");
    expect(out).toContain("npx eks-gpu-lab gpu down --region ap-northeast-2 --cluster myeks --nodegroup gpu");
  });

  test("on a terminal, the steps share a line that is empty at the end", async () => {
    const { err, out } = await gpu(
      { ...started(1), DescribeAutoScalingGroups: (_, number) => (number < 3 ? instances() : instances("InService")) },
      ["up", "1"],
      { terminal: { isTTY: true, columns: 60 } },
    );
    expect(err).toContain("\r\u001b[2Kinstances running: 0 of 1");
    expect(err.endsWith("\r\u001b[2K")).toBe(true);
    // A command is not wrapped, so that it can be copied; the last line is not one.
    expect(out.split("\n").filter((line) => line.length > 60 && !line.startsWith(" "))).toEqual([]);
    expect(out).toMatch(/\n\n1 GPU node: [\d.]+ USD per hour, until you run gpu down\n$/);
  });

  test("a quota ends the wait at once; the group stays at the size, which is said with its cost", async () => {
    const { status, out } = await gpu(
      {
        ...started(2),
        DescribeScalingActivities: (_, number) =>
          number === 1 ? activities() : activities({ id: "a", status: "Failed", message: quota }),
      },
      ["up", "2"],
    );
    expect(status).toBe(1);
    expect(out).toContain("The account's vCPU quota for this kind of instance is used up.");
    expect(out.replace(/\s+/g, " ")).toContain(
      `The group stays at desired size 2: AWS keeps trying, and these nodes cost ${twoNodes("g5.xlarge")} USD per `,
    );
  });

  test("lacking capacity passes: up waits on, also with a failure from before the request", async () => {
    const message = "We currently do not have sufficient g5.xlarge capacity in the zone.";
    const old = { id: "o", status: "Failed", message: quota };
    const { status } = await gpu(
      {
        ...started(1),
        DescribeAutoScalingGroups: (_, number) => (number < 4 ? instances() : instances("InService")),
        DescribeScalingActivities: (_, number) =>
          number === 1 ? activities(old) : activities({ id: "a", status: "Failed", message }, old),
      },
      ["up", "1"],
    );
    expect(status).toBe(0);
  });

  test("a quota that has failed before with the same words ends the wait, too", async () => {
    const failed = (id: string) => ({ id, status: "Failed", message: quota });
    const { status, out } = await gpu(
      {
        DescribeNodegroup: (_, number) => nodegroup({ desired: number > 1 ? 2 : 1 }),
        UpdateNodegroupConfig: () => accepted,
        DescribeScalingActivities: (_, number) =>
          number === 1 ? activities(failed("a")) : activities(failed("b"), failed("a")),
      },
      ["up", "2"],
    );
    expect([status, out.includes("AWS does not start a node")]).toEqual([1, true]);
  });

  describe("repeated, with a failure from before", () => {
    const capacity = "We currently do not have sufficient g5.xlarge capacity in the zone.";
    const old = { id: "o", status: "Failed", message: quota };
    const issues = [{ code: "AsgInstanceLaunchFailures", message: "VcpuLimitExceeded" }];
    const waiting = { DescribeNodegroup: () => nodegroup({ desired: 1, issues }) };

    test("waits until the node runs", async () => {
      const { status, err, changes } = await gpu(
        {
          ...waiting,
          DescribeAutoScalingGroups: (_, number) => (number < 4 ? instances() : instances("InService")),
          DescribeScalingActivities: () => activities({ id: "a", status: "Failed", message: capacity }, old),
        },
        ["up", "1"],
      );
      expect([status, changes]).toEqual([0, []]);
      expect(err).not.toContain("quota");
    });

    test("shows the failure and that it is older, if the time is over", async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      // The time is over when AWS has answered twice, on a busy machine, too.
      const late = (_: Params, number: number) => {
        if (number > 1) vi.setSystemTime(Date.now() + 1000);
        return activities(old);
      };
      const answers = { ...waiting, DescribeScalingActivities: late };
      const { status, out } = await gpu(answers, ["up", "1", "--timeout", "1"]);
      expect([status, out]).toEqual([1, expect.stringMatching(/Not all nodes were usable within \d+s\./)]);
      expect(out).toContain("AWS, 2026-11-20T10:00:00.000Z, before this command: You have requested more vCPU");
      const { out: json } = await gpu(answers, ["up", "1", "--timeout", "1", "--json"]);
      expect(JSON.parse(json)).toMatchObject({ outcome: "timeout", reasons: [{ id: "quota", isOlder: true }] });
      const { group } = JSON.parse(json) as { group: object };
      expect(Object.keys(group)).toEqual(["region", "cluster", "group", "status", "sizes", "issues"]);
    });

    test("ends for a new failure with the same words", async () => {
      const failed = (_: Params, number: number) =>
        number === 1 ? activities(old) : activities({ ...old, id: "b" }, old);
      const { status, out } = await gpu({ ...waiting, DescribeScalingActivities: failed }, ["up", "1", "--json"]);
      expect([status, JSON.parse(out)]).toMatchObject([1, { outcome: "blocked", reasons: [{ isOlder: false }] }]);
    });
  });

  test("a health issue of the group is a reason, too", async () => {
    const issues = [{ code: "Ec2LaunchTemplateNotFound", message: "Launch Template : lt-1 was not found." }];
    const { status, out } = await gpu(
      { ...started(1), DescribeNodegroup: after(1, nodegroup(), nodegroup({ desired: 1, issues })) },
      ["up", "1"],
    );
    expect([status, out.includes("The launch template of the group cannot be used")]).toEqual([1, true]);
  });

  test.for(["Ec2LaunchTemplateNotFound", "IamNodeRoleNotFound"])("%s refuses: no waiting ends it", async (code) => {
    const issues = [{ code, message: "It was not found." }];
    const degraded = () => nodegroup({ status: "DEGRADED", issues });
    const { status, err, changes } = await gpu({ DescribeNodegroup: degraded }, ["up", "1"]);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toContain(`health of the node group: got "${code}". It was not found.\n`);
    expect(err).toContain("fix: remove the cause that aws eks describe-nodegroup --region ap-northeast-2");
    expect(err).not.toContain("with pulumi up,");
  });

  test("a degraded group, and one that is being updated, are warnings in a dry run, too", async () => {
    const issues = [{ code: "AsgInstanceLaunchFailures", message: "VcpuLimitExceeded" }];
    const fields = { status: "DEGRADED", issues };
    const degraded = await gpu({ DescribeNodegroup: () => nodegroup(fields) }, ["up", "1", "--dry-run"]);
    expect([degraded.status, degraded.err]).toEqual([
      0,
      expect.stringContaining("possibly from earlier: AsgInstanceLaunch"),
    ]);
    const updating = { DescribeNodegroup: () => nodegroup({ status: "UPDATING" }) };
    const { status, err } = await gpu(updating, ["up", "1", "--dry-run"]);
    expect([status, err]).toEqual([0, expect.stringContaining("EKS is updating the node group.")]);
  });

  test("a health issue from before the request ends nothing", async () => {
    const issues = [{ code: "AsgInstanceLaunchFailures", message: "VcpuLimitExceeded" }];
    const { status } = await gpu(
      {
        ...started(1),
        DescribeNodegroup: (_, number) => nodegroup({ desired: number > 1 ? 1 : 0, issues }),
        DescribeAutoScalingGroups: (_, number) => (number < 3 ? instances() : instances("InService")),
      },
      ["up", "1"],
    );
    expect(status).toBe(0);
  });

  test("1 when the time is over", async () => {
    const { status, out } = await gpu(started(1), ["up", "1", "--timeout", "1"]);
    expect([status, /Not all nodes were usable within \d+s\./.test(out)]).toEqual([1, true]);
  });

  test.for([
    [["up", "3"], {}, /gpu up: got 3\. The group has at most 2\.\n +fix: aws eks update-nodegroup-config .*maxSize=3/],
    [["up", "1"], { min: 2, desired: 2 }, /The group has at least 2\.\n +fix: run gpu up 2/],
    [["up", "1"], { desired: 2 }, /desired size is already 2, and up never stops nodes\.\n +fix: run gpu up 2/],
    [["up", "1"], { status: "DELETING" }, /status: got "DELETING"/],
  ] as const)("%j on %j is refused before anything is changed", async ([args, fields, expected]) => {
    const { status, err, changes } = await gpu({ DescribeNodegroup: () => nodegroup(fields) }, args);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toMatch(expected);
  });

  test("without the right to see instances, nothing is started", async () => {
    const denied = failure("AccessDenied", 403, "not authorized");
    const answers = { DescribeNodegroup: () => nodegroup(), DescribeAutoScalingGroups: () => denied };
    const { status, err, changes } = await gpu(answers, ["up", "1"]);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toContain("instances: up must be able to read the instances that it starts");
  });

  test("another update of the group is waited for", async () => {
    const busy = failure("ResourceInUseException", 409, "Nodegroup already has an update in progress");
    const { status, err, changes } = await gpu(
      {
        ...started(1),
        UpdateNodegroupConfig: after(2, busy, accepted),
        DescribeAutoScalingGroups: (_, number) => (number < 2 ? instances() : instances("InService")),
      },
      ["up", "1"],
    );
    expect([status, changes.length]).toEqual([0, 3]);
    expect(err).toContain("waiting to send the request: AWS is busy: Nodegroup already has an update in progress.");
  });
});
