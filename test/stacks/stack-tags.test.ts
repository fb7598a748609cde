import { readFileSync } from "node:fs";
import type * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { openProject, recordStack } from "../../planner/plan-stack";
import type { RecordedResource } from "../../planner/record/record";
import { stackTags } from "../../stacks/run/hooks";
import { labs } from "../../stacks/labs";
import { ownProject } from "../support/own-project";

/** More of what an environment can have than the stack files turn on. */
const everything = [
  "network.flowLogs=true",
  "network.interfaceEndpoints=true",
  "network.natGateways=perAz",
  "gpuNodes.instanceType=g5.8xlarge",
  "gpuNodes.efa=true",
  "controllers.loadBalancerController.install=true",
  "controllers.clusterAutoscaler.install=true",
  "monitoring.enabled=true",
  "lease.budget.amountPerMonth=100",
  "lease.budget.emails[0]=lab@example.com",
  "tags.team=research",
];

const plans: Record<string, readonly RecordedResource[]> = {};

beforeAll(async () => {
  const project = await openProject(ownProject);
  const planned = async (stack: string, config: readonly string[]) =>
    (await recordStack(project, stack, config)).recording.resources;
  for (const stack of Object.keys(labs)) plans[stack] = await planned(stack, []);
  plans["everything"] = await planned("gpu-lab", everything);
}, 60_000);

/** Whether the provider's SDK has an argument `tags` for a type, e.g. `aws:ec2/vpc:Vpc`. */
function isTaggable(type: string): boolean {
  const [provider = "", module = "", name = ""] = type.split(":");
  if (provider !== "aws" && provider !== "eks") return false;
  const file = module === "index" ? name.charAt(0).toLowerCase() + name.slice(1) : module;
  return readFileSync(require.resolve(`@pulumi/${provider}/${file}`), "utf8").includes('resourceInputs["tags"]');
}

/** Tags copies of an AWS resource whose own tags are out of reach: the group's objects have their own. */
const otherwise = ["aws:autoscaling/tag:Tag"];

describe("the tags of stack and name", () => {
  test("are on every taggable resource of every lab", () => {
    const missing = Object.entries(plans).flatMap(([stack, resources]) =>
      resources
        .filter(({ type }) => isTaggable(type) && !otherwise.includes(type))
        .filter(({ name, inputs }) => {
          const tags = inputs["tags"] as Record<string, string> | undefined;
          const of = stack === "everything" ? "gpu-lab" : stack;
          return tags?.["eks-gpu-lab/stack"] !== `organization/eks-gpu-lab/${of}` || tags["eks-gpu-lab/name"] !== name;
        })
        .map(({ type, name }) => `${stack}: ${type} ${name}`),
    );
    expect(missing).toEqual([]);
    const types = new Set(plans["everything"]?.filter(({ type }) => isTaggable(type)).map(({ type }) => type));
    expect(types.size).toBeGreaterThan(20);
    expect([...types]).toEqual(expect.arrayContaining(["eks:index:Cluster", "aws:eks/nodeGroup:NodeGroup"]));
  });

  test("reach instances, volumes and network interfaces by the launch templates", () => {
    const templates = plans["everything"]?.filter(({ type }) => type === "aws:ec2/launchTemplate:LaunchTemplate") ?? [];
    expect(templates).toHaveLength(2);
    for (const { name, inputs } of templates) {
      const specifications = inputs["tagSpecifications"] as { tags: object }[];
      expect(specifications).toHaveLength(3);
      for (const { tags } of specifications) {
        expect(tags).toMatchObject({
          "eks-gpu-lab/stack": "organization/eks-gpu-lab/gpu-lab",
          "eks-gpu-lab/name": name,
        });
      }
    }
  });
});

describe("a resource", () => {
  const transformed = (tags: unknown, type = "aws:ec2/vpc:Vpc") =>
    stackTags("organization/p/s")({
      ...{ type, name: "lab (a)", opts: {} },
      props: { tags },
      resource: undefined as unknown as pulumi.Resource,
    })?.props["tags"] as unknown;

  test("with characters that AWS does not accept in its name", () => {
    expect(transformed({})).toMatchObject({ "eks-gpu-lab/name": "lab _a_" });
  });

  test("with 49 tags keeps them without more", () => {
    const tags = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, "x"]));
    expect(Object.keys(transformed(tags(48)) as object)).toHaveLength(50);
    expect(transformed(tags(49))).toEqual(tags(49));
  });

  test("without tags, or of another provider, stays as it is", () => {
    expect(transformed(undefined)).toBeUndefined();
    expect(transformed({}, "kubernetes:core/v1:Pod")).toBeUndefined();
  });
});
