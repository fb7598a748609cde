import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import { hasUnknown, type Properties } from "../../components/core/wire";
import { clusterKey } from "../aws/eks/owned-objects";
import { canSchedule, nodesOf } from "../aws/eks/nodes/nodes";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import type { CheckFailure, CloudObject, ObjectRequest, Request, ResourceModel } from "../cloud/model";
import { chartName, chartNamed, controllerRequirements, hasClusterScopedObjects, resolveVersion } from "./charts";
import {
  clusterOf,
  clusterOutput,
  existingObject,
  kubernetesTypes,
  namespacesOf,
  objectsInCluster,
  rejectUnauthorized,
} from "./cluster-objects";
import { connectForRelease } from "./cluster-access";

/**
 * A Helm release.
 *
 * @see https://github.com/pulumi/pulumi-kubernetes/blob/master/provider/pkg/provider/helm_release.go
 */
export const release: ResourceModel = {
  type: kubernetesTypes.release,
  autoname: { property: "name" },
  defaults: (inputs) => ({
    namespace: "default",
    ...(inputs["skipAwait"] === true ? {} : { timeout: 300 }),
  }),
  required: ["chart"],
  check: checkVersion,
  normalize: (inputs) => {
    const version = hasUnknown(inputs) ? undefined : resolveVersion(stringOf(inputs["chart"]), inputs["version"]);
    return version === undefined ? inputs : { ...inputs, version };
  },
  immutable: ["name", "namespace"],
  deleteBeforeReplace: false,
  id: ({ inputs }) => idOf(inputs),
  recomputes: (changed) => (changed.length > 0 ? ["resourceNames", "status"] : []),
  computed: (request, _, old) => {
    const { name, namespace, chart } = request.inputs;
    const version = resolveVersion(stringOf(chart), request.inputs["version"]);
    const revision = Number(valuesAt(old ?? {}, "status.revision")[0] ?? 0) + 1;
    const status = { name, namespace, chart, version, appVersion: version, revision, status: "deployed" };
    return { ...clusterOutput(request), resourceNames: {}, status, version };
  },
  connect: connectForRelease,
  validateCreate: (request) =>
    rejectUnauthorized(request, "secrets") ??
    rejectNamespace(request) ??
    rejectName(request) ??
    rejectSecondRelease(request),
  createFailure: (request) => {
    const problem = waitFailure(request);
    if (problem === undefined) return undefined;
    if (request.inputs["atomic"] === true) {
      request.cloud.remove(request.object.type, request.object.id);
      throw atomicFailure(request, "uninstalled", problem);
    }
    markFailed(request);
    return `Helm release ${JSON.stringify(request.object.id)} was created, but ${initializationFailure(request, problem)}`;
  },
  validateUpdate: (request) => {
    const problem = request.inputs["atomic"] === true ? waitFailure(request) : undefined;
    return (
      rejectUnauthorized(request, "secrets") ??
      (problem === undefined ? undefined : atomicFailure(request, "rolled back", problem))
    );
  },
  updateFailure: (request) => {
    const problem = waitFailure(request);
    if (problem === undefined) return undefined;
    markFailed(request);
    return `Helm release ${JSON.stringify(request.object.id)} ${initializationFailure(request, problem)}`;
  },
  // Also an upgrade creates what is missing. A read of the release returns Helm's record and looks at no object.
  afterChange: putObjects,
  validateDelete: rejectUninstall,
  afterDelete: ({ cloud, object }) => {
    for (const { type, id } of objectsOf(object)) cloud.remove(type, id);
  },
  seconds: { create: 60, update: 60, delete: 15 },
};

function putObjects({ cloud, object }: ObjectRequest): void {
  const cluster = object.computed[clusterKey];
  for (const { type, id, metadata } of objectsOf(object)) {
    if (!cloud.get(type, id)) cloud.put({ type, id, inputs: { metadata }, computed: { [clusterKey]: cluster } });
  }
}

/** The objects of a release, as Pulumi identifies them. */
function objectsOf({ inputs }: CloudObject) {
  return (chartNamed(stringOf(inputs["chart"])).objects ?? []).map(({ kind, name, namespaced = true }) => {
    const namespace = stringOf(inputs["namespace"]);
    const metadata = namespaced ? { name, namespace } : { name };
    return { type: `kubernetes:${kind}`, id: namespaced ? `${namespace}/${name}` : name, metadata };
  });
}

