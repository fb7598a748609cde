import { readdirSync, readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import * as library from "../../components";
import { inDays } from "../../components/core/faults";
import type { Problem } from "../../components";

type Check = (args: object, at?: string) => Problem[];

const clusterName = "myeks";
const kubernetesVersion = "1.35";
const network = { vpcId: "vpc-0123456789abcdef0", vpcCidr: "10.0.0.0/16" };
const firewall = { ...network, clusterName, clusterSecurityGroupId: "sg-0123456789abcdef0" };
const cluster = { clusterName, vpcId: network.vpcId, subnetIds: ["subnet-1", "subnet-2"], admins: [] };
const publicAccessCidrs = ["198.51.100.7/32"];
const policy = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:Get*", Resource: "*" }] };

const expires = inDays(7, new Date());

/** Each component: arguments that are fine, one key of its transform, and that key misspelt. */
const components: readonly [name: string, args: object, key: string, misspelt: string][] = [
  ["Vpc", {}, "flowLogGroup", "flowLogGroups"],
  ["NodeFirewall", firewall, "ingressRule", "ingressRules"],
  ["EksCluster", { ...cluster, publicAccessCidrs }, "accessEntry", "accessEntries"],
  ["ClusterAddons", { clusterName, kubernetesVersion, addons: {} }, "addon", "addons"],
  ["WorkloadIdentity", { clusterName, namespace: "a", serviceAccount: "b", policy }, "association", "asociation"],
  ["LoadBalancerController", { clusterName, vpcId: network.vpcId }, "release", "releases"],
  ["ClusterAutoscaler", { clusterName, kubernetesVersion }, "release", "realease"],
  ["ExternalDnsIdentity", { clusterName, hostedZoneIds: "all" }, "role", "rol"],
  ["SystemNodeGroup", { kubernetesVersion }, "launchTemplate", "launchtemplate"],
  ["GpuNodeGroup", { kubernetesVersion }, "nodeGroup", "nodegroup"],
  ["GpuOperator", { kubernetesVersion }, "namespace", "nameSpace"],
  ["Monitoring", {}, "release", "releese"],
  ["GpuAlerts", {}, "rule", "rules"],
  ["GpuDashboard", {}, "configMap", "configmap"],
  ["NodeMonitoringAgent", { clusterName, kubernetesVersion }, "addon", "addOn"],
  ["GpuProbe", {}, "pod", "pods"],
  ["GpuDeployment", {}, "deployment", "deploymnet"],
  ["NcclTest", {}, "script", "scripts"],
  ["FaultInjection", { expires }, "job", "jobs"],
  ["SocketWatch", {}, "daemonSet", "deamonSet"],
  ["SocketMount", { expires }, "pod", "pods"],
  ["GpuEnvironment", { publicAccessCidrs }, "gpuNodes", "gpuNode"],
];

function found(name: string, args: object, at?: string): Problem[] {
  const problems = library[`${name.charAt(0).toLowerCase()}${name.slice(1)}Problems` as keyof typeof library] as Check;
  return problems(args, at);
}

test("every component is here", () => {
  const classes = readdirSync("components", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [
      ...readFileSync(`components/${file}`, "utf8").matchAll(/^export class (\w+) .*ComponentResource/gm),
    ]);
  expect(components.map(([name]) => name).sort()).toEqual(classes.map(([, name]) => name).sort());
});

describe.for(components)("%s", ([name, args, key, misspelt]) => {
  const told = (transform: unknown) =>
    found(name, { ...args, transform }).map(({ path, code, got, fix }) => [path, code, got, fix]);
  const whole = "set the keys of transform";

  test("an argument that there is not is told, and so are tags that are no texts", () => {
    const pathsOf = (more: object) => found(name, { ...args, ...more }).map(({ path }) => path);
    // The arguments of a node group are checked where it is made; this check is of the settings that sections share.
    const whereMade = name.endsWith("NodeGroup");
    expect(pathsOf({ tagz: {} })).toEqual(whereMade ? [] : ["tagz"]);
    expect(pathsOf({ tags: { a: 1 } })).toEqual(whereMade ? [] : [expect.stringMatching(/^tags(\.a)?$/)]);
  });

  test("an object, a function, or nothing is fine", () => {
    for (const value of [{}, undefined, ...(name === "GpuEnvironment" ? [] : [() => undefined])]) {
      expect(told({ [key]: value })).toEqual([]);
    }
    expect([told({}), told(undefined)]).toEqual([[], []]);
  });

  test("a misspelt key is told the one that was meant, and not what it holds", () => {
    expect(told({ [misspelt]: { password: "hunter2" } })).toEqual([
      [`transform.${misspelt}`, "unknown-key", "an object", `did you mean transform.${key}?`],
    ]);
  });

  test.for([
    [5, 5],
    ["tags", "tags"],
    [["hunter2"], "a list"],
    [null, null],
    [true, true],
  ])("%j adjusts nothing", ([value, shown]) => {
    expect(told({ [key]: value }).map(([path, code, got]) => [path, code, got])).toEqual([
      [`transform.${key}`, "wrong-type", shown],
    ]);
    expect(told(value)).toEqual([["transform", "wrong-type", shown, whole]]);
  });

  test("a function, or a value known later, is no transform", () => {
    expect(told(() => undefined)).toEqual([["transform", "wrong-type", "a function", whole]]);
    for (const [transform, path] of [
      [pulumi.output({}), "transform"],
      [{ [key]: pulumi.output({}) }, `transform.${key}`],
    ] as const) {
      expect(told(transform)).toEqual([[path, "wrong-type", "an Output", `set ${path} to a plain value`]]);
    }
  });
});

test("what adjusts nothing says what would", () => {
  const [problem] = found("GpuNodeGroup", { transform: { nodeGroup: 5 } }, "gpu");
  expect(`${problem?.path}: ${problem?.why} -> ${problem?.fix}`).toBe(
    'gpu.transform.nodeGroup: It must be an object, which is laid over the resource\'s arguments, or a function that changes them. -> set gpu.transform.nodeGroup to an object such as { tags: { Team: "research" } }, or to a function (args, opts) => { … }',
  );
});
