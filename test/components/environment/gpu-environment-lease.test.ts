import { valueAt } from "../../../components/core/reader/paths";
import { describe, expect, test } from "vitest";
import { costSizes, environmentCost, GpuEnvironment, gpuEnvironmentProblems } from "../../../components";
import type { GpuEnvironmentArgs } from "../../../components";
import { inDays } from "../../../components/core/faults";
import { nodePools } from "../../../planner/cost/node-pools";
import { planCost } from "../../../planner/cost/cost";
import { pricingContext } from "../../../planner/cost/pricing-context";
import { resourceLines, usageLines } from "../../../planner/cost/resource-lines";
import type { RecordedResource, Recording } from "../../../planner/record/record";
import { brief } from "../../support/problems";
import { byName, ofType, only, plan } from "../../support/plan";

const seoul = "ap-northeast-2";
const publicAccessCidrs = ["198.51.100.7/32"];
const day = (days: number) => inDays(days, new Date());

function planned(args: Partial<GpuEnvironmentArgs> = {}): Promise<Recording> {
  return plan(() => new GpuEnvironment("lab", { publicAccessCidrs, ...args }).outputs);
}

const leases = (recording: Recording) => ofType(recording, "eks-gpu-lab:index:LabLease");
const tagsOf = ({ inputs }: RecordedResource) => inputs["tags"] as Readonly<Record<string, string>> | undefined;

test("hours are an output for gpu up, and part of the description", async () => {
  const { outputs } = await planned({ lease: { hours: 3 } });
  expect(outputs["sessionHours"]).toBe(3);
  expect(outputs["lease"]).toBe("all GPU nodes are terminated every day at 22:00 UTC, and 3 hours after gpu up");
  const without = (await planned({ lease: {} })).outputs;
  expect([without["sessionHours"], (await planned({})).outputs["leaseScheduleGroup"]]).toEqual(["none", "none"]);
  const found = [0, 73, 1.5].map((hours) => brief(gpuEnvironmentProblems({ publicAccessCidrs, lease: { hours } })));
  expect(found).toEqual([["out-of-range lease.hours"], ["out-of-range lease.hours"], ["wrong-type lease.hours"]]);
});

test.for([{}, { lease: { enabled: false, nightly: "none" } }])(
  "with %j there is no lease and no tag of one",
  async (args) => {
    const recording = await planned(args);
    expect(leases(recording)).toEqual([]);
    expect(recording.outputs["lease"]).toBe("none");
    expect(recording.resources.filter((resource) => tagsOf(resource)?.["lab"] !== undefined)).toEqual([]);
    expect(recording.resources.filter(({ name }) => name.endsWith("expires-at"))).toEqual([]);
  },
);

test("a section without keys is a lease of the GPU nodes with their maximum", async () => {
  const recording = await planned({ lease: {}, gpuNodes: { maxSize: 7 }, clusterName: "nccl" });
  expect(only(recording, "eks-gpu-lab:index:LabLease").inputs).toMatchObject({
    clusterName: "nccl",
    lab: "nccl",
    nodeGroups: { gpu: { maxSize: 7 } },
    nightly: "22:00",
    timeZone: "UTC",
  });
  const { propertyDependencies } = only(recording, "aws:scheduler/schedule:Schedule");
  const group = ofType(recording, "aws:eks/nodeGroup:NodeGroup").find(({ name }) => name === "lab-gpu");
  expect(propertyDependencies["target"]).toContain(group?.urn);
  expect(recording.outputs["lease"]).toBe("all GPU nodes are terminated every day at 22:00 UTC");
});

test("problems name the key of the section", () => {
  const problems = (lease: object) => brief(gpuEnvironmentProblems({ publicAccessCidrs, lease }));
  expect(problems({ nightly: "none" })).toEqual(["conflict lease.nightly"]);
  expect(problems({ nightly: "none", enabled: false })).toEqual([]);
  expect(problems({ expiresAt: "2020-01-01", timezone: "UTC" })).toEqual([
    "unknown-key lease.timezone",
    "not-allowed lease.expiresAt",
  ]);
  expect(problems({ clusterName: "other" })).toEqual(["unknown-key lease.clusterName"]);
});

test("its alarm is part of the cost at rest, in the plan as in the outputs", async () => {
  const [without, withLease] = [{ publicAccessCidrs }, { publicAccessCidrs, lease: {} }];
  const hourly = (args: GpuEnvironmentArgs) => environmentCost(costSizes(args, seoul)).atRest;
  expect(hourly(withLease).usdPerMonth - hourly(without).usdPerMonth).toBeCloseTo(0.1, 9);
  const { atRest } = planCost(await planned({ lease: {} }), seoul, { now: new Date() });
  expect(atRest.usdPerHour).toBeCloseTo(hourly(withLease).usdPerHour, 9);
  expect(atRest.complete).toBe(true);
});