function idOf({ namespace, name }: Properties): string {
  return `${stringOf(namespace)}/${stringOf(name)}`;
}

/** The provider loads the chart when all inputs are known. */
function checkVersion(inputs: Properties): CheckFailure[] {
  const chart = stringOf(inputs["chart"]);
  if (hasUnknown(inputs) || resolveVersion(chart, inputs["version"]) !== undefined) return [];
  const repository = valuesAt(inputs, "repositoryOpts.repo")[0];
  const place = repository === undefined ? "" : ` in ${stringOf(repository)} repository`;
  const reason = `chart "${chart}" version "${stringOf(inputs["version"])}" not found${place}`;
  return [{ property: "chart", reason: `${reason}; check the chart name and repository configuration.` }];
}

function rejectNamespace(request: Request): CloudError | undefined {
  const { namespace, createNamespace } = request.inputs;
  const exists = namespacesOf(request.cloud, clusterOf(request).id).includes(stringOf(namespace));
  if (exists || createNamespace === true) return undefined;
  return new CloudError("NotFound", `create: failed to create: namespaces "${stringOf(namespace)}" not found`);
}

function rejectName(request: Request): CloudError | undefined {
  if (!existingObject(request, kubernetesTypes.release, idOf(request.inputs))) return undefined;
  return new CloudError("AlreadyExists", "cannot re-use a name that is still in use");
}

/** Cluster-scoped objects of a chart have fixed names, so a cluster can have one release of such a chart. */
function rejectSecondRelease(request: Request): CloudError | undefined {
  const chart = chartName(stringOf(request.inputs["chart"]));
  const owner = objectsInCluster(request.cloud, kubernetesTypes.release, clusterOf(request).id).find(
    ({ inputs }) => chartName(stringOf(inputs["chart"])) === chart && hasClusterScopedObjects(chart),
  );
  if (!owner) return undefined;
  const key = `key "meta.helm.sh/release-namespace" must equal "${stringOf(request.inputs["namespace"])}"`;
  return new CloudError(
    "Helm",
    `Unable to continue with install: ClusterRole "${chart}" in namespace "" exists and cannot be imported into the ` +
      `current release: invalid ownership metadata; annotation validation error: ${key}: current value is ` +
      `"${stringOf(owner.inputs["namespace"])}"`,
  );
}

/** Helm's error when it waits for pods that cannot be scheduled. */
function waitFailure(request: Request): string | undefined {
  const { chart, skipAwait, atomic } = request.inputs;
  if (skipAwait === true && atomic !== true) return undefined;
  const nodes = nodesOf(request.cloud, clusterOf(request).id);
  const requirements = controllerRequirements(stringOf(chart), valuesOf(request.inputs));
  return requirements.every((pod) => canSchedule(nodes, pod)) ? undefined : "context deadline exceeded";
}

function valuesOf({ values }: Properties): Properties {
  return isRecord(values) ? values : {};
}

function initializationFailure({ inputs }: Request, problem: string): string {
  return (
    "failed to initialize completely. Use Helm CLI to investigate: failed to become available within allocated timeout. " +
    `Error: Helm Release ${idOf(inputs)}: ${problem}`
  );
}

function atomicFailure({ inputs }: Request, how: "uninstalled" | "rolled back", problem: string): CloudError {
  const message = `release ${stringOf(inputs["name"])} failed, and has been ${how} due to atomic being set: ${problem}`;
  return new CloudError("Helm", message);
}

function markFailed({ cloud, object }: ObjectRequest): void {
  const status = { ...(isRecord(object.computed["status"]) ? object.computed["status"] : {}), status: "failed" };
  cloud.put({ ...object, computed: { ...object.computed, status } });
}

/** The uninstall fails when its Job finds no node within the timeout of the release. */
function rejectUninstall(request: ObjectRequest): CloudError | undefined {
  const unauthorized = rejectUnauthorized(request, "secrets");
  if (unauthorized) return unauthorized;
  const { chart } = request.object.inputs;
  const job = chartNamed(stringOf(chart)).uninstallJob?.(valuesOf(request.object.inputs));
  if (!job || canSchedule(nodesOf(request.cloud, clusterOf(request).id), job)) return undefined;
  return new CloudError("Helm", "uninstallation completed with 1 error(s): timed out waiting for the condition");
}
