import type { ec2, vpc } from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { isPlainObject, join, keysOf, matching, noObject, oneOf, onlyKeys, trueOrFalse } from "../../core/checks";
import { isOutput } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { tagsProblems, type Tags } from "../../core/tokens";
import { transformProblems, type Transform } from "../../core/transform";
import { resourceId } from "../checks";
import { cidrProblems, vpcPrefixes } from "../cidr";
import type { Traffic } from "./firewall-rules";

export interface NodeFirewallArgs {
  readonly vpcId: pulumi.Input<string>;
  /** The VPC's IPv4 block, which the vpc-wide rule lets in. */
  readonly vpcCidr: pulumi.Input<string>;
  /**
   * The cluster's physical name: prefix of the groups' names and part of the tag by which controllers find the node
   * group.
   */
  readonly clusterName: string;
  /** The security group that EKS made for the control plane. */
  readonly clusterSecurityGroupId: pulumi.Input<string>;
  /**
   * Whether nodes reach each other's NCCL ports. "blocked" takes away node-to-node and vpc-wide traffic together, and
   * nothing else: DNS, the Kubernetes API, webhooks and the way out stay. Every other connection between pods on two
   * nodes goes with it, scraping by Prometheus and the metrics server included. Flows that run already are tracked and
   * not cut at once, so start a fresh job to see the effect.
   *
   * @default "open" - distributed training needs it
   * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-connection-tracking.html
   */
  readonly nccl?: Traffic;
  /**
   * TCP 1025 to 65535 between nodes, and all EFA traffic. Blocked alone it stops EFA, but not NCCL over sockets.
   *
   * @default the value of `nccl` - the two switches move together
   */
  readonly nodeToNode?: Traffic;
  /**
   * Everything from the VPC's addresses to nodes. Blocked alone it stops no NCCL.
   *
   * @default the value of `nccl` - the two switches move together
   */
  readonly vpcWide?: Traffic;
  /**
   * Whether nodes have Elastic Fabric Adapters, which want a group that allows all traffic from and to itself.
   *
   * @default false - only the larger GPU instance types have them
   */
  readonly efa?: boolean;
  /**
   * Tags of the security groups and rules.
   *
   * @default {} - only the Name, and the cluster's tag on the node group
   */
  readonly tags?: Tags;
  /**
   * Escape hatch: adjusts the underlying resources.
   *
   * @default {} - none is adjusted
   */
  readonly transform?: NodeFirewallTransform;
}

/** Adjusts each underlying resource of a kind before it is made. */
export interface NodeFirewallTransform {
  readonly nodeSecurityGroup?: Transform<ec2.SecurityGroupArgs>;
  readonly auxiliarySecurityGroup?: Transform<ec2.SecurityGroupArgs>;
  readonly ingressRule?: Transform<vpc.SecurityGroupIngressRuleArgs>;
  readonly egressRule?: Transform<vpc.SecurityGroupEgressRuleArgs>;
}

/**
 * Prefix of the tag by which the AWS Load Balancer Controller finds the group to add its rules to. It gives up when a
 * network interface has two tagged groups, so of the groups on a node the node group alone is tagged.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/1897
 */
export const clusterTag = "kubernetes.io/cluster/";

export const nodeFirewallDefaults = { nccl: "open", efa: false, tags: {} } as const;

const nodeFirewallKeys = keysOf<NodeFirewallArgs>({
  vpcId: true,
  vpcCidr: true,
  clusterName: true,
  clusterSecurityGroupId: true,
  nccl: true,
  nodeToNode: true,
  vpcWide: true,
  efa: true,
  tags: true,
  transform: true,
});

export const nodeFirewallTransformKeys = keysOf<NodeFirewallTransform>({
  nodeSecurityGroup: true,
  auxiliarySecurityGroup: true,
  ingressRule: true,
  egressRule: true,
});

/** Every problem of the arguments. Values that are known only later are not checked. */
export function nodeFirewallProblems(args: NodeFirewallArgs, at = ""): Problem[] {
  const given: unknown = args;
  if (!isPlainObject(given)) return noObject(at, given);
  const { vpcId, vpcCidr, clusterName, clusterSecurityGroupId, nodeToNode, vpcWide } = args;
  const { nccl = nodeFirewallDefaults.nccl, efa = nodeFirewallDefaults.efa } = args;
  const traffic = (key: string, got: unknown) =>
    got === undefined ? [] : oneOf(join(at, key), got, ["open", "blocked"]);
  return [
    ...onlyKeys(at, given, nodeFirewallKeys),
    ...resourceId(join(at, "vpcId"), vpcId, "vpc"),
    ...(isOutput(vpcCidr) ? [] : cidrProblems(join(at, "vpcCidr"), vpcCidr, vpcPrefixes)),
    ...clusterNameProblems(join(at, "clusterName"), clusterName),
    ...resourceId(join(at, "clusterSecurityGroupId"), clusterSecurityGroupId, "sg"),
    ...traffic("nccl", nccl),
    ...traffic("nodeToNode", nodeToNode),
    ...traffic("vpcWide", vpcWide),
    ...trueOrFalse(join(at, "efa"), efa),
    ...tagsProblems(join(at, "tags"), args.tags),
    ...clusterTagProblems(join(at, "tags"), args.tags),
    ...transformProblems(join(at, "transform"), args.transform, nodeFirewallTransformKeys),
  ];
}

function clusterTagProblems(path: string, tags: Tags | undefined): Problem[] {
  const keys = Object.keys(tags ?? {}).filter((key) => key.startsWith(clusterTag));
  return keys.map((key) => {
    const why =
      "It would stand on both groups of a node, and the AWS Load Balancer Controller takes one group with it only.";
    return { code: "conflict", path: join(path, key), got: tags?.[key], why, fix: `remove ${key} from ${path}` };
  });
}

/** What EKS takes for a name, and EC2 for the beginning of a security group's. */
function clusterNameProblems(path: string, got: unknown): Problem[] {
  const form =
    "1 to 100 letters, digits, hyphens and underscores, the first a letter or digit, and must not begin with sg-";
  return matching(path, got, /^(?!sg-)[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, form, `set ${path} to a name such as myeks`);
}
