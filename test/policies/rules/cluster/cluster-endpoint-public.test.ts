import { expect, test } from "vitest";
import { clusterEndpointPublic as rule } from "../../../../policies/rules/cluster/cluster-endpoint-public";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const aws = "aws:eks/cluster:Cluster";
const eks = "eks:index:Cluster";
const component = "eks-gpu-lab:index:EksCluster";
const vpc = (publicAccessCidrs: unknown, endpointPublicAccess?: unknown) => ({
  vpcConfig: { publicAccessCidrs, ...(endpointPublicAccess !== undefined && { endpointPublicAccess }) },
});
const open = ["fail vpcConfig.publicAccessCidrs"];

test.for([
  ["one address", aws, vpc(["203.0.113.7/32"]), []],
  ["a large organisation", aws, vpc(["9.0.0.0/8"]), []],
  ["a private endpoint", aws, vpc(undefined, false), []],
  ["a private endpoint, as a text", aws, vpc(["0.0.0.0/0"], "false"), []],
  ["a block as a list", aws, { vpcConfig: [vpc(["203.0.113.7/32"]).vpcConfig] }, []],
  ["a list that is none", aws, vpc("203.0.113.7/32"), []],
  ["nothing said: everybody", aws, { version: "1.35" }, open],
  ["no list", aws, vpc(undefined, true), open],
  ["an empty list: everybody", aws, vpc([]), open],
  ["everybody", aws, vpc(["203.0.113.7/32", "0.0.0.0/0"]), open],
  ["everybody by IPv6", aws, vpc(["::/0"]), open],
  ["half of everybody", aws, vpc(["0.0.0.0/1", "128.0.0.0/1"]), open],
  ["larger than any organization's block", aws, vpc(["8.0.0.0/7"]), open],
  ["larger than any organization's block, IPv6", aws, vpc(["2000::/3"]), open],
  ["@pulumi/eks, one address", eks, { publicAccessCidrs: ["203.0.113.7/32"] }, []],
  ["@pulumi/eks, nothing said", eks, { version: "1.35" }, ["fail publicAccessCidrs"]],
  ["@pulumi/eks, private", eks, { endpointPublicAccess: false }, []],
  ["@pulumi/eks as the engine shows it", eks, {}, ["unknown publicAccessCidrs"]],
  ["the component", component, { publicAccessCidrs: ["203.0.113.7/32"] }, []],
  [
    "the component, everybody",
    component,
    { publicAccessCidrs: ["0.0.0.0/0"], endpointPublicAccess: false },
    ["fail publicAccessCidrs"],
  ],
  ["unknown list", aws, vpc(unknown), ["unknown vpcConfig.publicAccessCidrs"]],
  ["@pulumi/eks, unknown list", eks, { publicAccessCidrs: unknown }, ["unknown publicAccessCidrs"]],
  ["@pulumi/eks, unknown list, private", eks, { publicAccessCidrs: unknown, endpointPublicAccess: false }, []],
  ["the component, unknown list", component, { publicAccessCidrs: unknown }, ["unknown publicAccessCidrs"]],
  ["unknown address", aws, vpc([unknown]), ["unknown vpcConfig.publicAccessCidrs[0]"]],
  ["unknown address with everybody", aws, vpc([unknown, "0.0.0.0/0"]), open],
  ["unknown endpoint", aws, vpc(["0.0.0.0/0"], unknown), ["unknown vpcConfig.endpointPublicAccess"]],
  ["unknown endpoint, one address", aws, vpc(["203.0.113.7/32"], unknown), []],
  ["unknown block", aws, { vpcConfig: unknown }, ["unknown vpcConfig"]],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("the component is blamed, not the clusters that it makes", () => {
  const args = { publicAccessCidrs: ["0.0.0.0/0"] };
  const parent = resource(component, args, { name: "cluster" });
  const inner = resource(eks, args, { name: "cluster", parent: parent.urn });
  const made = resource(aws, { vpcConfig: args }, { name: "cluster", parent: inner.urn });
  expect(findings(rule, [parent, inner, made]).map(({ urn }) => urn)).toEqual([parent.urn]);
});

test("a cluster of a name that is exempt is left alone", () => {
  expect(verdicts(rule, [resource(aws, vpc([]))], { policyConfig: { [rule.id]: { exempt: ["it"] } } })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [resource(aws, vpc(["hunter2", "hunter2/0", "0.0.0.0/0"]))]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (cidrs: unknown) => findings(rule, [resource(aws, vpc(cidrs))])[0]?.message;
  expect(message(["0.0.0.0/0"])).toMatchInlineSnapshot(`
    "vpcConfig.publicAccessCidrs: got 0.0.0.0/0. Everyone on the internet can then try credentials and exploits against the Kubernetes API.
    fix: set vpcConfig.publicAccessCidrs to your own addresses, such as x.x.x.x/32: curl -s https://checkip.amazonaws.com prints yours"
  `);
  expect(message(["128.0.0.0/1"])?.split(". ")[0]).toMatchInlineSnapshot(
    `"vpcConfig.publicAccessCidrs: got a block of /1"`,
  );
  expect(message([])?.split(". ")[0]).toMatchInlineSnapshot(`"vpcConfig.publicAccessCidrs: got an empty list"`);
  expect(message(undefined)?.split(". ")[0]).toMatchInlineSnapshot(`"vpcConfig.publicAccessCidrs: got nothing"`);
});
