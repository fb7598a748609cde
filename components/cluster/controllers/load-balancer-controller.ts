import type { Release } from "@pulumi/kubernetes/helm/v3/release";
import * as pulumi from "@pulumi/pulumi";
import { partitionOf, regionOf } from "../../core/lookups";
import { childOptions } from "../../core/options";
import { refuseWithoutProvider } from "../../core/kubernetes-provider";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, resolveArgs, type GivenOf } from "../../core/schema";
import { token } from "../../core/tokens";
import { loadBalancerControllerChart as chart } from "../../core/versions";
import { makeController, systemNodes } from "./controller-release";
import { controllerEntries } from "./controller-schema";
import { loadBalancerControllerPolicy } from "./load-balancer-controller-policy";

/** Arguments of a LoadBalancerController. */
export const loadBalancerControllerSchema = s.section({
  ...controllerEntries(chart),
  /** The cluster's VPC. The controller's pods cannot read it from the instance metadata service. */
  vpcId: s.input(s.text("set {path} to the id of the cluster's VPC")),
  /**
   * Whether Ingresses may use AWS WAF web ACLs and Shield. These permissions cannot be limited to the cluster. Without
   * them, a controller that is installed in another way must have enableShield, enableWaf and enableWafv2 off.
   *
   * @default false - a lab has no web application to protect
   */
  webProtection: s.optional(s.flag(), false),
});

export interface LoadBalancerControllerArgs extends Readonly<GivenOf<typeof loadBalancerControllerSchema>> {}

export const loadBalancerControllerDefaults = defaultsOf(loadBalancerControllerSchema);

/** Every problem in the arguments. Outputs are not checked. */
export function loadBalancerControllerProblems(args: LoadBalancerControllerArgs, at = ""): readonly Problem[] {
  return problemsIn(loadBalancerControllerSchema, args, at);
}

/** The namespace and service account of the controller's pods. */
const place = { namespace: "kube-system", serviceAccount: "aws-load-balancer-controller" } as const;

/** Values of the chart aws-load-balancer-controller. @see https://github.com/aws/eks-charts/tree/master/stable/aws-load-balancer-controller 3.5.0 */
function loadBalancerControllerValues(args: {
  readonly clusterName: pulumi.Input<string>;
  readonly region: pulumi.Input<string>;
  readonly vpcId: pulumi.Input<string>;
  readonly serviceAccount: string;
  readonly webProtection: boolean;
  readonly tags: Readonly<Record<string, pulumi.Input<string>>>;
}) {
  const { clusterName, region, vpcId, serviceAccount, webProtection, tags } = args;
  return {
    clusterName,
    // Explicit, because pods cannot reach the instance metadata service.
    region,
    vpcId,
    serviceAccount: { create: true, name: serviceAccount },
    nodeSelector: systemNodes,
    enableShield: webProtection,
    enableWaf: webProtection,
    enableWafv2: webProtection,
    // This webhook is called for every new Service: while the controller starts or is broken, none could be created.
    // Services that need a load balancer set the class service.k8s.aws/nlb instead.
    enableServiceMutatorWebhook: false,
    // Load balancers and their security groups, which cost money, are found by the tags of the environment.
    ...(Object.keys(tags).length > 0 && { defaultTags: tags }),
  };
}

/**
 * Creates the role of the AWS Load Balancer Controller, and with `install` the controller. It creates Application and
 * Network Load Balancers for Ingresses and Services.
 *
 * Delete the Ingresses and Services before the cluster: their load balancers outlive it, and prevent the deletion of the
 * VPC.
 *
 * @cost The role is free. Each load balancer is charged by the hour and by its traffic.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class LoadBalancerController extends pulumi.ComponentResource {
  readonly roleArn: pulumi.Output<string>;
  /** What must exist before a controller that is installed in another way starts. */
  readonly ready: pulumi.Resource[];
  /** Undefined where only the identity is created. */
  readonly release: Release | undefined;

  constructor(name: string, args: LoadBalancerControllerArgs, opts?: pulumi.ComponentResourceOptions) {
    const subject = `LoadBalancerController "${name}"`;
    const resolved = resolveArgs(subject, loadBalancerControllerSchema, args);
    const { transform = {}, cluster, ...settings } = resolved;
    super(token("LoadBalancerController"), name, settings, opts);
    if (settings.install) refuseWithoutProvider(subject, this, { path: "install", got: true });
    const options = childOptions(this, opts);
    const { clusterName, vpcId, webProtection, tags } = settings;

    const { partition } = partitionOf(this);
    const policy = pulumi.output({ partition, clusterName, webProtection }).apply(loadBalancerControllerPolicy);
    const region = regionOf(this);
    const values = loadBalancerControllerValues({ ...place, clusterName, region, vpcId, webProtection, tags });

    const made = makeController({ name, chart, place, settings, policy, values, cluster, transform, options });
    this.roleArn = made.roleArn;
    this.ready = made.ready;
    this.release = made.release;
    this.registerOutputs({ roleArn: this.roleArn });
  }
}