/** Everything that an environment can contain. */
const everything: Partial<GpuEnvironmentArgs> = {
  network: { flowLogs: true, interfaceEndpoints: true, natGateways: "perAz" },
  gpuNodes: { instanceType: "g5.8xlarge", efa: true, desiredSize: 1 },
  gpuOperator: { enabled: true, chartVersion: "v26.3.3" },
  monitoring: { enabled: true },
  controllers: { loadBalancerController: { install: true }, clusterAutoscaler: { install: true } },
  tags: { team: "research" },
  lease: {
    ...{ owner: "ml-platform", expiresAt: day(10), lab: "training" },
    budget: { amountPerMonth: 100, emails: ["lab@example.com"] },
  },
};
const leaseTags = { lab: "training", owner: "ml-platform", "expires-at": `${day(11)}T00:00:00Z`, team: "research" };

/** Their APIs have no tags: the schedule group, the queue and the Auto Scaling group of each have them. */
const withoutTags = ["aws:scheduler/schedule:Schedule", "aws:sqs/queuePolicy:QueuePolicy"];

describe("the tags lab, owner and expires-at", async () => {
  const everythingPlanned = await planned(everything);

  test("are on everything that costs money, by the hour or by use", () => {
    const recording = everythingPlanned;
    const context = pricingContext(recording, seoul, { now: new Date() });
    const paid = recording.resources.filter(
      (resource) =>
        resourceLines(resource, context).length > 0 ||
        usageLines(resource, context).length > 0 ||
        nodePools(resource, context).length > 0,
    );
    const types = new Set(paid.map(({ type }) => type));
    for (const type of ["eks:index:Cluster", "aws:ec2/natGateway:NatGateway", "aws:eks/nodeGroup:NodeGroup"]) {
      expect(types).toContain(type);
    }
    const missing = paid
      .filter(({ type }) => !withoutTags.includes(type))
      .filter((resource) => Object.entries(leaseTags).some(([key, value]) => tagsOf(resource)?.[key] !== value));
    expect(missing.map(({ type, name }) => `${type} ${name}`)).toEqual([]);
  });

  test("are on everything else that has tags, too", () => {
    const { resources } = everythingPlanned;
    const tagged = resources.filter(({ type, inputs }) => type.startsWith("aws:") && inputs["tags"] !== undefined);
    expect(tagged.length).toBeGreaterThan(40);
    const templates = tagged.filter(({ type }) => type === "aws:ec2/launchTemplate:LaunchTemplate");
    for (const resource of tagged) {
      const { "expires-at": end, ...rest } = leaseTags;
      expect(tagsOf(resource), resource.name).toMatchObject(
        templates.includes(resource) ? rest : { ...rest, "expires-at": end },
      );
    }
  });

  test("instances and volumes get lab and owner from the template, and instances the end from their group", () => {
    const recording = everythingPlanned;
    const templates = ofType(recording, "aws:ec2/launchTemplate:LaunchTemplate");
    expect(templates).toHaveLength(2);
    for (const { inputs } of templates) {
      const specifications = inputs["tagSpecifications"] as { resourceType: string; tags: object }[];
      expect(specifications.map(({ resourceType }) => resourceType)).toEqual([
        "instance",
        "volume",
        "network-interface",
      ]);
      for (const { tags } of specifications) expect(tags).toMatchObject({ lab: "training", owner: "ml-platform" });
    }
    for (const name of ["lab-gpu-expires-at", "lab-system-expires-at"]) {
      const tag = { key: "expires-at", value: leaseTags["expires-at"], propagateAtLaunch: true };
      expect(byName(recording, name).inputs["tag"]).toEqual(tag);
    }
  });

  test("load balancers that the controller creates get all of them", () => {
    const { inputs } = byName(everythingPlanned, "lab-load-balancer-controller-release");
    const id = { "eks-gpu-lab/id": "ap-northeast-2/123456789012/assigned-by-pulumi-up" };
    expect(valueAt(inputs, "values.defaultTags")).toEqual({ ...leaseTags, ...id });
  });

  test("a renewed lease does not change the launch templates, which would replace running nodes", async () => {
    const templatesAt = async (expiresAt: string) =>
      ofType(
        await planned({ ...everything, lease: { ...everything.lease, expiresAt } }),
        "aws:ec2/launchTemplate:LaunchTemplate",
      ).map(({ inputs }) => inputs);
    expect(await templatesAt(day(20))).toEqual(await templatesAt(day(10)));
  });

  test("tags of the caller take precedence", async () => {
    const recording = await planned({ lease: {}, tags: { owner: "me" } });
    expect(tagsOf(byName(recording, "lab-cluster-role"))).toMatchObject({ lab: "myeks", owner: "me" });
    expect(tagsOf(only(recording, "aws:sqs/queue:Queue"))).toMatchObject({ lab: "myeks", owner: "me" });
  });
});
