import { knownAddons } from "../../../components/cluster/addons/addon-plan";
import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { all, any, Undetermined, type Truth } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import type { Resource } from "../../engine/resource";
import { failIf, resourceRule, type Check } from "../../engine/rule";
import { addon } from "../../facts/clusters";

const clusterAddons = "eks-gpu-lab:index:ClusterAddons";
const nodeMonitoringAgent = "eks-gpu-lab:index:NodeMonitoringAgent";

const parameters = {
  names: texts([], "Add-ons that must have a version; an empty list means all."),
};

/**
 * EKS's default moves, and so does the newest. The components fill in the default themselves, so that their add-ons
 * look pinned: only their own arguments tell.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html
 */
export const addonsPinned = resourceRule({
  id: "addons-pinned",
  title: "EKS add-ons are installed in a stated version.",
  severity: "low",
  incident:
    "add-ons that followed the newest version changed between two runs of one lab, and its measurements with them",
  types: [addon, clusterAddons, nodeMonitoringAgent],
  parameters,
  *judge(resource, { names }) {
    const isWanted = (name: string) => names.length === 0 || names.includes(name);
    if (resource.type === clusterAddons) yield ofAddons(resource, isWanted);
    else if (resource.type === addon) {
      const name = resource.text("addonName");
      yield pinned(resource.version("addonVersion"), resource, name.is(isWanted));
    } else yield pinned(resource.version("version"), resource, isWanted("eks-node-monitoring-agent"));
  },
});

/** Names the add-ons that float in one sentence, whatever the order they stand in. */
function ofAddons(resource: Resource, isWanted: (name: string) => boolean): Check {
  const addons = resource.entries("addons");
  const floating = (name: string, spec: Reader) => all(isWanted(name), floats(spec.version("version")));
  return failIf(
    addons.is((entries) => any(...sorted(entries).map(([name, spec]) => floating(name, spec)))),
    () => {
      const named = (addons.value ?? []).filter(([name, spec]) => floating(name, spec) === true);
      const known = named.map(([name]) => name).filter((name) => knownAddons.includes(name));
      const which = known.length > 0 ? known.sort().join(", ") : String(named.length);
      return { ...fault(addons.path), got: `no version of ${which}` };
    },
  );
}

function sorted<T>(entries: readonly (readonly [string, T])[]): (readonly [string, T])[] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

function pinned(version: Reading<string>, resource: Resource, isWanted: Truth): Check {
  const unpinned = resource.isEmpty ? new Undetermined([version.path]) : floats(version);
  return failIf(all(isWanted, unpinned), () => ({ ...fault(version.path), got: version.shown }));
}

function floats(version: Reading<string>): Truth {
  return any(
    version.isAbsent,
    version.is((text) => /^\s*(latest|default)?\s*$/i.test(text)),
  );
}

function fault(path: string) {
  return {
    path,
    why: "EKS then takes its default version of the day, and a later update may take another.",
    fix: `state in ${path} the version that runs: aws eks describe-addon shows it`,
  };
}
