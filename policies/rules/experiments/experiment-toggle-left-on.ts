import { expiresAnnotation, faultAnnotation, longestFaultDays } from "../../../components/core/faults";
import { all, any, equals, not, type Reader, type Reading, type Truth } from "../../engine/values";
import { matchesAny } from "../../engine/glob";
import { count, text, texts, type ValuesOf } from "../../engine/parameters";
import type { Resource, Stack, Surroundings } from "../../engine/resource";
import { failAt, on, onEach, stackRule, type Check } from "../../engine/rule";
import { expiresKey, expiry, faultKey } from "../../facts/lab-faults";
import { launchTemplate } from "../../facts/launch-templates";
import { ingressRule, securityGroup, securityGroupRule } from "../../facts/network";
import { isGpuGroup } from "../../facts/node-groups";
import { nodeGroup } from "../../facts/node-sources";
import { barePod, job } from "../../facts/pods";
import { labStackNames } from "../../../components/core/faults";

const nodeFirewall = "eks-gpu-lab:index:NodeFirewall";

const parameters = {
  labStacks: texts(labStackNames, "Names of stacks for experiments. `*` matches any text, `?` one character."),
  faultKey: text(faultKey, "Key of the stack configuration that injects the fault of a lab."),
  expiresKey: text(expiresKey, "Key of the stack configuration with the day on which the fault ends."),
  maxDays: count(longestFaultDays, 1, "Longest duration of a fault from today, in days."),
};

/**
 * Experiments are allowed only in lab stacks. There a fault needs an end, in the configuration or in the annotations of
 * the pod or Job that injects it, as FaultInjection and SocketMount set them. NCCL may stay blocked in a lab stack: the
 * stack gpu-lab has a toggle for it without an end, and the lab nccl-block requires an end itself. The rule
 * device-plugin-enabled checks a device plugin that is off.
 * @see https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
 */
export const experimentToggleLeftOn = stackRule({
  id: "experiment-toggle-left-on",
  title: "Experiments run only in lab stacks, and their faults have an end.",
  severity: "high",
  incident: "a block of NCCL traffic stayed after an experiment, and the next training job hung until its timeout",
  types: [nodeFirewall, nodeGroup, launchTemplate, securityGroup, securityGroupRule, ingressRule, barePod, job],
  parameters,
  *judge(stack, given, surroundings) {
    const isLab = matchesAny(surroundings.stack, given.labStacks);
    yield* ofConfiguration(given, surroundings, isLab);
    yield* onEach(stack.ofType(barePod, job), (object) => ofObject(object, given, surroundings, isLab));
    if (isLab) return;
    yield* onEach(stack.ofType(nodeFirewall), (firewall) => [ofFirewall(firewall)]);
    for (const group of stack.ofType(nodeGroup)) yield* ofSecurityGroups(group, stack);
  },
});

type Given = ValuesOf<typeof parameters>;

/** The fault in the configuration of the stack. */
function ofConfiguration(given: Given, { config, now }: Surroundings, isLab: boolean): Iterable<Check> {
  const { faultKey, expiresKey } = given;
  const fault = config.at([faultKey]).choice(undefined, ["on", "true"]);
  const expires = config.at([expiresKey]).text();
  const end = (day: string) => `pulumi config set ${expiresKey} ${day}`;
  const fixes = { off: `pulumi config set ${faultKey} off`, end, or: `set ${faultKey} to off` };
  return ofFault({ fault, expires, at: faultKey, endsAt: expiresKey, fixes }, { ...given, now, isLab });
}

/** An object that injects a fault. */
function ofObject(object: Resource, given: Given, { now }: Surroundings, isLab: boolean): Iterable<Check> {
  const fault = object.choice(["metadata", "annotations", faultAnnotation], ["on"]);
  const expires = object.text(["metadata", "annotations", expiresAnnotation]);
  const [at, endsAt] = [fault.path, expires.path];
  const off = "remove the object from the program";
  const fixes = { off, end: (day: string) => `set ${endsAt} to ${day}`, or: off };
  return ofFault({ fault, expires, at, endsAt, fixes }, { ...given, now, isLab });
}

interface Injection {
  readonly fault: Reading<string>;
  readonly expires: Reading<string>;
  /** The path that turns the fault on, and the path of its end. */
  readonly at: string;
  readonly endsAt: string;
  /** How to remove the fault, how to set its end, and how to remove it instead. */
  readonly fixes: { readonly off: string; readonly end: (day: string) => string; readonly or: string };
}

