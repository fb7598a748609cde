import { describe, expect, test } from "vitest";
import { experimentToggleLeftOn as rule } from "../../../../policies/rules/experiments/experiment-toggle-left-on";
import { findings, resource, unknown, urnOf, verdicts } from "../../support/verdicts";

const firewallType = "eks-gpu-lab:index:NodeFirewall";
const operatorType = "eks-gpu-lab:index:GpuOperator";
const groupType = "aws:ec2/securityGroup:SecurityGroup";
const templateType = "aws:ec2/launchTemplate:LaunchTemplate";
const ingressType = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule";
const olderType = "aws:ec2/securityGroupRule:SecurityGroupRule";

describe("components", () => {
  const both = { nodeToNode: "blocked", vpcWide: "blocked" };
  test.for([
    ["open", firewallType, { nccl: "open", nodeToNode: "open", vpcWide: "open" }, []],
    ["nothing said", firewallType, { clusterName: "myeks" }, []],
    ["one way closed, which stops no NCCL", firewallType, { nccl: "open", nodeToNode: "blocked" }, []],
    ["NCCL blocked", firewallType, { nccl: "blocked", ...both }, ["fail nccl"]],
    ["NCCL blocked, as a program says it", firewallType, { nccl: "blocked" }, ["fail nccl"]],
    ["NCCL blocked but for one way", firewallType, { nccl: "blocked", vpcWide: "open" }, []],
    ["both ways closed", firewallType, both, ["fail nccl"]],
    ["unknown", firewallType, { nccl: unknown }, ["unknown nccl"]],
    ["unknown way, the other one closed", firewallType, { ...both, nodeToNode: unknown }, ["unknown nodeToNode"]],
    ["the other way unknown", firewallType, { ...both, vpcWide: unknown }, ["unknown vpcWide"]],
    ["unknown way, the other one open", firewallType, { nodeToNode: unknown, vpcWide: "open" }, []],
    ["a device plugin that is off is another rule's", operatorType, { devicePlugin: false }, []],
  ] as const)("%s: %s", ([, type, properties, expected]) => {
    expect(verdicts(rule, [resource(type, properties)], { stack: "prod" })).toEqual(expected);
    expect(verdicts(rule, [resource(type, properties)], { stack: "gpu-lab" })).toEqual([]);
  });

  test("lab stacks are named by configuration", () => {
    const blocked = [resource(firewallType, { nccl: "blocked" })];
    const said = (config: object) => verdicts(rule, blocked, { stack: "prod", policyConfig: { [rule.id]: config } });
    expect(said({ labStacks: ["prod"] })).toEqual([]);
    expect(said({ labStacks: [] })).toEqual(["fail nccl"]);
    expect(said({ exempt: ["it"] })).toEqual([]);
  });

  test("a name that begins with gpu makes no lab", () => {
    const blocked = [resource(firewallType, { nccl: "blocked" })];
    for (const stack of ["gpu-prod", "gpu-inference", "gpu"]) {
      expect(verdicts(rule, blocked, { stack })).toEqual(["fail nccl"]);
    }
    for (const stack of ["gpu-lab", "gpu-rollout", "lab-1"]) expect(verdicts(rule, blocked, { stack })).toEqual([]);
  });
});

