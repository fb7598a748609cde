import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { pressCtrlC } from "../../support/ctrl-c";
import { accepted, instances, nodegroup } from "./session/support/answers";
import { expectValidExchanges, failure, type Answers } from "../../support/aws-server";
import { runCli } from "../../support/cli";
import { folder } from "../../support/files";
import { usePulumi } from "../../support/fake-pulumi";
import { gpu } from "./support";

expectValidExchanges();

describe("Ctrl-C", () => {
  test("leaves the request of up in effect, and says so", async () => {
    const { status, out } = await gpu(
      {
        DescribeNodegroup: (_, number) => {
          if (number === 3) pressCtrlC();
          return nodegroup({ desired: number > 1 ? 1 : 0 });
        },
        UpdateNodegroupConfig: () => accepted,
      },
      ["up", "1"],
    );
    expect(status).toBe(1);
    expect(out).toMatch(/Interrupted\.\nThe group stays at desired size 1: AWS keeps trying/);
  });

  const readings = ["DescribeNodegroup", "DescribeAutoScalingGroups", "DescribeScalingActivities"];
  test.for([
    ...readings.flatMap((operation) => [
      { operation, args: ["up", "1"] },
      { operation, args: ["up", "1", "--dry-run", "--json"] },
      { operation, args: ["down"] },
      { operation, args: ["status"] },
    ]),
    { operation: "GetServiceQuota", args: ["up", "1"] },
  ])("$args, while AWS never answers $operation: that is said, with status 1", async ({ operation, args }) => {
    const answers: Answers = {
      DescribeNodegroup: () => nodegroup(),
      [operation]: () => {
        pressCtrlC();
        return new Promise(() => undefined);
      },
    };
    const { status, out, err, changes } = await gpu(answers, args);
    expect([status, out, changes]).toEqual([1, "", []]);
    expect(err).toMatch(/(?:^|\n)Interrupted\. Nothing was requested: the group is unchanged\.\n$/);
  });

  test("of down, while EKS is too busy for the request, leaves the group unchanged", async () => {
    const busy = () => {
      pressCtrlC();
      return failure("ResourceInUseException", 409, "Nodegroup already has an update in progress");
    };
    const answers = { DescribeNodegroup: () => nodegroup({ desired: 1 }), UpdateNodegroupConfig: busy };
    const { status, out, changes } = await gpu(answers, ["down"]);
    expect([status, changes.length]).toEqual([1, 1]);
    expect(out).toContain("Interrupted.\nNothing was requested: the group is unchanged, and its nodes cost money.");
  });

  test.for([["up", "1"], ["down"], ["status"]])(
    "%j, while the stack is read: that is said, with status 1",
    async (args) => {
      const folderOf = folder({});
      usePulumi(`touch '${folderOf}/started'; exec sleep 20`);
      const running = runCli(["gpu", ...args]);
      await vi.waitUntil(() => existsSync(join(folderOf, "started")), { timeout: 15_000 });
      pressCtrlC();
      expect(await running).toEqual({
        ...{ status: 1, out: "", err: "Interrupted. Nothing was requested: the group is unchanged.\n" },
      });
    },
  );

  test("leaves the request of down in effect", async () => {
    const { status, out } = await gpu(
      {
        DescribeNodegroup: (_, number) => {
          if (number === 3) pressCtrlC();
          return nodegroup({ desired: number > 1 ? 0 : 1 });
        },
        DescribeAutoScalingGroups: () => instances("Terminating:Wait"),
        UpdateNodegroupConfig: () => accepted,
      },
      ["down"],
    );
    expect(status).toBe(1);
    expect(out).toContain("Interrupted.\nThe group stays at desired size 0");
  });
});
