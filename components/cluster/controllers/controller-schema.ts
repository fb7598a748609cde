import type { ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import type { Input } from "@pulumi/pulumi";
import * as v from "valibot";
import { chartRepository, chartVersion, installTimeout, type Chart } from "../../core/helm-chart";
import { clusterResource } from "../../core/options";
import type { Problem } from "../../core/problems";
import { s, type GivenOf, type Schema, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { tagMap } from "../../core/tokens";
import { transformOf, type Transform } from "../../core/transform";
import {
  clusterAutoscalerChart,
  loadBalancerControllerChart,
  kubernetesVersion as pinnedVersion,
} from "../../core/versions";
import { clusterName } from "../cluster-name";
import type { WorkloadIdentityTransform } from "../identity/workload-identity";
import { minorOf } from "../kubernetes-versions";

/** Adjusts each underlying resource before it is created. */
export interface ControllerTransform extends WorkloadIdentityTransform {
  readonly release?: Transform<ReleaseArgs>;
}

export const controllerTransformKeys = { role: true, policy: true, association: true, release: true } as const;

export const controllerTransform = transformOf<ControllerTransform>(controllerTransformKeys);

/** Whether and how the chart of a controller is installed. */
function installEntries(chart: Chart) {
  return {
    /**
     * Whether the chart is installed, into the cluster of the Kubernetes provider in the component's options.
     *
     * @default false - only the identity, for a controller that is installed in another way
     */
    install: s.optional(s.flag(), false),
    /** One exact version of the chart. @default the version pinned in components/core/versions.ts - it never floats */
    chartVersion: s.optional(chartVersion(chart), chart.version),
    /**
     * Chart repository, https. For a chart in an OCI registry, its full reference.
     *
     * @default the project's repository - a mirror protects a lab from its outages
     */
    repository: s.optional(chartRepository(chart, { oci: chart.repository.startsWith("oci://") }), chart.repository),
    /**
     * How long Helm waits for the controller's pods, in seconds: 60 to 3600.
     *
     * @default 600 - a new node pulls the image first
     */
    timeoutSeconds: s.optional(installTimeout(), 600),
    /**
     * The cluster: on destroy the release is deleted with it, without calls to an API server that may be gone.
     *
     * @default none - Helm uninstalls the release
     */
    cluster: s.optional(clusterResource()),
  };
}

/** The arguments of every controller with a chart. */
export function controllerEntries(chart: Chart) {
  return {
    ...installEntries(chart),
    /** Name of the cluster. */
    clusterName: clusterName(),
    /** Tags of the role and the association. @default {} - only Name is set */
    tags: s.optional(tagMap(), {}),
    /** Adjusts the underlying resources. @default none - none is adjusted */
    transform: s.optional(controllerTransform),
  };
}

/** Where to find a release of the autoscaler. */
function imageFix(path: string, kubernetesVersion: string): string {
  return `set ${path} to a release of that minor version, such as "v${kubernetesVersion}.0": https://github.com/kubernetes/autoscaler/releases`;
}

/** The image tag of the Cluster Autoscaler. */
export function imageTag() {
  const fix = `set {path} to a release such as "v${pinnedVersion}.0": https://github.com/kubernetes/autoscaler/releases`;
  return v.pipe(
    s.text(fix),
    s.check((got: string, path): Problem[] => {
      if (/^v1\.\d+\.\d+$/.test(got)) return [];
      const why = "Must be one exact version of the Cluster Autoscaler.";
      return [{ code: "version", path, got, why, fix: fix.replace("{path}", path) }];
    }),
  );
}

interface Autoscaler {
  readonly install: boolean;
  readonly imageTag?: string | undefined;
}

/** An image of the autoscaler that does not fit the cluster's Kubernetes version, or is missing. */
export function imageTagConflicts(
  { install, imageTag: got }: Autoscaler,
  kubernetesVersion: string,
  at: string,
): Problem[] {
  const path = join(at, "imageTag");
  const fix = imageFix(path, kubernetesVersion);
  if (got === undefined) {
    if (!install || imageTagFor(got, kubernetesVersion) !== undefined) return [];
    return [{ code: "missing", path, got, why: `No image is pinned for Kubernetes ${kubernetesVersion}.`, fix }];
  }
  if (minorOf(got) === minorOf(kubernetesVersion)) return [];
  const why = `Must be a version for Kubernetes ${kubernetesVersion}: the autoscaler simulates the scheduler of this version.`;
  return [{ code: "version", path, got, why, fix }];
}

/** The image of the autoscaler: the explicit one, or the one pinned for the Kubernetes version. */
export function imageTagFor(given: string | undefined, kubernetesVersion: string): string | undefined {
  return given ?? clusterAutoscalerChart.imageTags[kubernetesVersion];
}

/** Ids of hosted zones, or "all". */
export function hostedZones(): Schema<readonly Input<string>[] | "all"> {
  const form = "the id of a hosted zone: Z and capital letters or digits, without /hostedzone/";
  const id = s.matching(/^Z[A-Z0-9]{1,31}$/, form, 'set {path} to an id such as "Z0123456789ABCDEFGHIJ"');
  const ids = s.list(s.input(id), '["Z0123456789ABCDEFGHIJ"], or to "all"');
  return s.typed(v.lazy((given) => (given === "all" ? v.literal("all") : ids)));
}

/** Settings of the controllers of an environment. Each controller has an identity; its Helm release is optional. */
export const controllerSettings = s.section({
  /**
   * The AWS Load Balancer Controller.
   * @default {} - only the identity, without the release
   * @change in place, 1 to 5 min - Installs, upgrades or uninstalls the controller. Before you uninstall it, delete its
   * Ingresses and Services: nothing else deletes their load balancers.
   */
  loadBalancerController: s.optional(
    s.section({
      /** Whether its Helm release is installed. @default false - a lab without load balancers does not need it */
      install: s.optional(s.flag(), false),
      /** One exact version of its chart. @default the version pinned in components/core/versions.ts - it never floats */
      chartVersion: s.optional(chartVersion(loadBalancerControllerChart), loadBalancerControllerChart.version),
    }),
    {},
  ),
  /**
   * The Cluster Autoscaler. Once installed, it also sets the number of system nodes.
   * @default {} - only the identity, without the release
   * @change in place, 1 to 5 min - Installs, upgrades or uninstalls the autoscaler, which then sets the number of nodes
   * of both groups.
   */
  clusterAutoscaler: s.optional(
    s.section({
      /**
       * Whether its Helm release is installed.
       * @default false - you start and terminate the nodes of a session with commands
       */
      install: s.optional(s.flag(), false),
      /** One exact version of its chart. @default the version pinned in components/core/versions.ts - it never floats */
      chartVersion: s.optional(chartVersion(clusterAutoscalerChart), clusterAutoscalerChart.version),
      /**
       * Tag of its image: one exact version for the cluster's Kubernetes minor version, such as `v1.35.2`.
       * @default the tag pinned for the minor - if no tag is pinned, `install` requires one
       */
      imageTag: s.optional(imageTag()),
    }),
    {},
  ),
  /**
   * ExternalDNS, which the EKS add-on external-dns installs.
   * @default {} - ExternalDNS only reads zones
   * @change in place, seconds - The role may change other hosted zones.
   */
  externalDns: s.optional(
    s.section({
      /**
       * Ids of the Route 53 zones that ExternalDNS may change, or "all".
       * @default [] - ExternalDNS does not change zones
       */
      hostedZoneIds: s.optional(hostedZones(), []),
    }),
    {},
  ),
});

/** The controllers that AWS users expect in a cluster. */
export interface ControllerSettings extends Readonly<GivenOf<typeof controllerSettings>> {}

/** Controllers that do not fit the cluster's Kubernetes version. */
export function controllerConflicts(
  { clusterAutoscaler }: ValueOf<typeof controllerSettings>,
  kubernetesVersion: string,
  at: string,
): Problem[] {
  return imageTagConflicts(clusterAutoscaler, kubernetesVersion, join(at, "clusterAutoscaler"));
}
