import { expect, test } from "vitest";
import { free, type Search } from "../../leftovers/found";
import { ownersOf, type FoundObject } from "../../leftovers/owner";

const stack = "organization/eks-gpu-lab/gpu-lab";

function found(kind: string, Name: string, more: Partial<FoundObject> = {}): FoundObject {
  return { kind, id: `${kind}-${Name}`, tags: { Name, "eks-gpu-lab/stack": stack }, rate: free, steps: [], ...more };
}

const search = (...clusters: string[]): Search => ({
  ...{ region: "ap-northeast-2", stack, clusters, vpcs: [] },
  ...{ existing: () => Promise.resolve([]), note: () => undefined },
});

test("a network belongs to the cluster of another program that runs in it, other objects to that of their name", () => {
  const vpc = "vpc-1";
  const all = [
    found("VPC", "myeks-VPC", { id: vpc, vpc }),
    found("NAT gateway", "myeks-NAT", { vpc }),
    found("subnet", "myeks-PublicSubnet-a", { vpc }),
    found("security group", "myeks-node", { vpc }),
  ];
  const guest = { name: "guest", resourcesVpcConfig: { vpcId: vpc } };
  expect(all.map(ownersOf(all, search("myeks"), [guest]))).toEqual(["guest", "guest", "guest", "myeks"]);
  expect(all.map(ownersOf(all, search("myeks"), []))).toEqual(["myeks", "myeks", "myeks", "myeks"]);
});

test("the longest name of a cluster that something shows decides", () => {
  const all = [found("role", "lab-2-gpu"), found("role", "lab-gpu"), found("elastic address", "other")];
  expect(all.map(ownersOf(all, search("lab"), []))).toEqual(["lab", "lab", undefined]);
  const more = [...all, found("schedule group", "lab-2-lease")];
  expect(more.map(ownersOf(more, search("lab"), []))).toEqual(["lab-2", "lab", undefined, "lab-2"]);
});

test("what goes with another object belongs to its cluster, and what has no name to that of its VPC", () => {
  const all = [
    found("VPC", "second-VPC", { id: "vpc-2", vpc: "vpc-2" }),
    { ...found("security group", ""), tags: {}, vpc: "vpc-2" },
    found("node group", "", { cluster: "second", pulumiId: "second:gpu" }),
    { ...found("instance", ""), tags: {}, within: "second:gpu" },
  ];
  expect(all.map(ownersOf(all, search("myeks"), []))).toEqual(["second", "second", "second", "second"]);
});
