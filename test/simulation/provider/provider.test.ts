import { status } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { secretValue, unknownSentinel as unknown } from "../../../components/core/wire";
import { startProviders, type ProviderServers } from "../../../simulation/provider/serve";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { ProviderClient, objectInError } from "./provider-client";
import { smallCloud } from "./small-cloud";

let cloud: SimulatedCloud;
let served: ProviderServers;
const engines: ProviderClient[] = [];

function engine(type: string, name = "thing"): ProviderClient {
  const made = new ProviderClient(served, type, name);
  engines.push(made);
  return made;
}

beforeEach(async () => {
  cloud = smallCloud();
  served = await startProviders(cloud);
});

afterEach(async () => {
  for (const made of engines.splice(0)) made.close();
  await served.close();
});

const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const containing = (text: string): unknown => expect.stringContaining(text);

const clusterType = "aws:eks/cluster:Cluster";
const vpcConfig = { subnetIds: ["subnet-1"] };
const inputs = { name: "myeks", version: "1.35", vpcConfig };
const computed = {
  arn: "arn:aws:eks:ap-northeast-2:123456789012:cluster/myeks",
  endpoint: "https://myeks.eks.amazonaws.com",
  certificateAuthority: { data: "Q0E=" },
  identities: [{ oidcs: [{ issuer: "https://oidc.eks.amazonaws.com/id/myeks" }] }],
  platformVersion: "eks.1.35",
};
const outputs = { ...inputs, ...computed, vpcConfig: { ...vpcConfig, clusterSecurityGroupId: "sg-myeks" } };

describe("the handshake", () => {
  test.for([
    ["aws", "7.48.0", { acceptSecrets: false, acceptResources: false, acceptOutputs: false }],
    ["eks", "4.3.0", { acceptSecrets: true, acceptResources: true, acceptOutputs: true }],
    ["kubernetes", "4.34.2", { acceptSecrets: true, acceptResources: false, acceptOutputs: false }],
  ] as const)(
    "%s returns the version of its package and the wrappers that it accepts",
    async ([name, version, accepts]) => {
      const request = engine(`${name}:index:Thing`);
      expect(await request.version()).toBe(version);
      expect((await request.handshake()).toObject()).toMatchObject(accepts);
      const configured = await request.configure({});
      expect(configured.getSupportspreview()).toBe(true);
      expect(configured.getAcceptsecrets()).toBe(accepts.acceptSecrets);
      expect(configured.getAcceptresources()).toBe(accepts.acceptResources);
      expect(configured.getAcceptoutputs()).toBe(accepts.acceptOutputs);
      await request.cancel();
      expect(await request.version()).toBe(version);
    },
  );

  test("fails without the packages", async () => {
    await expect(startProviders(cloud, "/")).rejects.toThrow(/Cannot find module '@pulumi\/aws\/package.json'/);
  });

  test("each connection has its own configuration", async () => {
    const [one, other] = [engine("kubernetes:core/v1:Secret"), engine("kubernetes:core/v1:Secret")];
    await one.configure({ kubeconfig: secretValue("one") });
    await other.configure({ kubeconfig: "other" });
    expect((await one.create({})).properties["madeThrough"]).toBe("one");
    expect((await other.create({})).properties["madeThrough"]).toBe("other");
  });

  test("checkConfig returns the configuration unchanged", async () => {
    const aws = engine(clusterType);
    expect(await aws.checkConfig({ region: unknown })).toEqual({ region: unknown });
    const diff = await aws.diffConfig({ region: "a", profile: "p" }, { region: "b", profile: "p" });
    expect(diff).toEqual({ changes: 2, diffs: ["region"], replaces: [] });
    expect(await aws.diffConfig({ region: "a" }, { region: "a" })).toEqual({ changes: 1, diffs: [], replaces: [] });
  });

  test("functions return what the cloud returns", async () => {
    const answer = await engine(clusterType).invoke("aws:index/getRegion:getRegion", { verbose: true });
    expect(answer).toEqual({ region: "ap-northeast-2", verbose: true });
    const token = "aws:ssm/getParameter:getParameter";
    await expect(engine(clusterType).invoke(token, {})).rejects.toMatchObject({
      code: status.UNKNOWN,
      details: `invoking ${token}: 1 error occurred:\n\t* ParameterNotFound: there is none\n`,
    });
    const broken = engine(clusterType).invoke("aws:index/broken:broken", {});
    await expect(broken).rejects.toMatchObject({ details: "broken" });
  });
});

