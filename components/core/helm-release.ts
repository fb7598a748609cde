import { Release, type ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { transformed, type Transform } from "./transform";

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
