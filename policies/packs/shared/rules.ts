import { variant, withParameters, type Level, type Pack } from "../../engine/pack";
import type { Rule } from "../../engine/rule";
import { clusterAccessMode } from "../../rules/cluster/cluster-access-mode";
import { clusterLogging } from "../../rules/cluster/cluster-logging";
import { clusterSecretsEncrypted } from "../../rules/cluster/cluster-secrets-encrypted";
import { nodeRoleMinimal } from "../../rules/cluster/node-role-minimal";
import { gpuLeasePresent } from "../../rules/cost/gpu-lease-present";
import { experimentToggleLeftOn } from "../../rules/experiments/experiment-toggle-left-on";
import { devicePluginEnabled } from "../../rules/operator/device-plugin-enabled";
import { podSensitiveHostPath } from "../../rules/pods/pod-sensitive-host-path";
import { rbacWildcards } from "../../rules/rbac/rbac-wildcards";
import { gpuRolloutDeadlock } from "../../rules/workloads/gpu-rollout-deadlock";
import { hostpathSocketType } from "../../rules/workloads/hostpath-socket-type";
import { lab } from "../lab/rules";
import { version } from "./package.json";

/** Advice in a lab, where no other user is affected, and someone watches the session. */
const bindingWhenShared = new Set<Rule>([
  clusterAccessMode,
  clusterLogging,
  clusterSecretsEncrypted,
  gpuLeasePresent,
  nodeRoleMinimal,
  podSensitiveHostPath,
  rbacWildcards,
]);

/** No stack is a lab stack. */
const withoutExperiments = new Map<Rule, Rule>(
  [experimentToggleLeftOn, devicePluginEnabled, gpuRolloutDeadlock, hostpathSocketType].map((rule) => [
    rule,
    withParameters<Rule>(rule, { labStacks: [] }),
  ]),
);

/** The rules for a shared cluster. */
export const shared: Pack = {
  name: "eks-gpu-lab-shared",
  version,
  description:
    "Rules for shared GPU clusters on Amazon EKS: the rules of a lab, without experiments and with mandatory security rules.",
  rules: variant(lab.rules, ({ rule, level }): { rule: Rule; level: Level } => ({
    rule: withoutExperiments.get(rule) ?? rule,
    level: bindingWhenShared.has(rule) ? "mandatory" : level,
  })),
};
