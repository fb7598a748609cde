import { expect, test } from "vitest";
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
