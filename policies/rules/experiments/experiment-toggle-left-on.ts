import { expiresAnnotation, faultAnnotation, labStackNames, longestFaultDays } from "../../../components/core/faults";
import { all, any, equals, not, type Reader, type Reading, type Truth } from "../../engine/values";
import { matchesAny } from "../../engine/glob";
import { count, text, texts, type ValuesOf } from "../../engine/parameters";
import type { Resource, Stack } from "../../engine/resource";
import { failAt, on, onEach, stackRule, type Check } from "../../engine/rule";
import { expiresKey, expiry, faultKey } from "../../facts/lab-faults";
import { launchTemplate } from "../../facts/launch-templates";
import { ingressRule, securityGroup, securityGroupRule } from "../../facts/network";
import { isGpuGroup } from "../../facts/node-groups";
import { nodeGroup } from "../../facts/node-sources";
import { barePod, job } from "../../facts/pods";

const nodeFirewall = "eks-gpu-lab:index:NodeFirewall";

const parameters = {
  labStacks: texts(labStackNames, "Names of stacks for experiments. `*` matches any text, `?` one character."),
  faultKey: text(faultKey, "Key in the stack configuration that injects the fault of a lab."),
  expiresKey: text(expiresKey, "Key in the stack configuration for the day on which the fault ends."),
  maxDays: count(longestFaultDays, 1, "Longest duration of a fault from today, in days."),
};

/**
 * A fault needs an end date: in the configuration, or in the annotations of the pod or Job that injects it, as
 * FaultInjection and SocketMount set them. In the stack gpu-lab, NCCL may stay blocked without an end date. The rule
 * device-plugin-enabled checks whether a device plugin is off.
 * @see https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
 */
export const experimentToggleLeftOn = stackRule({
  id: "experiment-toggle-left-on",
  title: "Experiments run only in lab stacks, and their faults have an end date.",
  severity: "high",
  incident: "a block of NCCL traffic stayed after an experiment, and the next training job hung until its timeout",
  types: [nodeFirewall, nodeGroup, launchTemplate, securityGroup, securityGroupRule, ingressRule, barePod, job],
  parameters,
  *judge(stack, given, { stack: name, config, now }) {
    const limits = { maxDays: given.maxDays, now, isLab: matchesAny(name, given.labStacks) };
    yield* ofFault(inConfiguration(config, given), limits);
    yield* onEach(stack.ofType(barePod, job), (object) => ofFault(inObject(object), limits));
    if (limits.isLab) return;
    yield* onEach(stack.ofType(nodeFirewall), (firewall) => [ofFirewall(firewall)]);
    for (const group of stack.ofType(nodeGroup)) yield* ofSecurityGroups(group, stack);
  },
});

interface Injection {
  readonly fault: Reading<string>;
  readonly expires: Reading<string>;
  /** The path that turns the fault on, and the path of its end. */
  readonly at: string;
  readonly endsAt: string;
  /** How to remove the fault, how to set its end, and how to remove it instead. */
  readonly off: string;
  readonly end: (day: string) => string;
  readonly or: string;
}

/** The fault in the configuration of the stack. */
function inConfiguration(config: Reader, { faultKey, expiresKey }: ValuesOf<typeof parameters>): Injection {
  return {
    fault: config.at([faultKey]).choice(undefined, ["on", "true"]),
    expires: config.at([expiresKey]).text(),
    at: faultKey,
    endsAt: expiresKey,
    off: `pulumi config set ${faultKey} off`,
    end: (day) => `pulumi config set ${expiresKey} ${day}`,
    or: `set ${faultKey} to off`,
  };
}

/** The fault that an object injects. */
function inObject(object: Resource): Injection {
  const fault = object.choice(["metadata", "annotations", faultAnnotation], ["on"]);
  const expires = object.text(["metadata", "annotations", expiresAnnotation]);
  const off = "remove the object from the program";
  const end = (day: string) => `set ${expires.path} to ${day}`;
  return { fault, expires, at: fault.path, endsAt: expires.path, off, end, or: off };
}

function* ofFault(
  { fault, expires, at, endsAt, off, end, or }: Injection,
  { maxDays, now, isLab }: { readonly maxDays: number; readonly now: Date; readonly isLab: boolean },
): Iterable<Check> {
  const isOn = fault.is(() => true);
  yield failAt({ path: at }, all(isOn, !isLab), {
    got: "on",
    why: "Faults can be injected only in lab stacks; elsewhere they would look like an outage.",
    fix: `${off}, or add this stack to "labStacks" in the policy configuration`,
  });
  const { isValid, got, why, example } = expiry(expires, now, maxDays);
  const fix = `${end(example)}, or another day within ${maxDays} days; or ${or}`;
  yield failAt({ path: endsAt }, all(isOn, isLab, not(isValid)), { got, why, fix });
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
  const uses = (rule: Resource, key: string) => rule.dependenciesOf(key).some((urn) => urns.includes(urn));
  const inline = groups.map((group) => group.list("ingress").is((rules) => any(...rules.map((rule) => opens(rule)))));
  const separate = stack
    .ofType(ingressRule, securityGroupRule)
    .filter((rule) => uses(rule, "securityGroupId"))
    .map((rule) => {
      const isIngress = rule.type === ingressRule || equals(rule.text("type"), "ingress");
      const isFromNodes = uses(rule, "sourceSecurityGroupId") || uses(rule, "referencedSecurityGroupId");
      return all(isIngress, opens(rule, isFromNodes));
    });
  return any(...inline, ...separate);
}

/** The ephemeral ports of Linux, which NCCL listens on. */
const [firstPort, lastPort] = [32768, 60999];

/** Whether a rule, inline or separate, opens these ports to the nodes. */
function opens(rule: Reader, isFromNodes = false): Truth {
  const protocols = [rule.at("protocol"), rule.at("ipProtocol")];
  const is = (name: string, number: number) =>
    any(...protocols.flatMap((one) => [equals(one.text(), name), equals(one.integer(), number)]));
  const includesFirst = rule.integer("fromPort").is((port) => port <= firstPort);
  const includesLast = rule.integer("toPort").is((port) => port >= lastPort);
  const lists = ["cidrBlocks", "ipv6CidrBlocks", "prefixListIds", "securityGroups"].map((name) => rule.list(name));
  const blocks = ["cidrIpv4", "cidrIpv6", "prefixListId"].map((name) => rule.text(name));
  return all(
    any(is("all", -1), all(is("tcp", 6), includesFirst, includesLast)),
    any(
      isFromNodes,
      equals(rule.boolean("self"), true),
      ...lists.map((list) => list.is(({ length }) => length > 0)),
      ...blocks.map((block) => block.is(() => true)),
    ),
  );
}
