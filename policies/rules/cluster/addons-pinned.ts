import { knownAddons } from "../../../components/cluster/addons/addon-plan";
import { all, any, Undetermined, type Reading, type Truth } from "../../engine/values";
import { failAt, resourceRule, texts, type Check, type Resource } from "../../engine/rule";
import { addon } from "../../facts/clusters";

const clusterAddons = "eks-gpu-lab:index:ClusterAddons";
const nodeMonitoringAgent = "eks-gpu-lab:index:NodeMonitoringAgent";

/**
 * The default version of EKS and the newest version change over time. The components fill in a version, so the rule
 * checks their arguments.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html
 */
export const addonsPinned = resourceRule({
  id: "addons-pinned",
  title: "EKS add-ons have a fixed version.",
  severity: "low",
  incident: "add-ons that followed the newest version changed between two runs of a lab, and so did its measurements",
  types: [addon, clusterAddons, nodeMonitoringAgent],
  parameters: { names: texts([], "Add-ons that must have a version. An empty list means all.") },
  *judge(resource, { names }) {
    const isWanted = (name: string) => names.length === 0 || names.includes(name);
    if (resource.type === clusterAddons) yield ofAddons(resource, isWanted);
    else if (resource.type === addon) {
      const name = resource.text("addonName");
      yield pinned(resource.version("addonVersion"), resource, name.is(isWanted));
    } else yield pinned(resource.version("version"), resource, isWanted("eks-node-monitoring-agent"));
  },
});

/** Lists all add-ons without a fixed version in one violation, sorted by name. */
function ofAddons(resource: Resource, isWanted: (name: string) => boolean): Check {
  const addons = resource.entries("addons");
  const sorted = [...(addons.value ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const judged = sorted.map(([name, spec]) => ({ name, floats: all(isWanted(name), floats(spec.version("version"))) }));
  const isFloating = addons.is(() => any(...judged.map((one) => one.floats)));
  const floating = judged.filter((one) => one.floats === true).map(({ name }) => name);
  const known = floating.filter((name) => knownAddons.includes(name));
  const which = known.length > 0 ? known.join(", ") : String(floating.length);
  return failAt(addons, isFloating, { ...fault(addons.path), got: `no version of ${which}` });
}

function pinned(version: Reading<string>, resource: Resource, isWanted: Truth): Check {
  const unpinned = resource.isEmpty ? new Undetermined([version.path]) : floats(version);
  return failAt(version, all(isWanted, unpinned), fault(version.path));
}

function floats(version: Reading<string>): Truth {
  const isMoving = version.is((text) => /^\s*(latest|default)?\s*$/i.test(text));
  return any(version.isAbsent, isMoving);
}

function fault(path: string) {
  return {
    why: "EKS then installs its current default version, and a later update can install another one.",
    fix: `set ${path} to the running version: aws eks describe-addon shows it`,
  };
}
