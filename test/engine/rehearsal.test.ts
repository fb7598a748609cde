import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Rehearsal } from "../../simulation/rehearsal/rehearse";
import { togglesOf, type Lab } from "../../stacks/run/lab";
import { labs } from "../../stacks/labs";
import { folder } from "../support/files";
import { ownProject } from "../support/own-project";
import { until } from "../support/until";
import { changeLine, describeEngine } from "./support/engine";

const isLock = /\.pulumi\/locks\/.*\.json$/;

/** None if a folder is removed at the same time. */
function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true }) as string[];
  } catch {
    return [];
  }
}

/** Starts the built tool with its own temporary folder. */
function start(...args: readonly string[]) {
  const temporary = folder({});
  const child = spawn(process.execPath, [join(process.cwd(), "dist/cli.js"), "rehearse", ...args], {
    cwd: ownProject,
    env: { ...process.env, TMPDIR: temporary },
  });
  const printed = { out: "", err: "" };
  child.stdout.on("data", (data: Buffer) => (printed.out += String(data)));
  child.stderr.on("data", (data: Buffer) => (printed.err += String(data)));
  return {
    child,
    printed,
    closed: once(child, "close"),
    // The cache of translated programs stays for later runs.
    ours: () => readdirSync(temporary).filter((name) => /^eks-gpu-lab(?!-cache-)/.test(name)),
    /** An update or a preview of the engine has locked the stack. */
    isDeploying: () => filesIn(temporary).some((path) => isLock.test(path)),
  };
}

describeEngine("the rehearsal", () => {
  test.each(Object.entries<Lab>(labs))(
    "of %s succeeds, shows the changes of its toggles, and leaves nothing behind",
    async (stack, lab) => {
      const { printed, closed, ours } = start("--stack", stack, "--json");
      const [status] = (await closed) as [number];
      expect([status, printed.err], printed.out).toEqual([0, ""]);
      const rehearsal = JSON.parse(printed.out) as Rehearsal;
      expect(rehearsal).toMatchObject({ stack, succeeded: true, left: [] });
      expect(rehearsal.steps[0]?.changes.every(({ op }) => op === "create")).toBe(true);
      for (const { name, changes } of togglesOf(lab, new Date())) {
        const step = rehearsal.steps.find(({ title }) => title === `change: ${name}`);
        expect(step?.changes.map(changeLine).sort()).toEqual([...changes].sort());
      }
      const session = rehearsal.steps.filter(({ command }) => command.startsWith("npx eks-gpu-lab gpu "));
      // Karpenter, which starts the nodes of a NodePool, does not run.
      const sessions = [
        expect.stringMatching(/^GROUP-\d+: (1 instance|2 instances), \d\.\d{4} USD per hour$/),
        expect.stringMatching(/^GROUP-\d+: 0 instances$/),
        expect.stringMatching(/^GROUP-.*; ended by the schedule (session|nightly)-\S+ after \d\.\d hours$/),
      ];
      expect(session.map(({ remarks }) => remarks.join().replace(`${lab.clusterName}-gpu-`, "GROUP-"))).toEqual(
        stack === "no-node-comes" ? [] : sessions,
      );
      expect(rehearsal.steps.at(-1)).toMatchObject({ command: "pulumi destroy", succeeded: true });
      expect(ours()).toEqual([]);
    },
  );

  test("stops at the step that fails, and shows the error", async () => {
    const { printed, closed, ours } = start(
      "--quota",
      "0",
      "--config",
      "gpuNodes.desiredSize=1",
      "--config",
      "gpuNodes.minSize=1",
    );
    const [status] = (await closed) as [number];
    expect(status).toBe(1);
    expect(printed.out).toContain("The account's quota L-DB2E81BA is 0 vCPU");
    expect(printed.out).toContain("the rehearsal failed");
    expect(ours()).toEqual([]);
  });

  test("accepts a quota and a toggle, as in docs/getting-started.md", async () => {
    const { printed, closed } = start("--config", "gpuNodes.maxSize=1", "--quota", "4", "--change", "nccl=blocked");
    expect([(await closed)[0], printed.err]).toEqual([0, ""]);
    expect(printed.out).toContain("change: nccl=blocked  ok");
  });

  test("rejects an invalid toggle before the first step", async () => {
    const { printed, closed, ours } = start("--change", "nccl=bloked", "--change", "gpuNodes.maxsize=1");
    expect([(await closed)[0], printed.out]).toEqual([2, expect.not.stringContaining("1. deploy the lab")]);
    expect(printed.err).toContain('nccl: got "bloked".');
    expect(printed.err).toContain("did you mean gpuNodes.maxSize?");
    expect(ours()).toEqual([]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("cleans up after %s", async (signal) => {
    const { child, printed, closed, ours, isDeploying } = start("--json");
    await until(isDeploying);
    child.kill(signal);
    expect((await closed)[0]).toBe(1);
    expect(JSON.parse(printed.out)).toMatchObject({ succeeded: false, interrupted: true });
    expect(ours()).toEqual([]);
  });
});