describe("check", () => {
  test("fills in defaults and a name that depends on the seed", async () => {
    const aws = engine(clusterType);
    const first = await aws.check({ vpcConfig });
    expect(first.failures).toEqual([]);
    expect(first.inputs).toEqual({
      vpcConfig,
      deletionProtection: false,
      name: matching(/^thing-[0-9a-f]{7}$/),
    });
    expect(await aws.check({ vpcConfig })).toEqual(first);
    expect((await aws.check({ vpcConfig }, {}, "another")).inputs["name"]).not.toBe(first.inputs["name"]);
    expect((await aws.check({ vpcConfig }, {}, "")).inputs["name"]).not.toBe(
      (await aws.check({ vpcConfig }, {}, "")).inputs["name"],
    );
  });

  test.for([
    ["a name made up before is kept", {}, { name: "thing-0123abc" }, "thing-0123abc"],
    ["a name stated before is not", {}, { name: "mine" }, matching(/^thing-[0-9a-f]{7}$/)],
    ["a stated name stays", { name: "mine" }, { name: "thing-0123abc" }, "mine"],
    ["so does one that is not known yet", { name: unknown }, {}, unknown],
    ["with a prefix the cloud makes the name", { namePrefix: "my-" }, { name: "thing-0123abc" }, undefined],
  ] as const)("%s", async ([, news, olds, name]) => {
    expect((await engine("aws:iam/role:Role").check(news, olds)).inputs["name"]).toEqual(name);
  });

  test("names Kubernetes objects in their metadata with eight digits, and keeps secrets marked", async () => {
    const data = secretValue({ password: "p" });
    const { inputs: made } = await engine("kubernetes:core/v1:Secret").check({
      metadata: { labels: { a: "b" } },
      data,
    });
    expect(made).toEqual({
      metadata: { labels: { a: "b" }, name: matching(/^thing-[0-9a-f]{8}$/) },
      data,
      type: "Opaque",
    });
  });

  test.for([
    [
      "what is required",
      {},
      [["vpcConfig", 'Missing required argument. The argument "vpcConfig" is required, but no definition was found.']],
    ],
    ["what is null", { vpcConfig: null }, [["vpcConfig", containing("Missing")]]],
    ["the kind's own rules", { vpcConfig, version: "1.0" }, [["version", "too old"]]],
  ] as const)("reports %s", async ([, news, failures]) => {
    const result = await engine(clusterType).check(news);
    expect(result.failures.map(({ property, reason }) => [property, reason])).toEqual(failures);
  });

  test("reports a name that is too long", async () => {
    const { failures } = await engine(clusterType, "a-name-of-14-c").check({ vpcConfig });
    const reason = "name 'a-name-of-14-c-' plus 7 random chars is longer than maximum length 20";
    expect(failures).toEqual([{ property: "name", reason }]);
  });
});

describe("diff", () => {
  test("reports no changes", async () => {
    expect(await engine(clusterType).diff(inputs, inputs)).toEqual({
      changes: 1,
      diffs: [],
      replaces: [],
      deleteBeforeReplace: false,
      detailed: {},
    });
  });

  test("reports each kind of change with its path", async () => {
    const olds = {
      ...inputs,
      tags: { a: "1", "kubernetes.io/role": "x" },
      vpcConfig: { subnetIds: ["s1", "s2"], private: true },
    };
    const news = {
      ...inputs,
      version: "1.36",
      tags: { a: "2", b: "3", "kubernetes.io/role": "y" },
      vpcConfig: { subnetIds: ["s1", "s3"] },
    };
    expect(await engine(clusterType).diff(olds, news)).toEqual({
      changes: 2,
      diffs: ["tags", "version", "vpcConfig"],
      replaces: ["vpcConfig"],
      deleteBeforeReplace: true,
      detailed: {
        version: [4, true],
        "tags.a": [4, true],
        "tags.b": [0, true],
        'tags["kubernetes.io/role"]': [4, true],
        "vpcConfig.subnetIds[1]": [5, true],
        "vpcConfig.private": [2, true],
      },
    });
  });

  test.for([
    ["a name of its own", clusterType, { name: "a" }, { name: "b" }, true],
    [
      "a name made up",
      clusterType,
      { name: "thing-0123abc", vpcConfig: { subnetIds: ["a"] } },
      { name: "thing-0123abc", vpcConfig: {} },
      false,
    ],
    ["a kind that can only be there once", "aws:iam/role:Role", { path: "/" }, {}, true],
    ["such a kind when it is not replaced", "aws:iam/role:Role", { tags: {} }, {}, false],
  ] as const)("deletes before replacing: %s", async ([, type, olds, news, first]) => {
    expect((await engine(type).diff(olds, news)).deleteBeforeReplace).toBe(first);
  });

  // @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/provider.go Diff
  test.for([
    ["of the same name and namespace", {}, {}, true],
    ["with another name", { name: "b" }, {}, false],
    ["in another namespace", { namespace: "b" }, {}, false],
    ["with a name made up", { name: "thing-0123abcd" }, { name: "thing-0123abcd" }, false],
  ] as const)("deletes a Kubernetes object before replacing it %s", async ([, news, olds, first]) => {
    const metadata = { name: "a", namespace: "a" };
    const diff = await engine("kubernetes:core/v1:Secret").diff(
      { metadata: { ...metadata, ...olds }, type: "a" },
      { metadata: { ...metadata, ...news }, type: "b" },
    );
    expect(diff).toMatchObject({ deleteBeforeReplace: first, replaces: expect.arrayContaining(["type"]) as unknown });
  });

  test("lets the provider's configuration and the new inputs decide about a replacement", async () => {
    const kubernetes = engine("kubernetes:core/v1:Secret");
    const replaces = async (over: object = {}) =>
      (await kubernetes.diff({ data: { a: "b" } }, { type: "Opaque", data: { a: "c" }, ...over })).replaces;
    expect(await replaces()).toEqual(["data"]);
    await kubernetes.configure({ enableSecretMutable: "true" });
    expect(await replaces()).toEqual([]);
    expect(await replaces({ immutable: true })).toEqual(["data"]);
  });

  test("does not replace what an earlier version saved without a default", async () => {
    const secret = engine("kubernetes:core/v1:Secret");
    const { inputs: checked } = await secret.check({ metadata: { name: "a" } });
    expect(checked).toMatchObject({ type: "Opaque" });
    expect(await secret.diff({ metadata: { name: "a" } }, checked)).toMatchObject({ changes: 1, replaces: [] });
  });

  test("respects ignoreChanges, and compares secrets by value", async () => {
    const change = await engine(clusterType).diff({ a: { b: 1 }, c: secretValue("x") }, { a: { b: 2 }, c: "x" }, [
      "a.b",
    ]);
    expect(change).toMatchObject({ changes: 1, detailed: {} });
  });
});

