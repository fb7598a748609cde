import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { gpuEnvironmentProblems } from "../../../components/environment/gpu-environment-rules";

const required = { publicAccessCidrs: ["198.51.100.7/32"], admins: [] };
const found = (args: object) => gpuEnvironmentProblems({ ...required, ...args });
const told = (args: object) => found(args).map(({ path, code, fix }) => `${path} (${code}) -> ${fix}`);
const plainly = "It must be known when the program starts, so that it can be checked.";

test.for([
  [{ gpuNode: {} }, ["gpuNode (unknown-key) -> did you mean gpuNodes?"]],
  [{ vpcId: "vpc-1" }, ["vpcId (unknown-key) -> choose among"]],
  [{ transfrom: {} }, ["transfrom (unknown-key) -> did you mean transform?"]],
  [{ network: { natGateway: "none" } }, ["network.natGateway (unknown-key) -> did you mean network.natGateways?"]],
  [{ network: { nameTag: "x" } }, ["network.nameTag (unknown-key) -> choose among cidr"]],
  [{ network: { tags: {} } }, ["network.tags (unknown-key) -> choose among cidr"]],
  [{ systemNodes: { taints: [] } }, ["systemNodes.taints (unknown-key) -> choose among instanceType"]],
  [{ systemNodes: { physicalName: "x" } }, ["systemNodes.physicalName (unknown-key) -> choose among"]],
  [{ gpuNodes: { maxsize: 3 } }, ["gpuNodes.maxsize (unknown-key) -> did you mean gpuNodes.maxSize?"]],
  [{ gpuNodes: { repair: {} } }, ["gpuNodes.repair (unknown-key) -> choose among"]],
  [{ gpuOperator: { enable: true } }, ["gpuOperator.enable (unknown-key) -> did you mean gpuOperator.enabled?"]],
  [{ gpuOperator: { health: "off" } }, ["gpuOperator.health (unknown-key) -> choose among enabled"]],
  [{ gpuOperator: { taints: 1 } }, ["gpuOperator.taints (unknown-key) -> choose among enabled"]],
  [{ gpuHealth: { engin: "off" } }, ["gpuHealth.engin (unknown-key) -> did you mean gpuHealth.engine?"]],
  [{ credentials: { proflie: "x" } }, ["credentials.proflie (unknown-key) -> did you mean credentials.profile?"]],
  [{ tags: { "aws:x": "y" } }, ["tags.aws:x (not-allowed) -> choose another key"]],
] as [object, string[]][])("%j is told once", ([args, expected]) => {
  const lines = told(args);
  expect(lines).toHaveLength(expected.length);
  for (const [index, line] of lines.entries()) expect(line).toContain(expected[index]);
});

test.for([
  [{ gpuHealth: { repair: pulumi.output({ maxParallel: 1 }) } }, "gpuHealth.repair"],
  [{ gpuNodes: pulumi.output({ maxSize: 1 }) }, "gpuNodes"],
  [{ gpuNodes: { maxSize: pulumi.output(1) } }, "gpuNodes.maxSize"],
  [{ gpuNodes: Promise.resolve({}) }, "gpuNodes"],
  [{ controllers: pulumi.output({}) }, "controllers"],
  [{ network: { existing: pulumi.output({}) } }, "network.existing"],
  [{ publicAccessCidrs: pulumi.output(["198.51.100.7/32"]) }, "publicAccessCidrs"],
  [{ tags: pulumi.output({}) }, "tags"],
] as [object, string][])("what comes too late is said once and clearly: %#", ([args, path]) => {
  expect(found(args).map((problem) => [problem.path, problem.why])).toEqual([[path, plainly]]);
});

test("a placement group may come later", () => {
  expect(found({ gpuNodes: { placementGroup: pulumi.output("group") } })).toEqual([]);
});

test.for([
  [{ key: "team", effect: "toString" }, ["gpuNodes.taints[0].effect"]],
  [{ key: "", effect: "NO_SCHEDULE" }, ["gpuNodes.taints[0].key"]],
  [{ key: "team", effect: ["NO_SCHEDULE"] }, ["gpuNodes.taints[0].effect"]],
] as [object, string[]][])("a wrong taint %j is told once, where it was given", ([taint, paths]) => {
  expect(found({ gpuNodes: { taints: [taint] } }).map(({ path }) => path)).toEqual(paths);
});

test("a section that is no object does not hide what is wrong with the others", () => {
  const args = { network: [], gpuNodes: { maxSize: 0 }, nccl: "closed", colour: 1, tags: { "aws:x": "y" } };
  expect(found(args).map(({ path }) => path)).toEqual(["colour", "network", "tags.aws:x", "gpuNodes.maxSize", "nccl"]);
});

test.for(["clusterName", "kubernetesVersion", "nccl"])("%s without a value is refused", (key) => {
  expect(found({ [key]: null }).map(({ path }) => path)).toContain(key);
});
