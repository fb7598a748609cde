import { expect, test } from "vitest";
import { securityGroupPublicIngress as rule } from "../../../../policies/rules/network/security-group-public-ingress";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

const group = "aws:ec2/securityGroup:SecurityGroup";
const byDefault = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup";
const older = "aws:ec2/securityGroupRule:SecurityGroupRule";
const ingress = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const inside = { cidrBlocks: ["192.168.0.0/16"], protocol: "tcp", fromPort: 443, toPort: 443 };

test.for([
  ["the VPC", ingress, { cidrIpv4: "192.168.0.0/16" }, []],
  ["a group", ingress, { referencedSecurityGroupId: "sg-0" }, []],
  ["a large organisation", ingress, { cidrIpv4: "9.0.0.0/8" }, []],
  ["a large organisation by IPv6", ingress, { cidrIpv6: "2000::/16" }, []],
  ["larger than any organization's block, IPv6", ingress, { cidrIpv6: "2000::/15" }, ["fail cidrIpv6"]],
  ["a fifth of the internet by IPv6", ingress, { cidrIpv6: "2000::/3" }, ["fail cidrIpv6"]],
  ["private by IPv6", ingress, { cidrIpv6: "fd00::/8" }, []],
  ["all private addresses by IPv6", ingress, { cidrIpv6: "FC00::/7" }, []],
  ["link-local by IPv6", ingress, { cidrIpv6: "fe80::/10" }, []],
  ["private and others by IPv6", ingress, { cidrIpv6: "fc00::/6" }, ["fail cidrIpv6"]],
  ["multicast and others by IPv6", ingress, { cidrIpv6: "fe80::/9" }, ["fail cidrIpv6"]],
  ["a short first group by IPv6", ingress, { cidrIpv6: "fd::/8" }, ["fail cidrIpv6"]],
  ["what begins like no block", ingress, { cidrIpv4: "x0.0.0.0/0" }, []],
  ["what ends like no block", ingress, { cidrIpv4: "0.0.0.0/0 " }, []],
  ["no block", ingress, { cidrIpv4: "everybody" }, []],
  ["the internet", ingress, { cidrIpv4: "0.0.0.0/0" }, ["fail cidrIpv4"]],
  ["the internet by IPv6", ingress, { cidrIpv6: "::/0" }, ["fail cidrIpv6"]],
  ["half of the internet", ingress, { cidrIpv4: "128.0.0.0/1" }, ["fail cidrIpv4"]],
  ["larger than any organization's block", ingress, { cidrIpv4: "8.0.0.0/7" }, ["fail cidrIpv4"]],
  ["unknown block", ingress, { cidrIpv4: unknown }, ["unknown cidrIpv4"]],
  ["unknown block by IPv6", ingress, { cidrIpv6: unknown }, ["unknown cidrIpv6"]],
  ["unknown block with the internet", ingress, { cidrIpv4: unknown, cidrIpv6: "::/0" }, ["fail cidrIpv6"]],
  ["older: the VPC", older, { type: "ingress", ...inside }, []],
  ["older: out to the internet", older, { type: "egress", cidrBlocks: ["0.0.0.0/0"] }, []],
  ["older: the internet", older, { type: "ingress", cidrBlocks: ["192.168.0.0/16", "0.0.0.0/0"] }, ["fail cidrBlocks"]],
  ["older: the internet by IPv6", older, { type: "ingress", ipv6CidrBlocks: ["::/0"] }, ["fail ipv6CidrBlocks"]],
  ["older: unknown direction", older, { type: unknown, cidrBlocks: ["0.0.0.0/0"] }, ["unknown type"]],
  ["older: unknown blocks", older, { type: "ingress", cidrBlocks: unknown }, ["unknown cidrBlocks"]],
  ["older: unknown IPv6 blocks", older, { type: "ingress", ipv6CidrBlocks: [unknown] }, ["unknown ipv6CidrBlocks[0]"]],
  ["older: unknown blocks on the way out", older, { type: "egress", cidrBlocks: unknown }, []],
  ["within: the VPC", group, { ingress: [inside], egress: [{ cidrBlocks: ["0.0.0.0/0"] }] }, []],
  ["within: nothing", group, {}, []],
  [
    "within: the internet",
    group,
    { ingress: [inside, { ...inside, cidrBlocks: ["0.0.0.0/0"] }] },
    ["fail ingress[1].cidrBlocks"],
  ],
  ["within: all of IPv6", group, { ingress: [{ ipv6CidrBlocks: ["::/0"] }] }, ["fail ingress[0].ipv6CidrBlocks"]],
  ["within the default group", byDefault, { ingress: [{ cidrBlocks: ["0.0.0.0/0"] }] }, ["fail ingress[0].cidrBlocks"]],
  ["within: unknown rules", group, { ingress: unknown }, ["unknown ingress"]],
  ["within: an unknown block", group, { ingress: [{ cidrBlocks: [unknown] }] }, ["unknown ingress[0].cidrBlocks[0]"]],
  [
    "within: an unknown block by IPv6",
    group,
    { ingress: [{ ipv6CidrBlocks: [unknown] }] },
    ["unknown ingress[0].ipv6CidrBlocks[0]"],
  ],
  [
    "within: an unknown block with the internet",
    group,
    { ingress: [{ cidrBlocks: [unknown, "0.0.0.0/0"] }] },
    ["fail ingress[0].cidrBlocks"],
  ],
] as const)("%s: %s", ([, type, properties, expected]) => {
  expect(verdicts(rule, [resource(type, properties)])).toEqual(expected);
});