function* ofFault(
  { fault, expires, at, endsAt, fixes }: Injection,
  { maxDays, now, isLab }: Given & Pick<Surroundings, "now"> & { readonly isLab: boolean },
): Iterable<Check> {
  const isOn = fault.is(() => true);
  yield failAt({ path: at }, all(isOn, !isLab), {
    got: "on",
    why: "Faults can be injected only in lab stacks; elsewhere they would look like an outage.",
    fix: `${fixes.off}, or add this stack to "labStacks" in the policy configuration`,
  });
  const { isValid, got, why, example } = expiry(expires, now, maxDays);
  yield failAt({ path: endsAt }, all(isOn, isLab, not(isValid)), {
    got,
    why,
    fix: `${fixes.end(example)}, or another day within ${maxDays} days; or ${fixes.or}`,
  });
}

/** NCCL over sockets is blocked only if both ways are. */
function ofFirewall(firewall: Resource): Check {
  const nccl = firewall.choice("nccl", ["open", "blocked"]);
  const mode = (key: string) => {
    const own = firewall.choice(key, ["open", "blocked"]);
    return equals(own.isAbsent === true ? nccl : own, "blocked");
  };
  return failAt(nccl, all(mode("nodeToNode"), mode("vpcWide")), {
    got: "blocked",
    why: whyBlocked,
    fix: `set ${nccl.path} to open`,
  });
}

const whyBlocked =
  "Nodes cannot reach each other's NCCL ports. A training job on two nodes hangs until its timeout, while every node stays Ready.";

/**
 * Checks a node group whose security groups are all in the stack. The rules of another group are unknown, such as those
 * of the cluster's own group, which allows traffic between its members. The arguments of the component describe its own
 * group.
 */
function* ofSecurityGroups(group: Resource, stack: Stack): Iterable<Check> {
  const [template] = stack.behind(group, "launchTemplate", launchTemplate);
  const ids = template?.list("vpcSecurityGroupIds").value ?? [];
  const securityGroups = template ? stack.behind(template, "vpcSecurityGroupIds", securityGroup) : [];
  const [first] = securityGroups;
  if (!first || securityGroups.length !== ids.length) return;
  if (securityGroups.some((one) => one.isInside(nodeFirewall))) return;
  const check = failAt({ path: "ingress" }, all(isGpuGroup(group, stack), not(allowsNccl(securityGroups, stack))), {
    got: "no rule that allows TCP between the nodes",
    why: whyBlocked,
    fix: "add an ingress rule for TCP 1025 to 65535 whose source is the group itself",
  });
  yield* on(first, [check]);
}

/** Whether nodes with these security groups can reach the ports that NCCL opens on each other. */
function allowsNccl(groups: readonly Resource[], stack: Stack): Truth {
  const urns = groups.map(({ urn }) => urn);
  return any(
    ...groups.map((group) => inlineRulesAllow(group)),
    ...separateRules(urns, stack).map((rule) => ruleAllows(rule, urns)),
  );
}

function separateRules(urns: readonly string[], stack: Stack): Resource[] {
  const rules = stack.ofType(ingressRule, securityGroupRule);
  return rules.filter((rule) => rule.dependenciesOf("securityGroupId").some((urn) => urns.includes(urn)));
}

/** Inline rules of the group. */
function inlineRulesAllow(group: Resource): Truth {
  const allows = (rule: Reader) => all(coversPorts(rule, "protocol"), comesFromNodes(rule));
  return group.list("ingress").is((rules) => any(...rules.map(allows)));
}

function comesFromNodes(rule: Reader): Truth {
  const lists = ["cidrBlocks", "ipv6CidrBlocks", "prefixListIds", "securityGroups"].map((name) => rule.list(name));
  return any(equals(rule.boolean("self"), true), ...lists.map((list) => list.is(({ length }) => length > 0)));
}

function ruleAllows(rule: Resource, urns: readonly string[]): Truth {
  if (rule.type === securityGroupRule) {
    const isIngress = equals(rule.text("type"), "ingress");
    const isOfNodes = rule.dependenciesOf("sourceSecurityGroupId").some((urn) => urns.includes(urn));
    return all(isIngress, coversPorts(rule, "protocol"), any(isOfNodes, comesFromNodes(rule)));
  }
  const isOfNodes = rule.dependenciesOf("referencedSecurityGroupId").some((urn) => urns.includes(urn));
  const blocks = ["cidrIpv4", "cidrIpv6", "prefixListId"].map((name) => rule.text(name).is(() => true));
  return all(coversPorts(rule, "ipProtocol"), any(isOfNodes, ...blocks));
}

/** The ephemeral ports of Linux, which NCCL listens on. */
const [firstPort, lastPort] = [32768, 60999];

function coversPorts(rule: Reader, protocolKey: string): Truth {
  const protocol = rule.at(protocolKey);
  const is = (name: string, number: number) => any(equals(protocol.text(), name), equals(protocol.integer(), number));
  const includesFirst = rule.integer("fromPort").is((port) => port <= firstPort);
  const includesLast = rule.integer("toPort").is((port) => port >= lastPort);
  return any(is("all", -1), all(is("tcp", 6), includesFirst, includesLast));
}
