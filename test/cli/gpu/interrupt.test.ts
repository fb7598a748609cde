import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { accepted, instances, nodegroup } from "../../sessions/support/answers";
import { expectValidExchanges } from "../../support/aws-server";
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
          if (number === 3) process.emit("SIGINT");
          return nodegroup({ desired: number > 1 ? 1 : 0 });
        },
        UpdateNodegroupConfig: () => accepted,
      },
      ["up", "1"],
    );
    expect(status).toBe(1);
    expect(out).toMatch(/Interrupted\.\nThe group stays at desired size 1: AWS keeps trying/);
  });

  test("before the request leaves the group unchanged", async () => {
    const { status, out, changes } = await gpu(
      {
        DescribeNodegroup: () => {
          process.emit("SIGINT");
          return nodegroup();
        },
      },
      ["up", "1"],
    );
    expect([status, changes]).toEqual([1, []]);
    expect(out).toContain("Nothing was requested: the group is unchanged.");
  });

  test.for([["up", "1"], ["down"], ["status"]])(
    "%j, while the stack is read: that is said, with status 1",
    async (args) => {
      const folderOf = folder({});
      usePulumi(`touch '${folderOf}/started'; exec sleep 20`);
      const running = runCli(["gpu", ...args]);
      await vi.waitUntil(() => existsSync(join(folderOf, "started")), { timeout: 15_000 });
      process.emit("SIGINT");
      expect(await running).toEqual({
        ...{ status: 1, out: "", err: "Interrupted. Nothing was requested: the group is unchanged.\n" },
      });
    },
  );

  test("leaves the request of down in effect", async () => {
    const { status, out } = await gpu(
      {
        DescribeNodegroup: (_, number) => {
          if (number === 3) process.emit("SIGINT");
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