describe("preview", () => {
  test("of a create: outputs are unknown, also inside of inputs", async () => {
    const { id, properties } = await engine(clusterType).create(inputs, true);
    expect(id).toBe("");
    expect(properties).toEqual({
      ...inputs,
      arn: unknown,
      endpoint: unknown,
      certificateAuthority: unknown,
      identities: unknown,
      platformVersion: unknown,
      vpcConfig: { ...vpcConfig, clusterSecurityGroupId: unknown },
    });
    expect(cloud.objects).toEqual([]);
  });

  test("of an update: outputs are known unless the change affects them", async () => {
    const aws = engine(clusterType);
    const news = { ...inputs, version: "1.36", vpcConfig: { ...vpcConfig, endpointPrivateAccess: true } };
    expect(await aws.update("myeks", news, inputs, outputs, true)).toEqual({
      ...outputs,
      version: "1.36",
      platformVersion: unknown,
      vpcConfig: { ...vpcConfig, endpointPrivateAccess: true, clusterSecurityGroupId: "sg-myeks" },
    });
    const { version, ...withoutVersion } = inputs;
    expect(version).toBe("1.35");
    expect(await aws.update("myeks", withoutVersion, inputs, outputs, true)).not.toHaveProperty("version");
    expect(cloud.objects).toEqual([]);
  });

  test("marks secret inputs and the secrets of the model", async () => {
    const { properties } = await engine("kubernetes:core/v1:Secret").create(
      { data: { password: secretValue("p") } },
      true,
    );
    expect(properties).toEqual({ data: { password: secretValue("p") }, token: unknown, madeThrough: unknown });
  });
});

