import { expect, test } from "vitest";
import { partsOf, placementOf } from "../../../planner/draw/parts";
import { pictureOf } from "../../../planner/draw/picture";
import { indexOf } from "../../../planner/facts/resource-index";
import type { Recording } from "../../../planner/record/record";
import { plan } from "../../support/plan";
import { labProgram } from "../lab-program";
import { recordingOf } from "../recordings";
import * as programs from "./programs";

/** The names of the resources of each part. */
function placed(recording: Recording): Record<string, string[]> {
  const parts = partsOf(pictureOf(recording, "eu-west-1"));
  const placement = placementOf(parts, indexOf(recording));
  const inPart = (part?: (typeof parts)[number]) =>
    recording.resources.filter(({ urn }) => placement.get(urn) === part).map(({ name }) => name);
  return {
    ...Object.fromEntries(parts.map((part) => [`${part.kind} ${part.name}`, inPart(part)])),
    nowhere: inPart(),
  };
}

test("resources belong to the box that they are in, that uses them, or that they use", () => {
  expect(placed(recordingOf(programs.twoZones))).toEqual({
    "VPC vpc": ["vpc"],
    "internet gateway vpc": ["igw", "out-a", "out-b"],
    "subnet public public-a": ["public-a", "out-a-1"],
    "subnet private 10.0.1.0/24": ["private-a", "in-a-1"],
    "subnet public public-b": ["public-b", "out-b-1"],
    "subnet private 10.0.2.0/24": ["private-b", "in-b-1"],
    "NAT gateway in public public-a": ["nat-a", "in-a"],
    "NAT gateway in public public-b": ["nat-b", "in-b"],
    "node group gpu": ["nodes", "webhooks", "out", "template", "gpu"],
    "control plane prod": ["cluster"],
    nowhere: ["operator", "lbc", "lab-test"],
  });
});

test("what two parts use, and a component of two parts, is in neither", () => {
  const group = (name: string) => ({
    ...{ type: "aws:eks/nodeGroup:NodeGroup", name, parent: "both", inputs: { instanceTypes: ["g5.xlarge"] } },
    from: { nodeRoleArn: ["role"] },
  });
  const recording = recordingOf([
    { type: "my:index:Both", name: "both", component: true },
    { type: "aws:iam/role:Role", name: "role", parent: "both" },
    group("one"),
    group("other"),
  ]);
  expect(placed(recording)).toEqual({
    "node group one": ["one"],
    "node group other": ["other"],
    nowhere: ["both", "role", "lab-test"],
  });
});

test("a resource without references belongs to the part of its component, and so does the component", () => {
  const recording = recordingOf([
    { type: "my:index:Cluster", name: "mine", component: true },
    { type: "aws:eks/cluster:Cluster", name: "cluster", parent: "mine" },
    { type: "aws:cloudwatch/logGroup:LogGroup", name: "logs", parent: "mine" },
  ]);
  expect(placed(recording)).toEqual({ "control plane cluster": ["mine", "cluster", "logs"], nowhere: ["lab-test"] });
});

test("a resource of a provider belongs to the cluster of the provider", async () => {
  const recording = await plan(() => labProgram({ operator: true }), { stack: "gpu-lab" });
  const { "control plane myeks": cluster } = placed(recording);
  expect(cluster).toContain("lab-gpu-operator");
});

test("a program without a picture places nothing", () => {
  expect(placed(recordingOf(programs.bucketOnly))).toEqual({ nowhere: ["bucket", "lab-test"] });
});
