import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { InputError, Problem } from "../../../components/core/problems";
import { isRecord } from "../../../components/core/reader/records";
import { unknownSentinel } from "../../../components/core/wire";
import { Answers, tokenOf } from "../../../planner/lookups/answers";
import { placeholderResult } from "../../../planner/lookups/placeholders";
import { recordWithLookups } from "../../../planner/lookups/record-with-lookups";
import { loadPulumiRuntime } from "../../../planner/program/pulumi-runtime";
import { record } from "../../../planner/record/record";
import { asAnalyzed } from "../../../planner/record/recorded-resource";
import { judge } from "../../../policies/engine/judge";
import { packs } from "../../../policies/packs";
import { byName, types } from "../../support/plan";

const runtime = loadPulumiRuntime(process.cwd());
const about = { project: "lab", stack: "dev", config: { "aws:region": "eu-west-1" } };

const planned = (program: () => unknown, answers?: string) =>
  recordWithLookups((cloud) => record(runtime, program, { ...about, cloud }), {
    region: "eu-west-1",
    types,
    ...(answers !== undefined && { answers: Answers.read(answers, "answers.yaml", types) }),
  });

const sdk = join(process.cwd(), "node_modules", "@pulumi", "aws");
const functionsIn = (module: string) => types.siblings(`aws:${module}/getX:getX`);
const modules = readdirSync(sdk, { withFileTypes: true }).filter((entry) => entry.isDirectory());
const all = modules.map(({ name }) => name).flatMap(functionsIn);

describe("the results of all functions of the SDK", () => {
  test("have properties, and placeholders of their types that differ", () => {
    expect(all.length).toBeGreaterThan(500);
    for (const token of all) {
      const fields = types.of(token);
      expect(fields?.size, token).toBeGreaterThan(0);
      const [one, other] = ([0, 1] as const).map((variant) => placeholderResult(types, token, fields!, variant));
      for (const [key, type] of fields!) {
        const kind = type.endsWith("[]") ? "list" : /^(string|number|boolean)$/.test(type) ? type : undefined;
        const value = one![key];
        if (kind !== undefined) expect(Array.isArray(value) ? "list" : typeof value, `${token} ${key}`).toBe(kind);
        expect(value, `${token} ${key}`).not.toEqual(other![key]);
      }
    }
  });

  test("use the types of lists, maps and nested properties", () => {
    const result = (token: string) => placeholderResult(types, token, types.of(token)!, 0);
    const cluster = result("aws:eks/getCluster:getCluster");
    expect(Object.keys(cluster["vpcConfig"] as object)).toContain("publicAccessCidrs");
    expect(cluster["tags"]).toEqual({ placeholder: expect.any(String) as string });
    expect(isRecord((cluster["identities"] as unknown[])[0])).toBe(true);
  });
});

/** Programs that take a result apart, and what of the bucket is unknown. */
const derived: Readonly<Record<string, () => Promise<pulumi.Input<string> | undefined>>> = {
  "a text": async () => (await aws.ec2.getVpc({ default: true })).id,
  "a part of a text": async () => (await aws.ec2.getVpc({ default: true })).cidrBlock.split(".")[1],
  "a calculation": async () => String((await aws.ebs.getVolume({})).size * 100 + 7),
  "a condition": async () => ((await aws.ec2.getSubnet({ id: "subnet-1" })).mapPublicIpOnLaunch ? "public" : "private"),
  "a length": async () => String((await aws.ec2.getSubnets({})).ids.length),
  "a hash": async () => Buffer.from(JSON.stringify(await aws.eks.getCluster({ name: "x" }))).toString("base64"),
  "a number in a version": async () =>
    String(Number((await aws.eks.getCluster({ name: "x" })).version.split(".")[1]) + 1),
  JSON: async () => Object.values(JSON.parse((await aws.iam.getPolicy({ name: "x" })).policy) as object).join(""),
  "an old idiom": () => Promise.resolve(pulumi.output(aws.rds.getInstance({ dbInstanceIdentifier: "x" })).endpoint),
  "an output": () => Promise.resolve(aws.ec2.getAmiOutput({ owners: ["self"] }).id),
  "an output that is taken apart": () =>
    Promise.resolve(aws.ec2.getSubnetsOutput({}).apply(({ ids }) => ids.map((id) => id.slice(1)).join())),
};

