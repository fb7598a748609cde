import { expect, test } from "vitest";
import { environmentSettings } from "../../components/environment/gpu-environment-plan";
import { unstatedLease } from "../../stacks/run/former-cluster";

const lease = { lab: "gpu-lab", timeZone: "Asia/Seoul", hours: 6 };
const settings = (args: object = {}) => environmentSettings({ publicAccessCidrs: ["8.8.8.8/32"], lease, ...args });
const former = { clusterName: "myeks" };

test.for([
  ["an environment without the output", former, settings(), false, 1],
  ["a stated lease", former, settings(), true, 0],
  ["no lease in the configuration", former, settings({ lease: undefined }), false, 0],
  ["a lease before", { ...former, lease: "nightly at 22:00" }, settings(), false, 0],
  ["a lease that was off before", { ...former, lease: "none" }, settings(), false, 0],
  ["a first update", {}, settings(), false, 0],
  ["outputs that cannot be read", undefined, settings(), false, 0],
] as const)("%s", ([, update, wanted, isStated, count]) => {
  expect(unstatedLease(update, wanted, isStated)).toHaveLength(count);
});

const whyOf = (args: object) => unstatedLease(former, settings(args), false)[0]?.why;

test("the problem says what the lease does", () => {
  expect(whyOf({})).toContain(
    "it terminates all GPU nodes each day at 22:00 (Asia/Seoul) and 6 hours after npx eks-gpu-lab gpu up, and",
  );
  expect(whyOf({})).not.toContain("desiredSize");
  expect(whyOf({ gpuNodes: { desiredSize: 1 } })).toContain("in spite of gpuNodes.desiredSize 1.");
  const [problem] = unstatedLease(former, settings(), false);
  expect([problem?.code, problem?.path]).toEqual(["missing", "lease.enabled"]);
});
