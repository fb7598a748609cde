import { isRecord } from "../../components/core/reader/records";
import { hasUnknown, type Properties } from "../../components/core/wire";
import { canSchedule, nodesOf } from "../aws/eks/nodes/nodes";
import { shown } from "../aws/values";
import { CloudError } from "../world/cloud-error";
import type { Asked, AskedOf, CheckFailure, Kind } from "../world/kind";
import { valuesAt } from "../world/paths";
import { chartName, controllerNeeds, resolveVersion, sharesCluster, uninstallJob } from "./charts";
import { reachRelease } from "./errors";
import { namespacesOf } from "./namespaces";
import { clusterOf, namesake, refuseLimited, residentsOf, resides } from "./residents";
import { kubernetesTypes } from "./types";

/**
 * A Helm release: a minute to install or upgrade, a quarter of one to uninstall.
 *
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/helm_release.go
 */
export const release: Kind = {
  type: kubernetesTypes.release,
  autoname: { property: "name" },
  defaults: (inputs) => ({
    namespace: "default",
    ...(inputs["skipAwait"] === true ? {} : { timeout: 300 }),
  }),
  required: ["chart"],
  check: checkVersion,
  refine: (inputs) => {
    const version = hasUnknown(inputs) ? undefined : resolveVersion(shown(inputs["chart"]), inputs["version"]);
    return version === undefined ? inputs : { ...inputs, version };
  },
  immutable: ["name", "namespace"],
  deleteBeforeReplace: false,
  id: ({ inputs }) => idOf(inputs),
  computes: ["resourceNames", "status", "version"],
  recomputes: (changed) => (changed.length > 0 ? ["resourceNames", "status"] : []),
  computed: (asked, _, old) => {
    const { name, namespace, chart } = asked.inputs;
    const version = resolveVersion(shown(chart), asked.inputs["version"]);
    const revision = Number(valuesAt(old ?? {}, "status.revision")[0] ?? 0) + 1;
    const status = { name, namespace, chart, version, appVersion: version, revision, status: "deployed" };
    return { ...resides(asked), resourceNames: {}, status, version };
  },
  reach: reachRelease,
  create: (asked) =>
    refuseLimited(asked, "secrets") ?? refuseNamespace(asked) ?? refuseName(asked) ?? refuseOwned(asked),
  settle: (asked) => {
    const problem = problemOf(asked);
    if (problem === undefined) return undefined;
    if (asked.inputs["atomic"] === true) {
      asked.world.lose(asked.object.type, asked.object.id);
      throw undone(asked, "uninstalled", problem);
    }
    markFailed(asked);
    return `Helm release ${JSON.stringify(asked.object.id)} was created, but ${failed(asked, problem)}`;
  },
  update: (asked) => {
    const problem = asked.inputs["atomic"] === true ? problemOf(asked) : undefined;
    return (
      refuseLimited(asked, "secrets") ?? (problem === undefined ? undefined : undone(asked, "rolled back", problem))
    );
  },
  settleUpdate: (asked) => {
    const problem = problemOf(asked);
    if (problem === undefined) return undefined;
    markFailed(asked);
    return `Helm release ${JSON.stringify(asked.object.id)} ${failed(asked, problem)}`;
  },
  remove: refuseUninstall,
  seconds: { create: 60, update: 60, delete: 15 },
};

function idOf({ namespace, name }: Properties): string {
  return `${shown(namespace)}/${shown(name)}`;
}

/** The provider loads the chart as soon as it knows everything. */
function checkVersion(inputs: Properties): CheckFailure[] {
  const chart = shown(inputs["chart"]);
  if (hasUnknown(inputs) || resolveVersion(chart, inputs["version"]) !== undefined) return [];
  const repository = valuesAt(inputs, "repositoryOpts.repo")[0];
  const place = repository === undefined ? "" : ` in ${shown(repository)} repository`;
  const reason = `chart "${chart}" version "${shown(inputs["version"])}" not found${place}`;
  return [{ property: "chart", reason: `${reason}; check the chart name and repository configuration.` }];
}

function refuseNamespace(asked: Asked): CloudError | undefined {
  const { namespace, createNamespace } = asked.inputs;
  const there = namespacesOf(asked.world, clusterOf(asked).id).includes(shown(namespace));
  if (there || createNamespace === true) return undefined;
  return new CloudError("NotFound", `create: failed to create: namespaces "${shown(namespace)}" not found`);
}

function refuseName(asked: Asked): CloudError | undefined {
  if (!namesake(asked, kubernetesTypes.release, idOf(asked.inputs))) return undefined;
  return new CloudError("AlreadyExists", "cannot re-use a name that is still in use");
}

/** Charts make objects that belong to no namespace, under names of their own: a cluster has room for one release. */
function refuseOwned(asked: Asked): CloudError | undefined {
  const chart = chartName(shown(asked.inputs["chart"]));
  const owner = residentsOf(asked.world, kubernetesTypes.release, clusterOf(asked).id).find(
    ({ inputs }) => chartName(shown(inputs["chart"])) === chart && sharesCluster(chart),
  );
  if (!owner) return undefined;
  const key = `key "meta.helm.sh/release-namespace" must equal "${shown(asked.inputs["namespace"])}"`;
  return new CloudError(
    "Helm",
    `Unable to continue with install: ClusterRole "${chart}" in namespace "" exists and cannot be imported into the ` +
      `current release: invalid ownership metadata; annotation validation error: ${key}: current value is ` +
      `"${shown(owner.inputs["namespace"])}"`,
  );
}

/** What Helm waits for in vain; undefined when it does not wait or all pods find a node. */
function problemOf(asked: Asked): string | undefined {
  const { chart, skipAwait, atomic } = asked.inputs;
  if (skipAwait === true && atomic !== true) return undefined;
  const nodes = nodesOf(asked.world, clusterOf(asked).id);
  const needs = controllerNeeds(shown(chart), valuesOf(asked.inputs));
  return needs.every((need) => canSchedule(nodes, need)) ? undefined : "context deadline exceeded";
}

function valuesOf({ values }: Properties): Properties {
  return isRecord(values) ? values : {};
}

function failed({ inputs }: Asked, problem: string): string {
  return (
    "failed to initialize completely. Use Helm CLI to investigate: failed to become available within allocated timeout. " +
    `Error: Helm Release ${idOf(inputs)}: ${problem}`
  );
}

function undone({ inputs }: Asked, how: "uninstalled" | "rolled back", problem: string): CloudError {
  const words = `release ${shown(inputs["name"])} failed, and has been ${how} due to atomic being set: ${problem}`;
  return new CloudError("Helm", words);
}

function markFailed({ world, object }: AskedOf): void {
  const status = { ...(isRecord(object.computed["status"]) ? object.computed["status"] : {}), status: "failed" };
  world.put({ ...object, computed: { ...object.computed, status } });
}

/** A Job of the chart waits for a node for as long as the release's timeout. */
function refuseUninstall(asked: AskedOf): CloudError | undefined {
  const limited = refuseLimited(asked, "secrets");
  if (limited) return limited;
  const { chart } = asked.object.inputs;
  const job = uninstallJob(shown(chart), valuesOf(asked.object.inputs));
  if (!job || canSchedule(nodesOf(asked.world, clusterOf(asked).id), job)) return undefined;
  return new CloudError("Helm", "uninstallation completed with 1 error(s): timed out waiting for the condition");
}