test.for(Object.entries(derived))("%s of a lookup is unknown", async ([, value]) => {
  const { recording, notes } = await planned(async () => {
    const prefix = await value();
    const bucket = new aws.s3.Bucket("bucket", { bucketPrefix: prefix!, tags: { known: "yes" } });
    return { prefix: bucket.bucketPrefix };
  });
  expect(byName(recording, "bucket").inputs).toEqual({ bucketPrefix: unknownSentinel, tags: { known: "yes" } });
  expect(recording.outputs).toEqual({ prefix: unknownSentinel });
  expect(notes).toEqual([
    expect.stringMatching(/^Unknown offline: the results of aws:\w+\/get\w+:get\w+\. .*--answers/),
  ]);
});

test("an unknown list fails no rule, in either form", async () => {
  const { recording } = await planned(async () => {
    const { cidrBlocks } = await aws.getIpRanges({ services: ["ec2"] });
    const later = aws.getIpRangesOutput({ services: ["ec2"] }).cidrBlocks;
    for (const [name, publicAccessCidrs] of Object.entries({ awaited: cidrBlocks, later })) {
      new aws.eks.Cluster(name, { roleArn: "arn:aws:iam::1:role/x", vpcConfig: { subnetIds: [], publicAccessCidrs } });
    }
  });
  const found = judge(packs.lab, recording.resources.map(asAnalyzed)).filter(
    ({ rule }) => rule === "cluster-endpoint-public",
  );
  expect(found.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["awaited", "unknown"],
    ["later", "unknown"],
  ]);
});

test("resources that only some results create are left out, and named", async () => {
  const { recording, notes } = await planned(async () => {
    const { ids } = await aws.ec2.getSubnets({});
    ids.forEach(
      (id, index) => new aws.ec2.RouteTableAssociation(`by-index-${index}`, { subnetId: id, routeTableId: "x" }),
    );
    ids.forEach((id) => new aws.ec2.RouteTableAssociation(`by-id-${id}`, { subnetId: id, routeTableId: "x" }));
    if ((await aws.eks.getCluster({ name: "x" })).deletionProtection) new aws.s3.Bucket("perhaps");
    new aws.s3.Bucket("certain");
  });
  const names = recording.resources.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith("by-index-"))).toEqual(["by-index-0"]);
  expect(names.filter((name) => name.startsWith("by-id-"))).toHaveLength(1);
  expect(names).toContain("certain");
  expect(names).not.toContain("perhaps");
  expect(notes.join("\n")).toMatch(
    /Left out, because only some results of these lookups create it: .+ and 6 more resources/,
  );
});

test("the number of items in an unknown list fails no rule", async () => {
  const { recording } = await planned(async () => {
    const { ids } = await aws.ec2.getSubnets({});
    for (const subnetId of ids) new aws.ec2.Instance(subnetId, { ami: "ami-1", instanceType: "g5.2xlarge", subnetId });
  });
  const findings = judge(packs.lab, recording.resources.map(asAnalyzed));
  expect(findings.map(({ rule }) => rule)).toEqual(["gpu-desired-zero"]);
});

test("a program that needs several items keeps its values and resources", async () => {
  const { recording, notes } = await planned(async () => {
    const { ids } = await aws.ec2.getSubnets({});
    if (ids.length < 2) throw new Error("Two subnets are needed.");
    ids
      .slice(0, 2)
      .forEach((subnetId, index) => new aws.s3.Bucket(`b${index}`, { tags: { subnetId, index: `${index}` } }));
  });
  expect(byName(recording, "b1").inputs).toEqual({ tags: { subnetId: unknownSentinel, index: "1" } });
  expect(notes).toHaveLength(1);
});

/** Names from results, and how many of them are certain: of those for each item of an unknown list, one. */
const named: Readonly<Record<string, readonly [certain: number, names: () => Promise<readonly string[]>]>> = {
  "a loop": [
    1,
    async () => {
      const { ids } = await aws.ec2.getSubnets({});
      return Promise.all(ids.map(async (id) => (await aws.ec2.getSubnet({ id })).availabilityZone));
    },
  ],
  "addresses in a loop": [
    1,
    async () => {
      const { ids } = await aws.ec2.getSubnets({});
      return Promise.all(ids.map(async (id) => (await aws.ec2.getSubnet({ id })).cidrBlock));
    },
  ],
  "calls of several names": [
    3,
    async () => {
      const groups = ["a", "b", "c"].map((name) => aws.ec2.getSecurityGroup({ name }));
      return (await Promise.all(groups)).map(({ arn }) => arn);
    },
  ],
  "a loop over what a loop found": [
    1,
    async () => {
      const { ids } = await aws.ec2.getSubnets({});
      const subnets = await Promise.all(ids.map((id) => aws.ec2.getSubnet({ id })));
      return Promise.all(subnets.map(async ({ vpcId }) => (await aws.ec2.getVpc({ id: vpcId })).dhcpOptionsId));
    },
  ],
};