test("a rule of a name that is exempt is left alone", () => {
  const policyConfig = { [rule.id]: { exempt: ["web-*"] } };
  const open = { cidrIpv4: "0.0.0.0/0" };
  const rules = ["web-443", "ssh"].map((name) => resource(ingress, open, { name }));
  expect(findings(rule, rules, { policyConfig }).map(({ name }) => name)).toEqual(["ssh"]);
  expect(verdicts(rule, rules.slice(0, 1), { policyConfig })).toEqual([]);
});

test("a secret is not printed", () => {
  const said = findings(rule, [
    resource(group, { description: "hunter2", ingress: [{ cidrBlocks: ["hunter2/0", "0.0.0.0/1"] }] }),
  ]);
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("messages", () => {
  const message = (cidrIpv4: string) => findings(rule, [resource(ingress, { cidrIpv4 })])[0]?.message;
  expect(message("0.0.0.0/0")).toMatchInlineSnapshot(`
    "cidrIpv4: got 0.0.0.0/0. Everyone on the internet can reach the resources of the group.
    fix: list in cidrIpv4 the addresses that need access, or allow a security group; if it must be public, such as for a website, exempt it in the policy configuration: {"security-group-public-ingress": {"exempt": ["it"]}}"
  `);
  const got = (type: string, properties: Record<string, unknown>) =>
    findings(rule, [resource(type, properties)])[0]?.message.split(". ")[0];
  const mixed = { cidrBlocks: ["192.168.0.0/16", "128.0.0.0/1"] };
  expect([
    got(ingress, { cidrIpv6: "::/0" }),
    got(older, { type: "ingress", ...mixed }),
    got(older, { type: "ingress", ipv6CidrBlocks: ["::/0"] }),
    got(group, { ingress: [inside, mixed] }),
    got(group, { ingress: [{ ...inside, ipv6CidrBlocks: ["2000::/3", "::/0"] }] }),
  ]).toMatchInlineSnapshot(`
    [
      "cidrIpv6: got ::/0",
      "cidrBlocks: got a block of /1",
      "ipv6CidrBlocks: got ::/0",
      "ingress[1].cidrBlocks: got a block of /1",
      "ingress[0].ipv6CidrBlocks: got a block of /3",
    ]
  `);
  expect(message("0.0.0.0/1")?.split(". ")[0]).toMatchInlineSnapshot(`"cidrIpv4: got a block of /1"`);
});
