import { longestFaultDays } from "../../../components/core/expiry";
import { matchesAny } from "../../core/glob";
import { count, text, texts, type ValuesOf } from "../../core/parameters";
import type { Resource, Stack, Surroundings } from "../../core/resource";
import { failIf, stackRule, type Check } from "../../core/rule";
import { all, not } from "../../core/unknown";
import { launchTemplate } from "../machines/launch-template";
import { ingressRule, securityGroup, securityGroupRule } from "../network/security-groups";
import { nodeGroup } from "../nodes/gpu-group";
import { expiry } from "./expiry";
import { guardedGroups, letsNcclThrough } from "./nccl-paths";
import { labStackNames } from "./stack-names";

const nodeFirewall = "eks-gpu-lab:index:NodeFirewall";

const parameters = {
  labStacks: texts(
    labStackNames,
    "Names of stacks that are made for experiments; * stands for any text, ? for one character.",
  ),
  faultKey: text("eks-gpu-lab:fault", "Key of the stack configuration that turns a lab's fault on."),
  expiresKey: text("eks-gpu-lab:expires", "Key of the stack configuration that says when the fault ends."),
  maxDays: count(longestFaultDays, 1, "Days that a fault may last from today."),
};

/**
 * Outside a lab no experiment may be on. In a lab a fault needs a day on which it ends; NCCL may stay blocked, for
 * looking at that is what the lab is there for. A device plugin that is off is the matter of device-plugin-enabled.
 * @see https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html
 */
export const experimentToggleLeftOn = stackRule({
  id: "experiment-toggle-left-on",
  title: "An experiment is on in a lab alone, and a fault there has an end.",
  severity: "high",
  incident: "a block of NCCL traffic stayed in after the experiment, and the next training job hung until its timeout",
  types: [nodeFirewall, nodeGroup, launchTemplate, securityGroup, securityGroupRule, ingressRule],
  parameters,
  *judge(stack, given, surroundings) {
    const isLab = matchesAny(surroundings.stack, given.labStacks);
    yield* ofFault(given, surroundings, isLab);
    if (isLab) return;
    for (const firewall of stack.ofType(nodeFirewall)) yield ofFirewall(firewall);
    yield* ofSecurityGroups(stack);
  },
});

function* ofFault(given: ValuesOf<typeof parameters>, { config, now }: Surroundings, isLab: boolean): Iterable<Check> {
  const { faultKey, expiresKey, maxDays } = given;
  const fault = config.at([faultKey]).choice(undefined, ["on", "true"]);
  const isOn = fault.is(() => true);
  yield failIf(all(isOn, !isLab), () => ({
    path: faultKey,
    got: "on",
    why: "This stack is no lab: whoever works in it takes the fault for a real one.",
    fix: `pulumi config set ${faultKey} off, or name this stack in "labStacks" in the policy configuration`,
  }));
  const end = expiry(config.at([expiresKey]).text(), now, maxDays);
  yield failIf(all(isOn, isLab, not(end.isFine)), () => ({
    path: expiresKey,
    got: end.got,
    why: end.why,
    fix: `pulumi config set ${expiresKey} to a day within ${maxDays} days, such as ${end.example}, or ${faultKey} to off`,
  }));
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