test.for(Object.entries(named))("names from the results of %s are not equal", async ([, [certain, names]]) => {
  // The second of equal names would stop a run.
  const { recording, notes } = await planned(async () => {
    for (const name of await names()) new aws.s3.Bucket(`b-${name}`, { tags: { name } });
  });
  expect(notes.join()).not.toContain("fails");
  const buckets = recording.resources.filter(({ name }) => name.startsWith("b-"));
  expect(buckets).toHaveLength(certain);
  expect(buckets.every(({ inputs }) => (inputs["tags"] as { name: string }).name === unknownSentinel)).toBe(true);
});

test("the results of equal calls are equal", async () => {
  const { recording } = await planned(async () => {
    const [one, other] = [await aws.ec2.getVpc({ id: "x" }), await aws.ec2.getVpc({ id: "x" })];
    new aws.s3.Bucket(one.dhcpOptionsId === other.dhcpOptionsId ? "equal" : "other");
  });
  expect(recording.resources.map(({ name }) => name)).toContain("equal");
});

test.for([
  ["taken apart", async () => JSON.parse((await aws.ec2.getVpc({ default: true })).id) as unknown],
  [
    "of unknown form",
    () => pulumi.runtime.invoke("other:index/getThing:getThing", {}).then(({ name }) => name as unknown),
  ],
] as const)("an error of a placeholder that is %s names the function", async ([, program]) => {
  const error = await planned(program).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toMatch(/(aws:ec2\/getVpc:getVpc|other:index\/getThing:getThing).*--answers FILE/s);
  expect((error as Error).stack).toContain("--answers FILE");
});

test("an error in only the second run makes all values unknown", async () => {
  const { recording, notes } = await planned(async () => {
    const { ids } = await aws.ec2.getSubnets({});
    if (ids.length < 4) throw new Error("too few subnets");
    new aws.s3.Bucket("certain", { forceDestroy: true });
  });
  const [bucket] = recording.resources.filter(({ name }) => name === "certain");
  expect(bucket?.inputs["forceDestroy"]).toBe(unknownSentinel);
  expect(notes).toContainEqual(expect.stringMatching(/the program fails.*too few subnets/));
});

test("an error of the program's own input does not name a lookup", async () => {
  const program = async () => {
    await aws.ec2.getVpc({ default: true });
    new pulumi.Config().require("missing");
  };
  await expect(planned(program)).rejects.toThrow(
    /Missing required configuration variable 'lab:missing'(?!.*--answers)/s,
  );
});

test("a policy document is computed", async () => {
  const { recording, notes } = await planned(async () => {
    const statements = [
      {
        sid: "one",
        actions: ["sts:AssumeRole", "sts:TagSession"],
        principals: [{ type: "Service", identifiers: ["ec2.amazonaws.com"] }],
        conditions: [{ test: "StringEquals", variable: "aws:x", values: ["a", "b"] }],
      },
      { effect: "Deny", notActions: ["s3:*"], resources: ["*"], principals: [{ type: "*", identifiers: ["*"] }] },
    ];
    const later = aws.iam.getPolicyDocumentOutput({
      statements: [{ actions: ["a:b"], resources: [new aws.s3.Bucket("b").arn] }],
    });
    return { json: (await aws.iam.getPolicyDocument({ statements })).json, later: later.json };
  });
  expect(notes).toEqual([]);
  expect(recording.outputs["later"]).toBe(unknownSentinel);
  expect(JSON.parse(recording.outputs["json"] as string)).toEqual({
    Version: "2012-10-17",
    Statement: [
      {
        ...{ Sid: "one", Effect: "Allow", Action: ["sts:AssumeRole", "sts:TagSession"] },
        Principal: { Service: "ec2.amazonaws.com" },
        Condition: { StringEquals: { "aws:x": ["a", "b"] } },
      },
      { Effect: "Deny", NotAction: "s3:*", Resource: "*", Principal: "*" },
    ],
  });
});

