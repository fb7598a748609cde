import { expiresAnnotation, faultAnnotation, longestFaultDays } from "../../../components/core/faults";
import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, not, type Truth } from "../../../components/core/reader/truth";
import { matchesAny } from "../../engine/glob";
import { count, text, texts, type ValuesOf } from "../../engine/parameters";
import type { Resource, Stack, Surroundings } from "../../engine/resource";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { expiresKey, expiry, faultKey } from "../../facts/lab-faults";
import { launchTemplate } from "../../facts/launch-templates";
import { ingressRule, securityGroup, securityGroupRule } from "../../facts/network";
import { isGpuGroup, nodeGroup } from "../../facts/node-groups";
import { barePod, job } from "../../facts/pods";
import { labStackNames } from "../../../components/core/faults";

const nodeFirewall = "eks-gpu-lab:index:NodeFirewall";

const parameters = {
  labStacks: texts(
    labStackNames,
    "Names of stacks that are made for experiments; * stands for any text, ? for one character.",
  ),
  faultKey: text(faultKey, "Key of the stack configuration that turns a lab's fault on."),
  expiresKey: text(expiresKey, "Key of the stack configuration that says when the fault ends."),
  maxDays: count(longestFaultDays, 1, "Days that a fault may last from today."),
};

/**
 * Outside a lab no experiment may be on. In a lab a fault needs a day on which it ends, whether the configuration turns
 * it on or a pod or Job that injects it says so in its annotations, as those of FaultInjection and SocketMount do. NCCL
 * may stay blocked there: the stack gpu-lab has it as a switch without an end, and the lab of the accident asks for one
 * itself. A device plugin that is off is the matter of device-plugin-enabled.
 * @see https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
 */
export const experimentToggleLeftOn = stackRule({
  id: "experiment-toggle-left-on",
  title: "An experiment is on in a lab alone, and a fault there has an end.",
  severity: "high",
  incident: "a block of NCCL traffic stayed in after the experiment, and the next training job hung until its timeout",
  types: [nodeFirewall, nodeGroup, launchTemplate, securityGroup, securityGroupRule, ingressRule, barePod, job],
  parameters,
  *judge(stack, given, surroundings) {
    const isLab = matchesAny(surroundings.stack, given.labStacks);
    yield* ofConfiguration(given, surroundings, isLab);
    for (const object of stack.ofType(barePod, job)) yield* ofObject(object, given, surroundings, isLab);
    if (isLab) return;
    for (const firewall of stack.ofType(nodeFirewall)) yield ofFirewall(firewall);
    yield* ofSecurityGroups(stack);
  },
});

type Given = ValuesOf<typeof parameters>;

/** The switch of a lab. */
function ofConfiguration(given: Given, { config, now }: Surroundings, isLab: boolean): Iterable<Check> {
  const { faultKey, expiresKey } = given;
  const fault = config.at([faultKey]).choice(undefined, ["on", "true"]);
  const expires = config.at([expiresKey]).text();
  const fixes = {
    off: `pulumi config set ${faultKey} off`,
    end: `pulumi config set ${expiresKey}`,
    or: `${faultKey} to off`,
  };
  return ofFault({ fault, expires, at: faultKey, endsAt: expiresKey, fixes }, { ...given, now, isLab });
}

/** An object that injects a fault, whoever wrote it. */
function ofObject(object: Resource, given: Given, { now }: Surroundings, isLab: boolean): Iterable<Check> {
  const fault = object.choice(["metadata", "annotations", faultAnnotation], ["on"]);
  const expires = object.text(["metadata", "annotations", expiresAnnotation]);
  const [at, endsAt] = [fault.path, expires.path];
  const off = "take the object out of the program";
  const fixes = { off, end: `set ${endsAt}`, or: off };
  return ofFault({ fault, expires, at, endsAt, fixes, object }, { ...given, now, isLab });
}

interface Injection {
  readonly fault: Reading<string>;
  readonly expires: Reading<string>;
  /** Where the fault is turned on, and where its end stands. */
  readonly at: string;
  readonly endsAt: string;
  /** How to take it back, how to state its end, and how to take it back instead. */
  readonly fixes: { readonly off: string; readonly end: string; readonly or: string };
  readonly object?: Resource;
}

function* ofFault(
  { fault, expires, at, endsAt, fixes, object }: Injection,
  { maxDays, now, isLab }: Given & Pick<Surroundings, "now"> & { readonly isLab: boolean },
): Iterable<Check> {
  const isOn = fault.is(() => true);
  const outside = () => ({
    path: at,
    got: "on",
    why: "This stack is no lab: whoever works in it takes the fault for a real one.",
    fix: `${fixes.off}, or name this stack in "labStacks" in the policy configuration`,
  });
  yield failIf(all(isOn, !isLab), outside, object);
  const end = expiry(expires, now, maxDays);
  const endless = () => ({
    path: endsAt,
    got: end.got,
    why: end.why,
    fix: `${fixes.end} to a day within ${maxDays} days, such as ${end.example}, or ${fixes.or}`,
  });
  yield failIf(all(isOn, isLab, not(end.isFine)), endless, object);
}