describe("operations", () => {
  test("create, read, update, delete", async () => {
    const aws = engine(clusterType);
    expect(await aws.create(inputs)).toEqual({ id: "myeks", properties: outputs });
    expect(await aws.read("myeks")).toEqual({ id: "myeks", properties: outputs, inputs });
    cloud.drift(clusterType, "myeks", { tags: { by: "hand" } });
    const drifted = { properties: { ...outputs, tags: { by: "hand" } }, inputs: { ...inputs, tags: { by: "hand" } } };
    expect(await aws.read("myeks", outputs, inputs)).toEqual({ id: "myeks", ...drifted });
    const updated = await aws.update("myeks", { ...inputs, version: "1.36" }, inputs, outputs);
    expect(updated).toMatchObject({ version: "1.36", platformVersion: "eks.1.36", tags: { by: "hand" } });
    await aws.delete("myeks");
    await aws.delete("myeks");
    expect(await aws.read("myeks")).toEqual({ id: "", properties: {}, inputs: {} });
  });

  test("a read returns derived outputs, but no derived inputs", async () => {
    const role = engine("aws:iam/role:Role");
    expect((await role.create({ path: "/" }, true)).properties).toEqual({ path: "/", policies: unknown });
    const { id, properties } = await role.create({ path: "/" });
    expect(properties).toEqual({ path: "/", policies: [] });
    const policy = await engine("kubernetes:core/v1:Secret").create({});
    const policies = [`${policy.id} of ${id}`];
    expect(await role.read(id)).toEqual({ id, properties: { path: "/", policies }, inputs: { path: "/" } });
    expect(await role.read(id, {}, {})).not.toHaveProperty("inputs.policies");
    const stated = await role.create({ path: "/", policies: ["mine"] });
    expect(stated.properties["policies"]).toEqual(["mine"]);
  });

  test("secrets stay marked, and the cloud gets plain values", async () => {
    const kubernetes = engine("kubernetes:core/v1:Secret");
    const data = { password: secretValue("p"), list: [secretValue("q"), "r"] };
    const { id, properties } = await kubernetes.create({ data });
    expect(properties).toEqual({ data, token: secretValue("t") });
    expect(cloud.objects[0]?.inputs).toEqual({ data: { password: "p", list: ["q", "r"] } });
    expect(await kubernetes.read(id, properties, { data })).toEqual({ id, properties, inputs: { data } });
  });

  test("an error contains the code and message of the cloud, and nothing changes", async () => {
    const aws = engine(clusterType);
    await aws.create(inputs);
    await expect(aws.create(inputs)).rejects.toMatchObject({
      code: status.UNKNOWN,
      details: `creating ${aws.urn}: 1 error occurred:\n\t* ResourceInUseException: Cluster already exists with name: myeks\n`,
    });
    await expect(aws.update("other", inputs, {})).rejects.toMatchObject({
      details: containing("updating urn:"),
    });
    cloud.faults.add({ operation: "delete", effect: "throttle", times: 26 });
    await expect(aws.delete("myeks")).rejects.toMatchObject({
      details: containing("ThrottlingException: Rate exceeded"),
    });
    cloud.faults.add({ operation: "read", effect: "reject", code: "AccessDenied", message: "no" });
    await expect(aws.read("myeks")).rejects.toMatchObject({ details: containing("reading urn:") });
    expect(cloud.objects).toHaveLength(1);
  });

  test("an error of the Kubernetes provider contains only the message", async () => {
    cloud.faults.add({ operation: "create", effect: "reject", message: 'namespaces "x" not found' });
    const created = engine("kubernetes:core/v1:Secret").create({});
    await expect(created).rejects.toMatchObject({ details: 'namespaces "x" not found' });
  });

  test("the error for an object that is not ready contains the object", async () => {
    const aws = engine(clusterType);
    cloud.faults.add({ operation: "create", effect: "time-out" });
    const error: unknown = await aws.create(inputs).catch((caught: unknown) => caught);
    const reason = containing("timeout while waiting");
    expect(error).toMatchObject({ code: status.UNKNOWN, details: reason });
    expect(objectInError(error)).toEqual({ id: "myeks", reasons: [reason], properties: outputs, inputs });
  });

  test("the secrets of such an object are marked", async () => {
    cloud.faults.add({ operation: "create", effect: "time-out" });
    const data = { password: secretValue("p") };
    const error: unknown = await engine("kubernetes:core/v1:Secret")
      .create({ data })
      .catch((caught: unknown) => caught);
    expect(objectInError(error)).toMatchObject({ properties: { data, token: secretValue("t") }, inputs: { data } });
  });
});

describe("a crash", () => {
  test("breaks every open call; a restarted provider has the same cloud", async () => {
    let finish = (): void => undefined;
    const slowCloud = smallCloud();
    // A role is created only when the test lets it finish.
    slowCloud.pause = (seconds) =>
      seconds < 100 ? Promise.resolve() : new Promise<void>((resolve) => (finish = resolve));
    await served.close();
    served = await startProviders(slowCloud);
    const [aws, other] = [engine(clusterType), engine("aws:iam/role:Role")];
    const open = other.create({}).catch((error: unknown) => error);
    await expect.poll(() => slowCloud.objects.length).toBe(1);
    slowCloud.faults.add({ operation: "create", effect: "crash" });
    await expect(aws.create(inputs)).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(await open).toMatchObject({ code: status.UNAVAILABLE });
    await expect(aws.version()).rejects.toMatchObject({ code: status.UNAVAILABLE });
    expect(served.crashed).toEqual(["aws"]);
    expect(await engine("kubernetes:core/v1:Secret").version()).toBe("4.34.2");

    const before = served.debugProviders;
    await served.restart();
    expect(served.crashed).toEqual([]);
    expect(served.debugProviders).not.toBe(before);
    expect(served.debugProviders.replace(/aws:\d+/, "")).toBe(before.replace(/aws:\d+/, ""));
    expect(await engine(clusterType).read("myeks")).toMatchObject({ id: "myeks" });
    // The cloud continues with earlier requests; their results are lost.
    finish();
    await expect.poll(() => slowCloud.history.map(({ type }) => type)).toEqual([clusterType, "aws:iam/role:Role"]);
  });
});