describe("--answers", () => {
  test("gives results by name or token, by arguments, and in part", async () => {
    const answers = `
      aws.ec2.getVpc: { id: vpc-1, cidrBlock: 10.7.0.0/16 }
      aws:ec2/getSubnets:getSubnets:
        - { args: { tags: { tier: gpu } }, result: { ids: [subnet-1] } }
        - { result: { ids: [subnet-2, subnet-3] } }
      aws.getRegion: { description: Ireland }
      aws.getIpRanges: { cidrBlocks: [1.2.3.0/24] }`;
    const { recording, notes } = await planned(async () => {
      const vpc = await aws.ec2.getVpc({ default: true });
      const gpu = await aws.ec2.getSubnets({ tags: { tier: "gpu" } });
      const others = aws.ec2.getSubnetsOutput({ tags: { tier: "web" } });
      const region = await aws.getRegion();
      return {
        cidr: vpc.cidrBlock.split(".")[1],
        arn: vpc.arn,
        ids: [...gpu.ids, others.ids[1]!],
        region: `${region.name} ${region.description}`,
      };
    }, answers);
    const { outputs } = recording;
    expect(outputs).toEqual({
      ...{ cidr: "7", arn: unknownSentinel, ids: ["subnet-1", "subnet-3"], region: "eu-west-1 Ireland" },
    });
    expect(notes.join("\n")).toContain(
      "The program did not call aws:index/getIpRanges:getIpRanges as --answers states.",
    );
  });

  const problemsOf = (text: string): readonly Problem[] => {
    try {
      Answers.read(text, "answers.yaml", types);
      return [];
    } catch (error) {
      return (error as InputError).problems;
    }
  };

  test("reports all mistakes at once, with suggestions", () => {
    const problems = problemsOf(`
      aws.ec2.getVcp: { id: vpc-1 }
      nope.ec2.getVpc: {}
      justText: {}
      aws.ec2.getVpc: { idd: vpc-1, enableDnsSupport: "yes", cidrBlockAssociations: {}, tags: [] }
      aws.ec2.getSubnet: [{ arg: {}, args: { vpcID: x }, result: { vpcId: 7 } }, 3]
      aws.getRegion: text
      pulumi.StackReference: [{ args: { stack: x }, result: [] }]`);
    expect(problems.map(({ path, code, fix }) => [path, code, /did you mean (.+)\?/.exec(fix)?.[1]])).toEqual([
      ["aws.ec2.getVcp", "unknown-key", "aws.ec2.getVpc"],
      ["nope.ec2.getVpc", "unknown-key", undefined],
      ["justText", "unknown-key", undefined],
      ["aws.ec2.getVpc.idd", "unknown-key", "aws.ec2.getVpc.id"],
      ["aws.ec2.getVpc.cidrBlockAssociations", "wrong-type", undefined],
      ["aws.ec2.getVpc.enableDnsSupport", "wrong-type", undefined],
      ["aws.ec2.getVpc.tags", "wrong-type", undefined],
      ["aws.ec2.getSubnet[0].arg", "unknown-key", "aws.ec2.getSubnet[0].args"],
      ["aws.ec2.getSubnet[0].args.vpcID", "unknown-key", "aws.ec2.getSubnet[0].args.vpcId"],
      ["aws.ec2.getSubnet[0].result.vpcId", "wrong-type", undefined],
      ["aws.ec2.getSubnet[1].result", "wrong-type", undefined],
      ["aws.getRegion", "wrong-type", undefined],
      ["pulumi.StackReference[0].args.stack", "unknown-key", undefined],
      ["pulumi.StackReference[0].result", "wrong-type", undefined],
    ]);
  });

  test.for(["[", "- a", "text", ""])("rejects %j, which is no mapping", (text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });

  test("gives the outputs of other stacks, of which the others are unknown", async () => {
    const { recording, notes } = await planned(async () => {
      const prod = new pulumi.StackReference("acme/net/prod");
      const other = new pulumi.StackReference("acme/net/dev");
      const given = await prod.getOutputDetails("vpcId");
      const missing = await prod.getOutputDetails("missing");
      return {
        value: given.value as unknown,
        now: prod.requireOutput("vpcId"),
        missing: (missing.value as unknown) ?? "none",
        later: other.getOutput("x"),
      };
    }, "pulumi.StackReference: [{ args: { name: acme/net/prod }, result: { vpcId: vpc-1, count: 2 } }]");
    expect(recording.outputs).toEqual({ value: "vpc-1", now: "vpc-1", missing: "none", later: unknownSentinel });
    expect(notes).toEqual([expect.stringMatching(/the outputs of acme\/net\/dev\. To plan with them, use --answers/)]);
  });

  test("names of the program are tokens", () => {
    expect(["aws.ec2.getVpc", "aws.getRegion", "aws:ec2/getVpc:getVpc"].map(tokenOf)).toEqual([
      ...["aws:ec2/getVpc:getVpc", "aws:index/getRegion:getRegion", "aws:ec2/getVpc:getVpc"],
    ]);
  });
});
