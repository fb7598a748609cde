import { expect, onTestFinished, test, vi } from "vitest";
import type { SimulatedCloud } from "../../simulation/cloud/simulated-cloud";
import type { Outcome } from "../../simulation/pulumi/outcome";
import {
  cloudChanges,
  describeEngine,
  errorsOf,
  failing,
  ownAddress,
  sharedWorkspace,
  succeeding,
} from "./support/engine";

const enabled = [ownAddress, "gpuOperator.enabled=true"];
/** No node has this label, so the operator's pod stays Pending. */
const unschedulable = [...enabled, "gpuOperator.values.operator.nodeSelector.disk=fast"];
const update = "update Release gpu-lab-gpu-operator: values.operator.nodeSelector.disk";

function warningsOf({ diagnostics }: Outcome): string[] {
  return diagnostics
    .filter(({ severity, message }) => severity === "warning" && /Helm/.test(message))
    .map(({ message }) => message);
}

const warning = expect.stringMatching(
  /Helm release gpu-operator\/gpu-operator has the status failed: .*pulumi up --target-replace 'urn:pulumi:[^']*::gpu-lab-gpu-operator'/,
) as string;

// Each test continues where the previous one ended.
describeEngine("an upgrade of a Helm release that failed", () => {
  const shared = sharedWorkspace({ config: enabled });

  test("a deployed release gets no warning", async () => {
    await succeeding(shared.current.up());
    expect(warningsOf(await succeeding(shared.current.preview({ expectNoChanges: true })))).toEqual([]);
  });

  test("the next update repeats it", async () => {
    shared.current.configure(unschedulable);
    expect(errorsOf(await failing(shared.current.up()))).toContain("context deadline exceeded");
    const again = await failing(shared.current.up());
    expect(again.steps.filter(({ failed }) => failed).map(({ op, name }) => `${op} ${name}`)).toEqual([
      "update gpu-lab-gpu-operator",
    ]);
  });

  test("after a refresh Pulumi finds no change, and every run warns", async () => {
    const refreshed = await succeeding(shared.current.up({ refresh: true }));
    expect(cloudChanges(refreshed)).toEqual([]);
    expect(warningsOf(refreshed)).toEqual([warning]);
    expect(warningsOf(await succeeding(shared.current.preview()))).toEqual([warning]);
  });

  test("the values that work end it", async () => {
    shared.current.configure(enabled);
    expect(cloudChanges(await succeeding(shared.current.up()))).toEqual([update]);
    expect(warningsOf(await succeeding(shared.current.preview({ expectNoChanges: true })))).toEqual([]);
  });
});

const release = "kubernetes:helm.sh/v3:Release";

/** Blocks the next upgrade of a release, in the status that Helm gives it until it ends. */
function stopAtUpgrade(cloud: SimulatedCloud) {
  let arrived: () => void;
  const reached = new Promise<void>((resolve) => (arrived = resolve));
  const original = cloud.update.bind(cloud);
  const spy = vi.spyOn(cloud, "update").mockImplementation(async (type, ...request) => {
    const object = await original(type, ...request);
    if (type !== release) return object;
    const status = { ...(object.computed["status"] as object), status: "pending-upgrade" };
    cloud.put({ ...object, computed: { ...object.computed, status } });
    arrived();
    return new Promise<never>(() => undefined);
  });
  const restore = () => spy.mockRestore();
  onTestFinished(restore);
  return { reached, restore };
}

describeEngine("an upgrade of a Helm release that was killed", () => {
  const shared = sharedWorkspace({ config: enabled });

  test("up --refresh finds no change and warns, and the command of the warning installs the release again", async () => {
    const workspace = shared.current;
    await succeeding(workspace.up());
    workspace.configure([...enabled, "gpuOperator.values.gfd.enabled=false"]);
    const stop = stopAtUpgrade(workspace.cloud);
    const run = workspace.start("up");
    await stop.reached;
    run.kill("SIGKILL");
    await run.outcome;
    stop.restore();

    await workspace.cancel();
    const refreshed = await succeeding(workspace.up({ refresh: true }));
    expect(cloudChanges(refreshed)).toEqual([]);
    const [warned = ""] = warningsOf(refreshed);
    expect(warned).toContain("has the status pending-upgrade");
    const [, urn = ""] = /--target-replace '([^']+)'/.exec(warned) ?? [];
    expect(cloudChanges(await succeeding(workspace.up({ targetReplace: [urn] })))).toEqual([
      "replace Release gpu-lab-gpu-operator",
    ]);
    expect(warningsOf(await succeeding(workspace.preview({ expectNoChanges: true })))).toEqual([]);
  });
});
