import { describe, expect, test } from "vitest";
import { partProblems } from "../../../components/preflight/part-rules";
import type { CapacityRequest, PreflightFacts } from "../../../components/preflight/preflight-facts";
import { preflightRequest } from "../../../components/preflight/preflight-request";

const request = preflightRequest({ publicAccessCidrs: ["203.0.113.7/32"] }) as CapacityRequest;
const group = { urn: "urn:g", type: "aws:eks/nodeGroup:NodeGroup", id: "myeks:myeks-gpu-1" };
const addon = { urn: "urn:a", type: "aws:eks/addon:Addon", id: "myeks:vpc-cni" };
const own = [group, addon];
const healthy = {
  groups: [{ name: "myeks-gpu-1", status: "ACTIVE" }],
  addons: [{ name: "vpc-cni", status: "ACTIVE" }],
};

const found = (facts: PreflightFacts) => partProblems(request, facts).map(({ path, got, fix }) => [path, got, fix]);

describe("node groups and add-ons that are not as the state says", () => {
  test.for([
    ["CREATE_FAILED", /^replace it: pulumi up --target-replace urn:[ga], then pulumi up$/],
    ["DELETE_FAILED", /^replace it: /],
    ["UPDATE_FAILED", /^replace it: /],
    ["DEGRADED", /^remove the cause that aws eks describe-\S+ .* shows; or replace it: /],
    ...["ACTIVE", "CREATING", "UPDATING", "DELETING"].map((status) => [status, undefined] as const),
  ] as const)("%s", ([status, fix]) => {
    const parts = { groups: [{ name: "myeks-gpu-1", status }], addons: [{ name: "vpc-cni", status }] };
    const expected = fix && [
      ["gpuNodes", status, expect.stringMatching(fix)],
      ["addons.vpc-cni", status, expect.stringMatching(fix)],
    ];
    expect(found({ own, parts })).toEqual(expected ?? []);
  });

  test("missing in AWS: an update without a refresh changes nothing", () => {
    const fix = "create it again: pulumi up --refresh";
    expect(found({ own, parts: { groups: [], addons: [] } })).toEqual([
      ["gpuNodes", undefined, fix],
      ["addons.vpc-cni", undefined, fix],
    ]);
  });

  test.for([
    ["what was not read", { own }],
    ["add-ons, which a preview does not read", { own, parts: { groups: healthy.groups } }],
    [
      "what another stack added",
      { own, parts: { ...healthy, groups: [...healthy.groups, { name: "other", status: "DEGRADED" }] } },
    ],
    ["the cluster of another stack", { own: own.map((one) => ({ ...one, id: `other${one.id}` })), parts: {} }],
  ] as const)("%s is no problem", ([, facts]) => {
    expect(found(facts)).toEqual([]);
  });

  test("without the state, the failed group is named, with the way to its URN", () => {
    const parts = { groups: [{ name: "myeks-system-1", status: "CREATE_FAILED", issues: ["X: y"] }] };
    expect(partProblems(request, { parts })).toMatchInlineSnapshot(`
      [
        {
          "code": "conflict",
          "fix": "replace it: pulumi up --target-replace URN, from pulumi stack --show-urns, then pulumi up",
          "got": "CREATE_FAILED",
          "path": "systemNodes",
          "why": "The node group myeks-system-1 is CREATE_FAILED. EKS does not repair it. After an update that does not create it again, the Pulumi engine treats it as created. X: y",
        },
      ]
    `);
  });
});
