import { describe, expect, test } from "vitest";
import { accepted, instances, nodegroup } from "./session/support/answers";
import { expectValidExchanges, failure } from "../../support/aws-server";
import { apiServer } from "../../triage/support/api-server";
import { gpuNode, pod } from "../../triage/support/objects";
import { gpu } from "./support";

expectValidExchanges();

describe("down", () => {
  test("warns about pods that hold GPUs, and waits until no instance is left and no update runs", async () => {
    const labels = { "eks.amazonaws.com/nodegroup": "gpu" };
    const api = await apiServer({ items: [gpuNode("n1", { labels }), pod("probe", { node: "n1", gpus: 1 })] });
    const { status, out, err, operations, changes } = await gpu(
      {
        DescribeNodegroup: (_, number) =>
          nodegroup(number === 1 ? { desired: 1 } : { status: number < 5 ? "UPDATING" : "ACTIVE" }),
        UpdateNodegroupConfig: () => accepted,
        DescribeAutoScalingGroups: (_, number) =>
          number === 1 ? instances("InService") : number < 4 ? instances("Terminating") : instances(),
      },
      ["down", "--kubeconfig", api.kubeconfig, "--context", "lab"],
    );
    expect(status, err).toBe(0);
    expect(err).toContain("1 pod with GPUs will stop with their nodes: gpu-lab/probe\n");
    expect(err).toContain("instances left: 1, stopping: 1\n");
    expect(changes).toMatchObject([{ scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 } }]);
    expect(operations.filter((one) => one === "DescribeNodegroup").length).toBe(6);
    expect(out).toContain("The session is over: no instance is left");
  });

  test("says what it does not know of the pods, and what to do", async () => {
    const answers = {
      DescribeNodegroup: () => nodegroup({ desired: 1 }),
      DescribeAutoScalingGroups: () => instances("InService"),
    };
    const { err } = await gpu(answers, ["down", "--dry-run"]);
    expect(err).toMatch(
      /^The tool does not know whether pods hold GPUs\. The kubeconfig cannot be read: it does not exist\.\n {2}fix: .*run aws eks /m,
    );
  });

  test("a group at rest gets the sizes, too: its reading can be older than a request", async () => {
    const answers = { DescribeNodegroup: () => nodegroup(), UpdateNodegroupConfig: () => accepted };
    const { status, changes } = await gpu(answers, ["down"]);
    expect([status, changes]).toMatchObject([0, [{ scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 } }]]);
  });

  test("a dry run of a repeated command says that the group has these sizes", async () => {
    const asked = { DescribeNodegroup: () => nodegroup({ desired: 2 }) };
    const { out } = await gpu(asked, ["up", "2", "--dry-run"]);
    expect(out).toContain(
      "Dry run, nothing was changed. The group already has the sizes that the command would request.",
    );
    const json = async (args: readonly string[]) =>
      (JSON.parse((await gpu(asked, [...args, "--dry-run", "--json"])).out) as { planned: unknown }).planned;
    expect([await json(["up", "2"]), await json(["down"])]).toEqual([null, { min: 0, max: 2, desired: 0 }]);
  });

  test("without the right to see instances, the sizes are set, and the end is not claimed", async () => {
    const { status, out, changes } = await gpu(
      {
        DescribeNodegroup: (_, number) => nodegroup({ desired: number > 1 ? 0 : 1 }),
        DescribeAutoScalingGroups: () => failure("AccessDenied", 403, "not authorized"),
        UpdateNodegroupConfig: () => accepted,
      },
      ["down"],
    );
    expect([status, changes.length]).toEqual([1, 1]);
    expect(out).toContain("The tool cannot see whether the instances stop.\nThe group stays at desired size 0");
  });

  test("1 when instances are left in time", async () => {
    const answers = {
      ...{ DescribeNodegroup: () => nodegroup(), UpdateNodegroupConfig: () => accepted },
      DescribeAutoScalingGroups: () => instances("Terminating"),
    };
    const { status, out } = await gpu(answers, ["down", "--timeout", "1"]);
    expect([status, /Not all instances stopped within \d+s\./.test(out)]).toEqual([1, true]);
  });
});
