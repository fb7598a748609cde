import * as aws from "@pulumi/aws";
import * as eks from "@pulumi/eks";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { unknownSentinel } from "../../../components/core/wire";
import { byName, plan } from "../../support/plan";

/** Adds its name to the tag of buckets. */
function tag(name: string): pulumi.ResourceTransform {
  return ({ type, props, opts }) => {
    const { tags } = props as { tags?: { by: string } };
    const by = tags ? `${tags.by} ${name}` : name;
    return type === "aws:s3/bucket:Bucket" ? { props: { ...props, tags: { by } }, opts } : undefined;
  };
}

test("transforms of the resource, its parents and the stack change it, in this order", async () => {
  const recording = await plan(() => {
    pulumi.runtime.registerResourceTransform(tag("stack"));
    const parent = new pulumi.ComponentResource("lab:index:Group", "parent", {}, { transforms: [tag("parent")] });
    new aws.s3.Bucket("inner", {}, { parent, transforms: [tag("own"), tag("second")] });
    new aws.s3.Bucket("outer");
  });
  expect(byName(recording, "inner").inputs).toEqual({ tags: { by: "own second parent stack" } });
  expect(byName(recording, "outer").inputs).toEqual({ tags: { by: "stack" } });
  expect(byName(recording, "parent").inputs).toEqual({});
});

test("a transform keeps unknown values, secrets and dependencies, and changes options", async () => {
  const recording = await plan(() => {
    const first = new aws.s3.Bucket("first");
    const args = { bucketPrefix: first.arn, acl: pulumi.secret("private"), tags: { gone: "x" } };
    const change: pulumi.ResourceTransform = ({ props, opts }) => {
      const { tags, ...rest } = props as { tags: unknown };
      expect(tags).toEqual({ gone: "x" });
      return { props: rest, opts: { ...opts, protect: true, ignoreChanges: ["acl"], dependsOn: [] } };
    };
    const second = new aws.s3.Bucket("second", args, { transforms: [change] });
    return { acl: second.acl };
  });
  const second = byName(recording, "second");
  expect(second.inputs).toEqual({ bucketPrefix: unknownSentinel, acl: "private" });
  expect(second.secretPaths).toEqual(["acl"]);
  expect(second.propertyDependencies).toEqual({ bucketPrefix: [byName(recording, "first").urn], acl: [] });
  expect(second.dependencies).toEqual([]);
  expect(second.options).toMatchObject({ protect: true, ignoreChanges: ["acl"] });
  expect(recording.secretOutputs).toEqual(["acl"]);
});

test("the program sees the properties that a transform set", async () => {
  const recording = await plan(() => {
    const bucket = new aws.s3.Bucket("bucket", {}, { transforms: [tag("own")] });
    return { tags: bucket.tags };
  });
  expect(recording.outputs).toEqual({ tags: { by: "own" } });
});

test("a failed transform fails the plan", async () => {
  const fail = () => Promise.reject(new Error("no such tag"));
  await expect(plan(() => void new aws.s3.Bucket("bucket", {}, { transforms: [fail] }))).rejects.toThrow(
    /transform failed: Error: no such tag/,
  );
});

test("a transform of calls changes the arguments of provider functions", async () => {
  const recording = await plan(() => {
    pulumi.runtime.registerInvokeTransform(({ args, opts }) => ({ args: { ...args, name: "changed" }, opts }));
    return { cluster: aws.eks.getClusterOutput({ name: "lab" }).name };
  });
  expect(recording.outputs).toEqual({ cluster: "changed" });
});

test("resource hooks are accepted, and do not run", async () => {
  let runs = 0;
  const recording = await plan(() => {
    const hook = new pulumi.ResourceHook("hook", () => void runs++, { onDryRun: true });
    new aws.s3.Bucket("bucket", {}, { hooks: { beforeCreate: [hook] } });
  });
  expect(byName(recording, "bucket").inputs).toEqual({});
  expect(runs).toBe(0);
});

test("the result of a method of a component in another process is unknown", async () => {
  const recording = await plan(() => {
    const component = new pulumi.ComponentResource("eks:index:Cluster", "cluster", {}, {}, true);
    return { kubeconfig: pulumi.runtime.call("eks:index:Cluster/getKubeconfig", { __self__: component }, component) };
  });
  expect(recording.outputs).toEqual({ kubeconfig: unknownSentinel });
});

test("a resource can be read by its URN", async () => {
  const recording = await plan(() => {
    const bucket = new aws.s3.Bucket("bucket", { acl: "private" });
    const read = (urn: string) => pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn }) as Promise<object>;
    return { read: bucket.urn.apply(read) };
  });
  expect(recording.outputs["read"]).toMatchObject({ state: { acl: "private" } });
});

/** Ways to name an alias by an output of a remote component, which is known only after the update. */
const aliases: Readonly<Record<string, (cluster: eks.Cluster) => pulumi.Input<pulumi.URN | pulumi.Alias>>> = {
  "a URN as parent": (cluster) => ({ parent: cluster.eksCluster.urn }),
  "a resource as parent": (cluster) => ({ parent: cluster.eksCluster as unknown as pulumi.Resource }),
  "a name": (cluster) => ({ name: cluster.eksCluster.name }),
  "a whole URN": (cluster) => pulumi.interpolate`${cluster.eksCluster.urn}-old`,
};

test.for(Object.entries(aliases))("an alias with %s of a remote component", async ([, aliasOf]) => {
  const recording = await plan(() => {
    const cluster = new eks.Cluster("cluster");
    const alias = aliasOf(cluster);
    const withAlias: pulumi.ResourceTransform = ({ props, opts }) => ({ props, opts: { ...opts, aliases: [alias] } });
    new aws.s3.Bucket("in-transform", {}, { transforms: [withAlias] });
    new aws.s3.Bucket("in-options", {}, { aliases: [alias] });
  });
  expect(recording.resources.map(({ name }) => name)).toEqual(expect.arrayContaining(["in-transform", "in-options"]));
});

test("the functions of a remote component register their groups", async () => {
  const recording = await plan(() => {
    const cluster = new eks.Cluster("cluster", { skipDefaultNodeGroup: true });
    eks.createManagedNodeGroup("managed", {
      cluster,
      nodeRole: cluster.core.apply(({ instanceRoles }) => instanceRoles[0]!),
    });
    eks.createManagedNodeGroup("with-parent", { cluster }, cluster);
    cluster.createNodeGroup("self-managed", { instanceType: "g5.xlarge" });
  });
  expect(byName(recording, "managed").type).toBe("eks:index:ManagedNodeGroup");
  expect(byName(recording, "with-parent").type).toBe("eks:index:ManagedNodeGroup");
});
