import * as aws from "@pulumi/aws";
import * as eks from "@pulumi/eks";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { planCost } from "../../../planner/cost/cost";
import { plan } from "../../support/plan";

/** Ways to choose the region of a lookup. The stack is in us-west-2, and the provider in eu-central-1. */
const ways: Readonly<Record<string, (provider: aws.Provider) => pulumi.Input<string[]>>> = {
  "the stack": () => aws.getAvailabilityZonesOutput().names,
  "a provider": (provider) => aws.getAvailabilityZonesOutput({}, { provider }).names,
  "a provider, awaited": (provider) => aws.getAvailabilityZones({}, { provider }).then(({ names }) => names),
  "the provider of a parent": (provider) => {
    const parent = new pulumi.ComponentResource("lab:index:Group", "group", {}, { providers: { aws: provider } });
    return aws.getAvailabilityZonesOutput({}, { parent }).names;
  },
  "the function itself": () => aws.getAvailabilityZonesOutput({ region: "eu-central-1" }).names,
  "a provider whose region is unknown": () => {
    const region = new aws.s3.Bucket("bucket").region as pulumi.Output<aws.Region>;
    return aws.getAvailabilityZonesOutput({}, { provider: new aws.Provider("later", { region }) }).names;
  },
};

test.for([
  ["the stack", "us-west-2"],
  ["a provider", "eu-central-1"],
  ["a provider, awaited", "eu-central-1"],
  ["the provider of a parent", "eu-central-1"],
  ["the function itself", "eu-central-1"],
  ["a provider whose region is unknown", unknownSentinel],
] as const)("zones follow %s", async ([way, region]) => {
  const program = async () => ({ zones: await ways[way]!(new aws.Provider("eu", { region: "eu-central-1" })) });
  const { outputs } = await plan(program, { region: "us-west-2" });
  const { zones } = outputs;
  if (region === unknownSentinel) expect(zones).toBe(unknownSentinel);
  else expect((zones as string[]).map((zone) => zone.slice(0, -1))).toEqual((zones as string[]).map(() => region));
  expect(zones).not.toHaveLength(0);
});

test("the price of a component of another package follows its provider for AWS", async () => {
  const inRegion = async (region?: aws.Region) => {
    const provider = () => new aws.Provider("other", { region: region! });
    const program = () =>
      void new eks.Cluster("cluster", { instanceType: "g5.xlarge" }, region ? { provider: provider() } : {});
    const { sessionHour } = planCost(await plan(program, { region: "us-west-2" }), "us-west-2");
    return sessionHour.usd;
  };
  expect(await inRegion("ap-northeast-2")).toBeGreaterThan(await inRegion());
  expect(await inRegion("us-west-2")).toBe(await inRegion());
});
