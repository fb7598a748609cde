import { getPartitionOutput } from "@pulumi/aws/getPartition";
import { getRegionOutput } from "@pulumi/aws/getRegion";
import type { Release } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { join, keysOf, noObject, onlyKeys, trueOrFalse } from "../../core/checks";
import { withDefaults } from "../../core/defaults";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import { childOptions } from "../../core/options";
import { refuse, type Problem } from "../../core/problems";
import { isRecord } from "../../core/reader/records";
import { token } from "../../core/tokens";
import { loadBalancerControllerChart as chart } from "../../core/versions";
import {
  controllerDefaults,
  controllerArgsProblems,
  controllerKeys,
  makeController,
  type ControllerArgs,
} from "./controller-release";
import { loadBalancerControllerValues } from "./controller-values";
import { loadBalancerControllerPolicy } from "./load-balancer-controller-policy";

export interface LoadBalancerControllerArgs extends ControllerArgs {
  /** The cluster's VPC. The controller's pods cannot ask for it themselves. */
  readonly vpcId: pulumi.Input<string>;
  /**
   * Whether Ingresses may be put behind AWS WAF web ACLs and Shield. These rights cannot be tied to the cluster. A
   * controller that comes another way than by `install` must have enableShield, enableWaf and enableWafv2 off without
   * it.
   *
   * @default false - a lab has no web application to protect
   */
  readonly webProtection?: boolean;
}

export const loadBalancerControllerDefaults = { ...controllerDefaults(chart), webProtection: false } as const;

const argsKeys = keysOf<LoadBalancerControllerArgs>({ ...controllerKeys, vpcId: true, webProtection: true });

/** Where the controller runs, and as whom. */
const place = { namespace: "kube-system", serviceAccount: "aws-load-balancer-controller" } as const;

/** Every problem of the arguments. */
export function loadBalancerControllerProblems(args: LoadBalancerControllerArgs, at = ""): Problem[] {
  if (!isRecord(args)) return noObject(at, args);
  const { webProtection = loadBalancerControllerDefaults.webProtection } = args;
  return [
    ...onlyKeys(at, args, argsKeys),
    ...controllerArgsProblems(args, chart, at),
    ...trueOrFalse(join(at, "webProtection"), webProtection),
  ];
}

/**
 * Gives the AWS Load Balancer Controller its role, and installs the controller when asked to. It makes Application and
 * Network Load Balancers for Ingresses and Services.
 *
 * Delete the Ingresses and Services before the cluster: what the controller made for them outlives it, and keeps the
 * VPC from being deleted.
 *
 * @cost The role is free. Each load balancer that Kubernetes objects ask for is charged by the hour and by its traffic.
 * @throws InputError with every problem of the arguments, before any resource is made
 */
export class LoadBalancerController extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  /** What must be there before a controller that comes another way starts. */
  readonly ready: pulumi.Resource[];
  /** Undefined where only the identity was asked for. */
  readonly release: Release | undefined;

  constructor(name: string, args: LoadBalancerControllerArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `LoadBalancerController "${name}"`;
    refuse(subject, loadBalancerControllerProblems(args));
    const { transform = {}, cluster, ...stated } = args;
    const settings = withDefaults(stated, loadBalancerControllerDefaults);
    super(token("LoadBalancerController"), name, settings, opts);
    if (settings.install) refuseWithoutProvider(subject, this, { path: "install", got: true });
    const options = childOptions(this, opts);
    const { clusterName, vpcId, webProtection } = settings;

    const { partition } = getPartitionOutput({}, { parent: this });
    const policy = pulumi.output({ partition, clusterName, webProtection }).apply(loadBalancerControllerPolicy);
    const { region } = getRegionOutput({}, { parent: this });
    const values = loadBalancerControllerValues({ ...place, clusterName, region, vpcId, webProtection });

    const made = makeController({ name, chart, place, settings, policy, values, cluster, transform, options });
    this.roleArn = made.roleArn;
    this.ready = made.ready;
    this.release = made.release;
    this.registerOutputs({ roleArn: this.roleArn });
  }
}
