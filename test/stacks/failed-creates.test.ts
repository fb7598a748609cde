import { expect, test, vi } from "vitest";
import * as pulumi from "@pulumi/pulumi";
import { refuseFailed } from "../../stacks/run/hooks";

const urn = "urn:pulumi:gpu-lab::p::aws:eks/addon:Addon::gpu-lab-cni";
const args = { urn, id: "myeks:vpc-cni", name: "gpu-lab-cni", type: "aws:eks/addon:Addon" };
const repeated = { ...args, oldInputs: { a: 1 }, newInputs: { a: 1 }, oldOutputs: { clusterName: "myeks" } };

test.for([
  ["ACTIVE", "passes"],
  ["UPDATING", "passes"],
  ["CREATE_FAILED", "is refused"],
  ["DEGRADED", "is refused"],
] as const)("the update of a create that failed: %s %s", async ([status, verdict]) => {
  const result = refuseFailed(repeated, () => Promise.resolve(status));
  if (verdict === "passes") return expect(result).resolves.toBeUndefined();
  return expect(result).rejects.toThrow(`gpu-lab-cni is ${status}, and this update would change nothing.`);
});

test("an update that changes something passes, and reads nothing", async () => {
  const read = vi.fn();
  await refuseFailed({ ...repeated, newInputs: { a: 2 } }, read);
  expect(read).not.toHaveBeenCalled();
});

test("a status that cannot be read is a warning with the way out", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  await refuseFailed(repeated, () => Promise.reject(new Error("AccessDenied\nmore")));
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/cannot be read: AccessDenied\. .*--target-replace '?urn/)]]);
});

test("does not wait for its warning, which waits for the messages of later resources", async () => {
  vi.spyOn(pulumi.log, "warn").mockReturnValue(new Promise(() => undefined));
  await expect(refuseFailed(repeated, () => Promise.reject(new Error("AccessDenied")))).resolves.toBeUndefined();
});

test("the warning has the reason below the title of the provider's error", async () => {
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const message =
    "invoking aws:eks/getNodeGroup:getNodeGroup: 1 error occurred:\n\t* reading EKS Node Group: AccessDenied\n";
  await refuseFailed(repeated, () => Promise.reject(new Error(message)));
  const reason = /cannot be read: .*reading EKS Node Group: AccessDenied\. /;
  expect(warn).toHaveBeenLastCalledWith(expect.stringMatching(reason));
});
