import type { Release, ReleaseArgs } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { chartSource, type Chart } from "../../core/helm-chart";
import { makeRelease } from "../../core/helm-release";
import { resolved, type ValueOf } from "../../core/schema";
import type { Tags } from "../../core/tokens";
import {
  WorkloadIdentity,
  type workloadIdentitySchema,
  type WorkloadIdentityArgs,
} from "../identity/workload-identity";
import type { ControllerTransform } from "./controller-schema";

/** Controllers run on the system nodes: on a GPU node one would prevent scale-down, or stop with the node. */
export const systemNodes = { tier: "primary" };

/** The settings of a controller. */
interface ControllerSpec {
  readonly name: string;
  readonly chart: Chart;
  /** The namespace and service account of its pods. */
  readonly place: { readonly namespace: string; readonly serviceAccount: string };
  readonly settings: {
    readonly clusterName: pulumi.Input<string>;
    readonly install: boolean;
    readonly chartVersion: string;
    readonly repository: string;
    readonly timeoutSeconds: number;
    readonly tags: Tags;
  };
  /** The permissions of its pods. */
  readonly policy: WorkloadIdentityArgs["policy"];
  readonly values: ReleaseArgs["values"];
  readonly cluster: pulumi.Resource | undefined;
  readonly transform: ControllerTransform;
  readonly options: pulumi.CustomResourceOptions;
}

/** Creates the identity of a controller's pods, and its release where it is installed. */
export function makeController(spec: ControllerSpec) {
  const { name, place, settings, policy, options } = spec;
  const { clusterName, tags } = settings;
  const { release, ...transform } = spec.transform;
  const { roleArn, ready } = new WorkloadIdentity(
    name,
    resolved<ValueOf<typeof workloadIdentitySchema>>({ ...place, clusterName, policy, tags, transform }),
    options,
  );
  return { roleArn, ready, release: settings.install ? installChart(spec, ready) : undefined };
}

/** Installs the chart after the identity of its pods: pods that start before it never get credentials. */
function installChart(
  { name, chart, place, settings, values, cluster, transform, options }: ControllerSpec,
  ready: pulumi.Resource[],
): Release {
  const args: ReleaseArgs = {
    name: chart.name,
    ...chartSource(settings.repository, chart.name),
    version: settings.chartVersion,
    namespace: place.namespace,
    values,
    timeout: settings.timeoutSeconds,
    skipAwait: false,
    // A failed release stays in the cluster, so that you can find the cause.
    atomic: false,
  };
  const releaseOptions = {
    ...pulumi.mergeOptions(options, { dependsOn: ready }),
    ...(cluster && { deletedWith: cluster }),
  };
  return makeRelease(`${name}-release`, args, transform.release, releaseOptions);
}