describe("a fault in the configuration", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const said = (stack: string, config: Record<string, string>, policyConfig = {}) =>
    verdicts(rule, [], { stack, config, now, policyConfig });
  const fault = "eks-gpu-lab:fault";
  const expires = "eks-gpu-lab:expires";

  test.for([
    ["off", { [fault]: "off" }, []],
    ["nothing said", {}, []],
    ["another word", { [fault]: "maybe" }, []],
    ["an end alone", { [expires]: "2020-01-01" }, []],
    ["ends today", { [fault]: "on", [expires]: "2026-11-21" }, []],
    ["ends in an hour", { [fault]: "on", [expires]: "2026-11-21T13:00:00Z" }, []],
    ["ends in an hour elsewhere", { [fault]: "on", [expires]: "2026-11-21T22:00:00+09:00" }, []],
    ["ends in 14 days", { [fault]: "on", [expires]: "2026-12-05" }, []],
    ["ends in 14 days to the minute", { [fault]: "on", [expires]: "2026-12-05T12:00Z" }, []],
    ["ends a minute later", { [fault]: "on", [expires]: "2026-12-05T12:01Z" }, [`fail ${expires}`]],
    ["ends in 15 days", { [fault]: "on", [expires]: "2026-12-06" }, [`fail ${expires}`]],
    ["ended yesterday", { [fault]: "on", [expires]: "2026-11-20" }, [`fail ${expires}`]],
    ["ended an hour ago", { [fault]: "on", [expires]: "2026-11-21T11:00:00Z" }, [`fail ${expires}`]],
    ["no end", { [fault]: "on" }, [`fail ${expires}`]],
    ["no day", { [fault]: "on", [expires]: "next week" }, [`fail ${expires}`]],
    ["no such day", { [fault]: "on", [expires]: "2026-11-31" }, [`fail ${expires}`]],
    ["a number", { [fault]: "on", [expires]: "1795000000" }, [`fail ${expires}`]],
    ["an object", { [fault]: "on", [expires]: "{}" }, [`fail ${expires}`]],
    ["on as true", { [fault]: "true" }, [`fail ${expires}`]],
  ] as const)("in a lab: %s", ([, config, expected]) => {
    expect(said("nccl-block", config)).toEqual(expected);
  });

  test("outside a lab no end excuses it", () => {
    expect(said("prod", { [fault]: "on", [expires]: "2026-11-22" })).toEqual([`fail ${fault}`]);
    expect(said("prod", { [fault]: "off" })).toEqual([]);
  });

  test("parameters", () => {
    const policyConfig = { [rule.id]: { faultKey: "x:f", expiresKey: "x:e", maxDays: 1 } };
    expect(said("my-lab", { "x:f": "on", "x:e": "2026-11-22" }, policyConfig)).toEqual([]);
    expect(said("my-lab", { "x:f": "on", "x:e": "2026-11-25" }, policyConfig)).toEqual(["fail x:e"]);
  });

  test("messages", () => {
    const message = (stack: string, config: Record<string, string>) =>
      findings(rule, [], { stack, config, now }).map((finding) => finding.message)[0];
    expect(message("prod", { [fault]: "on" })).toMatchInlineSnapshot(`
      "eks-gpu-lab:fault: got on. Faults can be injected only in lab stacks; elsewhere they would look like an outage.
      fix: pulumi config set eks-gpu-lab:fault off, or add this stack to "labStacks" in the policy configuration"
    `);
    expect(message("my-lab", { [fault]: "on" })).toMatchInlineSnapshot(`
      "eks-gpu-lab:expires: got nothing. Without an end date, the fault can remain by mistake.
      fix: pulumi config set eks-gpu-lab:expires 2026-11-22, or another day within 14 days; or set eks-gpu-lab:fault to off"
    `);
    expect(message("my-lab", { [fault]: "on", [expires]: "2026-11-20" })).toMatchInlineSnapshot(`
      "eks-gpu-lab:expires: got 2026-11-20. The fault should have ended.
      fix: pulumi config set eks-gpu-lab:expires 2026-11-22, or another day within 14 days; or set eks-gpu-lab:fault to off"
    `);
    expect(message("my-lab", { [fault]: "on", [expires]: "2027-11-20" })).toMatchInlineSnapshot(`
      "eks-gpu-lab:expires: got 2027-11-20. The end date is more than 14 days from today.
      fix: pulumi config set eks-gpu-lab:expires 2026-11-22, or another day within 14 days; or set eks-gpu-lab:fault to off"
    `);
    const atNoon = { [fault]: "on", [expires]: "2026-11-21T12:00:00Z" };
    const reason = (text: string | undefined) => text?.split(". ")[1];
    expect(reason(message("my-lab", atNoon))).toBe(
      reason(message("my-lab", { [fault]: "on", [expires]: "2026-11-20" })),
    );
    const noDay = message("my-lab", { [fault]: "on", [expires]: "hunter2" });
    expect(noDay).not.toContain("hunter2");
    expect(noDay).toMatchInlineSnapshot(`
      "eks-gpu-lab:expires: got a value that is not a date such as 2026-12-01. Without an end date, the fault can remain by mistake.
      fix: pulumi config set eks-gpu-lab:expires 2026-11-22, or another day within 14 days; or set eks-gpu-lab:fault to off"
    `);
  });
});

