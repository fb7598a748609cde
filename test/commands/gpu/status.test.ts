import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { activities, cluster, instances, nodegroup } from "./session/support/answers";
import { expectValidExchanges, failure, type Answers } from "../../support/aws-server";
import { apiServer } from "../../triage/support/api-server";
import { gpuNode, pod } from "../../triage/support/objects";
import { gpu, quota } from "./support";
import { twoNodes } from "../../support/prices";

expectValidExchanges();

/** The address of the API server in a kubeconfig. */
function addressOf(kubeconfig: string): string {
  return /"server":"([^"]+)"/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
}

describe("status", () => {
  test("0 for a group at rest, without a request to Kubernetes", async () => {
    const { status, out, err, operations } = await gpu({ DescribeNodegroup: () => nodegroup() }, ["status"]);
    expect([status, err]).toEqual([0, ""]);
    expect(operations).not.toContain("DescribeCluster");
    expect(out).toBe(
      [
        "GPU node group myeks/gpu in ap-northeast-2",
        "",
        "  size       desired 0, min 0, max 2; ACTIVE",
        "  instances  none",
        "  nodes      none",
        "  cost now   0 USD per hour for GPU nodes",
        "  lease      unknown: only the outputs of a stack state it",
        "",
      ].join("\n"),
    );
  });

  test("1 and the cause, the words of AWS and a command, if nodes are missing", async () => {
    const { status, out } = await gpu(
      {
        DescribeNodegroup: () => nodegroup({ desired: 1 }),
        DescribeScalingActivities: () => activities({ id: "a", status: "Failed", message: quota }),
      },
      ["status"],
    );
    expect(status).toBe(1);
    expect(out).toContain("Why nodes are missing\n  The account's vCPU quota for this kind of instance is used up.");
    expect(out).toContain("AWS, 2026-11-20T10:00:00.000Z: You have requested more vCPU");
    expect(out).toContain("aws service-quotas list-service-quotas --region ap-northeast-2");
  });

  test("an old failure is no problem of a group that has its nodes", async () => {
    const old = activities({ id: "a", status: "Failed", message: quota });
    const { status } = await gpu(
      { DescribeNodegroup: () => nodegroup({ desired: 0 }), DescribeScalingActivities: () => old },
      ["status"],
    );
    expect(status).toBe(0);
  });

  test("the nodes, their GPUs and who holds them, in the context of the cluster", async () => {
    const labels = { "eks.amazonaws.com/nodegroup": "gpu" };
    const api = await apiServer({
      items: [
        gpuNode("n1", { labels }),
        gpuNode("n2", { labels, gpus: "4" }),
        gpuNode("other", { labels: { "eks.amazonaws.com/nodegroup": "gpu-2" } }),
        pod("probe", { node: "n1", gpus: 1 }),
        pod("done", { node: "n2", gpus: 1, phase: "Succeeded" }),
        pod("web", { node: "n2" }),
      ],
    });
    const { out, status } = await gpu(
      {
        DescribeNodegroup: () => nodegroup({ desired: 2 }),
        DescribeAutoScalingGroups: () => instances("InService", "Pending:Wait"),
        DescribeCluster: () => cluster(`${addressOf(api.kubeconfig).toUpperCase()}/`),
      },
      ["status", "--kubeconfig", api.kubeconfig],
    );
    expect(status).toBe(0);
    expect(out).toContain("instances  1 running, 1 starting");
    expect(out).toContain("nodes      2 Ready of 2");
    expect(out).toContain("n1  Ready  1 GPU, 1 in use by gpu-lab/probe (1)");
    expect(out).toContain("n2  Ready  4 GPUs, 0 in use");
    expect(out).toContain(
      `cost now   ${twoNodes("g5.xlarge")} USD per hour; without traffic; volume type not set; priced as gp3`,
    );
    expect(api.requests.every((request) => request.startsWith("GET "))).toBe(true);
  });

  test("what the identity may not read is named, and the rest is shown", async () => {
    const denied = failure("AccessDenied", 403, "User is not authorized to perform DescribeAutoScalingGroups");
    const { status, out } = await gpu(
      { DescribeNodegroup: () => nodegroup({ desired: 1 }), DescribeAutoScalingGroups: () => denied },
      ["status"],
    );
    expect(status).toBe(0);
    expect(out).toContain("instances  not read");
    expect(out).toContain("instances: The identity is not allowed to do this: User is not authorized");
    expect(out).toContain("fix: ask your administrator for the permission autoscaling:DescribeAutoScalingGroups");
    expect(out).toContain("nodes: The kubeconfig cannot be read: it does not exist");
  });

  test("a spot price is an upper bound, and several types have that of the most expensive", async () => {
    const answers = (fields: object): Answers => ({
      DescribeNodegroup: () => nodegroup({ desired: 1, ...fields }),
      DescribeAutoScalingGroups: () => instances("InService"),
    });
    const spot = await gpu(answers({ capacityType: "SPOT" }), ["status"]);
    expect(spot.out).toContain("at most the on-demand price");
    const types = await gpu(answers({ instanceTypes: ["g5.xlarge", "g5.2xlarge"] }), ["up", "2", "--dry-run"]);
    const [dearest] = ["g5.xlarge", "g5.2xlarge"].map((type) => twoNodes(type)).sort((a, b) => Number(b) - Number(a));
    expect(types.out).toContain(`2 GPU nodes: ${dearest} USD per hour`);
  });
});

/** The address of the API server in a kubeconfig. */
