import { Namespace, type NamespaceArgs } from "@pulumi/kubernetes/core/v1/namespace";
import { Release, type ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { privilegedNamespace } from "./kubernetes";
import { transformed, type Transform } from "./transform";

/** The arguments of a component that installs a chart into a namespace of its own. */
interface ChartSettings {
  readonly namespace: string;
  readonly chartVersion: string;
  readonly timeoutSeconds: number;
}

interface ChartTransform {
  readonly namespace?: Transform<NamespaceArgs>;
  readonly release?: Transform<ReleaseArgs>;
}

/**
 * Creates a namespace, and in it the Helm release of a chart.
 *
 * @param chart what only this chart needs, with the namespace's labels; without others, the namespace accepts privileged pods
 */
export function makeReleaseInNamespace(
  name: string,
  settings: ChartSettings,
  { labels, ...chart }: ReleaseArgs & { readonly labels?: Readonly<Record<string, string>> },
  transform: ChartTransform | undefined,
  options: pulumi.CustomResourceOptions,
) {
  const space = { metadata: { name: settings.namespace, labels: { ...privilegedNamespace, ...labels } } };
  const namespace = new Namespace(...transformed(transform?.namespace, `${name}-namespace`, space, options));
  const namespaceName = namespace.metadata.name;
  const args = {
    version: settings.chartVersion,
    namespace: namespaceName,
    createNamespace: false,
    timeout: settings.timeoutSeconds,
    skipAwait: false,
    // A failed install stays in the cluster for inspection. After a rollback the next one would fail the same way.
    atomic: false,
    cleanupOnFail: false,
    ...chart,
  };
  return { namespaceName, release: makeRelease(name, args, transform?.release, options) };
}

/**
 * Creates a Helm release, one at a time: a chart's cluster roles have fixed names, so Helm rejects a second release while
 * the first exists. The provider would create the new release first when the name or the namespace changes.
 */
export function makeRelease(
  name: string,
  args: ReleaseArgs,
  transform: Transform<ReleaseArgs> | undefined,
  options: pulumi.CustomResourceOptions,
): Release {
  const release = new Release(...transformed(transform, name, args, { ...options, deleteBeforeReplace: true }));
  warnUnlessDeployed(release);
  return release;
}

/**
 * After a failed installation or upgrade, Pulumi repeats it in the next update, but not after a refresh: the provider then
 * reads the new chart and values from Helm's record, which also has the status.
 */
function warnUnlessDeployed({ status, id, urn }: Release): void {
  pulumi.all([status, id, urn]).apply(async ([found, fullName, resource]) => {
    const state = (found as Partial<typeof found> | undefined)?.status;
    if (state === undefined || state === "deployed") return;
    await pulumi.log.warn(
      `Helm release ${fullName} has the status ${state}: the cluster may run an older version of the chart, or only ` +
        "parts of it. If this run does not update the release, install it again: " +
        `pulumi up --target-replace '${resource}'`,
    );
  });
}