describe("an object with the annotation of a fault, from any program", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  const jobType = "kubernetes:batch/v1:Job";
  const podType = "kubernetes:core/v1:Pod";
  const fault = 'metadata.annotations["eks-gpu-lab/fault"]';
  const expires = 'metadata.annotations["eks-gpu-lab/expires"]';
  const annotated = (end: unknown, word: unknown = "on") => ({
    metadata: { annotations: { "eks-gpu-lab/fault": word, "eks-gpu-lab/expires": end } },
  });
  const fails = { prod: [`fail ${fault}`] };

  test.for([
    ["ends in time", annotated("2026-11-28"), { ...fails, lab: [] }],
    ["ended", annotated("2026-11-20"), { ...fails, lab: [`fail ${expires}`] }],
    ["ends far away", annotated("2026-12-06"), { ...fails, lab: [`fail ${expires}`] }],
    ["without an end", annotated(undefined), { ...fails, lab: [`fail ${expires}`] }],
    ["with an end that is not known", annotated(unknown), { ...fails, lab: [`unknown ${expires}`] }],
    ["off", annotated(undefined, "off"), { prod: [], lab: [] }],
    ["not known", annotated("2026-11-28", unknown), { prod: [`unknown ${fault}`], lab: [] }],
    ["unknown, no end", annotated(undefined, unknown), { prod: [`unknown ${fault}`], lab: [`unknown ${fault}`] }],
    ["no word", annotated(undefined, { on: true }), { prod: [], lab: [] }],
    ["no annotations", { metadata: { name: "it" } }, { prod: [], lab: [] }],
    ["others", { metadata: { annotations: { fault: "on" } } }, { prod: [], lab: [] }],
  ] as const)("%s", ([, properties, { prod, lab }]) => {
    for (const type of [jobType, podType]) {
      expect(verdicts(rule, [resource(type, properties)], { stack: "prod", now })).toEqual(prod);
      expect(verdicts(rule, [resource(type, properties)], { stack: "my-lab", now })).toEqual(lab);
    }
  });

  test("on a cluster that people share no lab excuses it, and the object is named", () => {
    const policyConfig = { [rule.id]: { labStacks: [] } };
    const said = findings(rule, [resource(jobType, annotated("2026-11-28"))], {
      stack: "node-health",
      now,
      policyConfig,
    });
    expect(said.map(({ name, message }) => [name, message])).toMatchInlineSnapshot(`
      [
        [
          "it",
          "metadata.annotations["eks-gpu-lab/fault"]: got on. Faults can be injected only in lab stacks; elsewhere they would look like an outage.
      fix: remove the object from the program, or add this stack to "labStacks" in the policy configuration",
        ],
      ]
    `);
  });
});

