import { longestFaultDays } from "../../../components/core/faults";
import { expiresAnnotation, faultAnnotation } from "../../../components/core/faults";
import { matchesAny } from "../../engine/glob";
import { count, text, texts, type ValuesOf } from "../../engine/parameters";
import type { Reading } from "../../../components/core/reader/reading";
import type { Resource, Stack, Surroundings } from "../../engine/resource";
import { failIf, stackRule, type Check } from "../../engine/rule";
import { all, not } from "../../../components/core/reader/truth";
import { launchTemplate } from "../machines/launch-template";
import { ingressRule, securityGroup, securityGroupRule } from "../network/security-groups";
import { nodeGroup } from "../nodes/gpu-group";
import { barePod, job } from "../workloads/pod-template";
import { expiry } from "./expiry";
import { expiresKey, faultKey } from "./lab-fault";
import { guardedGroups, letsNcclThrough } from "./nccl-paths";
import { labStackNames } from "./stack-names";

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