/** Closing one of the two ways alone stops no NCCL over sockets. */
function ofFirewall(firewall: Resource): Check {
  const nccl = firewall.choice("nccl", ["open", "blocked"]);
  const mode = (key: string) => {
    const own = firewall.choice(key, ["open", "blocked"]);
    return (own.isAbsent === true ? nccl : own).is((word) => word === "blocked");
  };
  return failIf(
    all(mode("nodeToNode"), mode("vpcWide")),
    () => ({ path: nccl.path, got: "blocked", why: whyBlocked, fix: `set ${nccl.path} to open` }),
    firewall,
  );
}

const whyBlocked =
  "Nodes cannot reach each other's NCCL ports: a training job on two nodes hangs until its timeout, while every node stays Ready.";

/** Of groups that nobody but the program itself writes rules for; the component's are known by its arguments. */
function* ofSecurityGroups(stack: Stack): Iterable<Check> {
  for (const { isGpu, securityGroups } of guardedGroups(stack)) {
    const [first] = securityGroups;
    if (!first || securityGroups.some((group) => group.isInside(nodeFirewall))) continue;
    yield failIf(
      all(isGpu, not(letsNcclThrough(securityGroups, stack))),
      () => ({
        path: "ingress",
        got: "no rule that lets nodes reach each other's TCP ports",
        why: whyBlocked,
        fix: "add an ingress rule for TCP 1025 to 65535 whose source is the group itself",
      }),
      first,
    );
  }
}

/** A GPU node group and the security groups that its launch template puts on the nodes, every one of this stack. */
interface GuardedGroup {
  readonly group: Resource;
  readonly isGpu: Truth;
  readonly securityGroups: readonly Resource[];
}

/**
 * The node groups whose security groups are all seen. Where one comes from elsewhere, such as the cluster's own, which
 * lets its members reach each other, nobody can tell what passes.
 */
function guardedGroups(stack: Stack): GuardedGroup[] {
  return stack.ofType(nodeGroup).flatMap((group) => {
    const [template] = stack.behind(group, "launchTemplate", launchTemplate);
    const ids = template?.list("vpcSecurityGroupIds").value ?? [];
    const securityGroups = template ? stack.behind(template, "vpcSecurityGroupIds", securityGroup) : [];
    return securityGroups.length === ids.length ? [{ group, isGpu: isGpuGroup(group, stack), securityGroups }] : [];
  });
}

/** Whether nodes with these security groups can reach the ports that NCCL opens on each other. */
function letsNcclThrough(groups: readonly Resource[], stack: Stack): Truth {
  const urns = groups.map(({ urn }) => urn);
  return any(
    ...groups.map((group) => insideLets(group)),
    ...besideOf(urns, stack).map((rule) => besideLets(rule, urns)),
  );
}

function besideOf(urns: readonly string[], stack: Stack): Resource[] {
  const rules = stack.ofType(ingressRule, securityGroupRule);
  return rules.filter((rule) => rule.dependenciesOf("securityGroupId").some((urn) => urns.includes(urn)));
}

/** Rules written into the group itself. */
function insideLets(group: Resource): Truth {
  return group
    .list("ingress")
    .is((rules) => any(...rules.map((rule) => all(coversPorts(rule, "protocol"), comesFromNodes(rule)))));
}

function comesFromNodes(rule: Reader): Truth {
  return any(
    rule.boolean("self").is((self) => self),
    ...["cidrBlocks", "ipv6CidrBlocks", "prefixListIds", "securityGroups"].map((name) =>
      rule.list(name).is((items) => items.length > 0),
    ),
  );
}

function besideLets(rule: Resource, urns: readonly string[]): Truth {
  if (rule.type === securityGroupRule) {
    const isIngress = rule.text("type").is((type) => type === "ingress");
    const isOfNodes = rule.dependenciesOf("sourceSecurityGroupId").some((urn) => urns.includes(urn));
    return all(isIngress, coversPorts(rule, "protocol"), any(isOfNodes, comesFromNodes(rule)));
  }
  const isOfNodes = rule.dependenciesOf("referencedSecurityGroupId").some((urn) => urns.includes(urn));
  const blocks = ["cidrIpv4", "cidrIpv6", "prefixListId"].map((name) => rule.text(name).is(() => true));
  return all(coversPorts(rule, "ipProtocol"), any(isOfNodes, ...blocks));
}

/** The ports that Linux gives out by itself, which NCCL listens on. */
const [firstPort, lastPort] = [32768, 60999];

function coversPorts(rule: Reader, protocolKey: string): Truth {
  const protocol = rule.at(protocolKey);
  const name = protocol.text();
  const isAll = any(
    name.is((text) => text === "all"),
    protocol.integer().is((number) => number === -1),
  );
  const isTcp = any(
    name.is((text) => text === "tcp"),
    protocol.integer().is((number) => number === 6),
  );
  const fits = all(
    rule.integer("fromPort").is((port) => port <= firstPort),
    rule.integer("toPort").is((port) => port >= lastPort),
  );
  return any(isAll, all(isTcp, fits));
}