describe("security groups that a program writes itself", () => {
  const nodesUrn = urnOf(groupType, "nodes");
  const templateUrn = urnOf(templateType, "gpu");
  const nodes = (properties: Record<string, unknown> = {}, more = {}) =>
    resource(groupType, properties, { name: "nodes", ...more });
  const template = (vpcSecurityGroupIds: unknown = [unknown], more: readonly string[] = [nodesUrn]) =>
    resource(
      templateType,
      { vpcSecurityGroupIds },
      { name: "gpu", propertyDependencies: { vpcSecurityGroupIds: more } },
    );
  const gpus = (properties: Record<string, unknown> = { instanceTypes: ["g5.xlarge"] }) =>
    resource("aws:eks/nodeGroup:NodeGroup", properties, {
      name: "gpu",
      propertyDependencies: { launchTemplate: [templateUrn] },
    });
  const ruleOf = (type: string, properties: Record<string, unknown>, peer?: string) =>
    resource(
      type,
      { securityGroupId: unknown, ...properties },
      {
        name: "rule",
        propertyDependencies: {
          securityGroupId: [nodesUrn],
          ...(peer && { referencedSecurityGroupId: [peer], sourceSecurityGroupId: [peer] }),
        },
      },
    );
  const onOther = (securityGroupId: readonly string[]) =>
    resource(
      ingressType,
      { securityGroupId: unknown, ipProtocol: "-1", cidrIpv4: "192.168.0.0/16" },
      { name: "rule", propertyDependencies: { securityGroupId } },
    );
  const ofMachines = (instanceType: string) => {
    const made = template();
    return { ...made, properties: { ...made.properties, instanceType } };
  };
  const wide = { fromPort: 1025, toPort: 65535 };
  const base = [template(), gpus()];
  const fails = ["fail ingress"];

  test.for([
    ["no rule", [...base, nodes()], fails],
    ["open to itself inside", [...base, nodes({ ingress: [{ protocol: "tcp", ...wide, self: true }] })], []],
    [
      "everything from the VPC inside",
      [...base, nodes({ ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["192.168.0.0/16"] }] })],
      [],
    ],
    ["one port", [...base, nodes({ ingress: [{ protocol: "tcp", fromPort: 443, toPort: 443, self: true }] })], fails],
    ["UDP inside", [...base, nodes({ ingress: [{ protocol: "udp", ...wide, self: true }] })], fails],
    ["open to itself", [...base, nodes(), ruleOf(ingressType, { ipProtocol: "tcp", ...wide }, nodesUrn)], []],
    ["open to the VPC", [...base, nodes(), ruleOf(ingressType, { ipProtocol: "-1", cidrIpv4: "192.168.0.0/16" })], []],
    [
      "open to another",
      [...base, nodes(), ruleOf(ingressType, { ipProtocol: "-1" }, urnOf(groupType, "other"))],
      fails,
    ],
    ["the older kind", [...base, nodes(), ruleOf(olderType, { type: "ingress", protocol: "-1", self: true })], []],
    [
      "the older kind, by its id",
      [...base, nodes(), ruleOf(olderType, { type: "ingress", protocol: "tcp", ...wide }, nodesUrn)],
      [],
    ],
    [
      "the older kind, on the way out",
      [...base, nodes(), ruleOf(olderType, { type: "egress", protocol: "-1", self: true })],
      fails,
    ],
    ...(["ipv6CidrBlocks", "prefixListIds", "securityGroups", "cidrBlocks"] as const).flatMap(
      (key) =>
        [
          [`open inside to ${key}`, [...base, nodes({ ingress: [{ protocol: "all", [key]: ["x"] }] })], []],
          [`open inside to no ${key}`, [...base, nodes({ ingress: [{ protocol: "all", [key]: [] }] })], fails],
        ] as const,
    ),
    ...(["cidrIpv4", "cidrIpv6", "prefixListId"] as const).map(
      (key) =>
        [`open to ${key}`, [...base, nodes(), ruleOf(ingressType, { ipProtocol: "all", [key]: "x" })], []] as const,
    ),
    ...(["-1", -1, "all"] as const).map(
      (protocol) =>
        [`every protocol as ${protocol}`, [...base, nodes({ ingress: [{ protocol, self: true }] })], []] as const,
    ),
    ...(["tcp", "6", 6] as const).map(
      (protocol) =>
        [`TCP as ${protocol}`, [...base, nodes({ ingress: [{ protocol, ...wide, self: true }] })], []] as const,
    ),
    ...(["udp", "17", 17, 1, "", null] as const).map(
      (protocol) =>
        [`not TCP: ${protocol}`, [...base, nodes({ ingress: [{ protocol, ...wide, self: true }] })], fails] as const,
    ),
    ...(
      [
        [32768, 60999, []],
        [32769, 60999, fails],
        [32768, 60998, fails],
      ] as const
    ).map(
      ([fromPort, toPort, expected]) =>
        [
          `ports ${fromPort} to ${toPort}`,
          [...base, nodes({ ingress: [{ protocol: "tcp", fromPort, toPort, self: true }] })],
          expected,
        ] as const,
    ),
    ["the older kind, no source", [...base, nodes(), ruleOf(olderType, { type: "ingress", protocol: "-1" })], fails],
    ["a rule on another group", [...base, nodes(), onOther([urnOf(groupType, "other")])], fails],
    ["a rule on a group by its id as text", [...base, nodes(), onOther([])], fails],
    ["a list of groups that is unknown", [template(unknown), gpus(), nodes()], []],
    ["a launch template without groups", [template(null, []), gpus(), nodes()], []],
    ["machines that the launch template names", [ofMachines("g5.xlarge"), gpus({}), nodes()], fails],
    ["machines without GPUs that it names", [ofMachines("t3.medium"), gpus({}), nodes()], []],
    ["unknown rules", [...base, nodes({ ingress: unknown })], ["unknown ingress"]],
    [
      "unknown port",
      [...base, nodes(), ruleOf(ingressType, { ipProtocol: "tcp", fromPort: unknown, toPort: 65535 }, nodesUrn)],
      ["unknown fromPort"],
    ],
    ["no GPUs", [template(), gpus({ instanceTypes: ["t3.medium"] }), nodes()], []],
    ["unknown machines", [template(), gpus({ instanceTypes: unknown }), nodes()], ["unknown instanceTypes"]],
    ["a group from elsewhere", [template([unknown, "sg-0"]), gpus(), nodes()], []],
    ["the cluster's group", [template(undefined, []), gpus(), nodes()], []],
    ["no launch template", [gpus(), nodes()], []],
  ] as const)("%s", ([, resources, expected]) => {
    expect(verdicts(rule, resources, { stack: "prod" })).toEqual(expected);
    expect(verdicts(rule, resources, { stack: "my-lab" })).toEqual([]);
  });

  test("those of the component are judged by its arguments", () => {
    const urn = urnOf(`${firewallType}$${groupType}`, "nodes");
    const resources = [
      template([unknown], [urn]),
      gpus(),
      nodes({}, { urn }),
      resource(firewallType, { nccl: "blocked" }),
    ];
    expect(verdicts(rule, resources, { stack: "prod" })).toEqual(["fail nccl"]);
  });

  test("one of them is the component's: what passes is its matter", () => {
    const made = nodes({}, { urn: urnOf(`${firewallType}$${groupType}`, "made") });
    const resources = [template([unknown, unknown], [nodesUrn, made.urn]), gpus(), nodes(), made];
    expect(verdicts(rule, resources, { stack: "prod" })).toEqual([]);
    const both = [template([unknown, unknown], [made.urn, nodesUrn]), gpus(), nodes(), made];
    expect(verdicts(rule, both, { stack: "prod" })).toEqual([]);
  });

  test("messages", () => {
    const blocked = resource(firewallType, { nccl: "blocked" });
    const messages = findings(rule, [...base, nodes(), blocked], { stack: "prod" }).map(({ message }) => message);
    expect(messages).toMatchInlineSnapshot(`
      [
        "nccl: got blocked. Nodes cannot reach each other's NCCL ports. A training job on two nodes hangs until its timeout, while every node stays Ready.
      fix: set nccl to open",
        "ingress: got no rule that allows TCP between the nodes. Nodes cannot reach each other's NCCL ports. A training job on two nodes hangs until its timeout, while every node stays Ready.
      fix: add an ingress rule for TCP 1025 to 65535 whose source is the group itself",
      ]
    `);
  });

  test("a secret is not printed", () => {
    const secret = { description: "hunter2", ingress: [{ protocol: "hunter2", description: "hunter2" }] };
    const said = findings(rule, [...base, nodes(secret)], { stack: "prod" });
    expect(said).toHaveLength(1);
    expect(JSON.stringify(said)).not.toContain("hunter2");
  });
});
