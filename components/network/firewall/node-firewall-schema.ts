import type { ec2, vpc } from "@pulumi/aws";
import * as v from "valibot";
import type { Problem } from "../../core/problems";
import { s, defaultsOf, problemsIn, type GivenOf, type ValueOf } from "../../core/schema";
import { join } from "../../core/reader/paths";
import { tagMap, type Tags } from "../../core/tokens";
import { transformOf, type Transform } from "../../core/transform";
import { cidrBlock, vpcPrefixes } from "../cidr";
import { ec2Id } from "../ec2-id";
import type { TrafficModes } from "./firewall-rules";

/** Adjusts each underlying resource of a kind before it is created. */
export interface NodeFirewallTransform {
  readonly nodeSecurityGroup?: Transform<ec2.SecurityGroupArgs>;
  readonly auxiliarySecurityGroup?: Transform<ec2.SecurityGroupArgs>;
  readonly ingressRule?: Transform<vpc.SecurityGroupIngressRuleArgs>;
  readonly egressRule?: Transform<vpc.SecurityGroupEgressRuleArgs>;
}

/**
 * Prefix of the tag by which the AWS Load Balancer Controller finds the group to add its rules to. It fails when a
 * network interface has two tagged groups, so only the node group is tagged.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/1897
 */
export const clusterTag = "kubernetes.io/cluster/";

const transformKeys = {
  nodeSecurityGroup: true,
  auxiliarySecurityGroup: true,
  ingressRule: true,
  egressRule: true,
} as const;

const traffic = () => s.oneOf(["open", "blocked"]);

/** Whether nodes reach each other's NCCL ports. */
export const ncclMode = traffic();

/** Tags that may be on both security groups of a node. */
export function nodeTags() {
  return v.pipe(tagMap(), s.check(clusterTagConflicts));
}

/** Arguments of a NodeFirewall. */
export const nodeFirewallSchema = s.section({
  /** The VPC of the security groups. */
  vpcId: ec2Id("vpc"),
  /** The VPC's IPv4 block, which the vpc-wide rule allows. */
  vpcCidr: s.input(cidrBlock(vpcPrefixes)),
  /**
   * The cluster's physical name: prefix of the groups' names and part of the tag by which controllers find the node
   * group. EKS and EC2 accept up to 100 characters.
   */
  clusterName: s.matching(
    /^(?!sg-)[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
    "1 to 100 letters, digits, hyphens and underscores, beginning with a letter or digit, and not with sg-",
    "set {path} to a name such as myeks",
  ),
  /** The security group that EKS created for the control plane. */
  clusterSecurityGroupId: ec2Id("sg"),
  /**
   * Whether nodes reach each other's NCCL ports. `blocked` removes node-to-node and vpc-wide traffic. Between two nodes
   * only DNS stays open: a Service whose backend is on another node does not answer, and scrapes by Prometheus and the
   * metrics server fail. The Kubernetes API, webhooks, outbound traffic and traffic inside a node are not affected. EC2
   * does not cut tracked connections at once, so start a new job to see the effect.
   *
   * @default "open" - distributed training needs it
   * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/security-group-connection-tracking.html
   */
  nccl: s.optional(ncclMode, "open"),
  /**
   * TCP 1025 to 65535 between nodes, and all EFA traffic. If only this toggle is blocked, EFA stops, but NCCL over
   * sockets continues.
   *
   * @default the value of `nccl` - the two toggles move together
   */
  nodeToNode: s.optional(traffic()),
  /**
   * Everything from the VPC's addresses to nodes. If only this toggle is blocked, NCCL continues.
   *
   * @default the value of `nccl` - the two toggles move together
   */
  vpcWide: s.optional(traffic()),
  /**
   * Whether nodes have Elastic Fabric Adapters, which need a group that allows all traffic from and to itself.
   *
   * @default false - only the larger GPU instance types have them
   */
  efa: s.optional(s.flag(), false),
  /** Tags of the security groups and rules. @default {} - only Name, and the cluster's tag on the node group */
  tags: s.optional(nodeTags(), {}),
  /** Adjusts the underlying resources. @default none - none is adjusted */
  transform: s.optional(transformOf<NodeFirewallTransform>(transformKeys)),
});

export interface NodeFirewallArgs extends Readonly<GivenOf<typeof nodeFirewallSchema>> {}

/** The arguments with every choice made. */
export type CompleteNodeFirewallArgs = ValueOf<typeof nodeFirewallSchema> & TrafficModes;

export const nodeFirewallDefaults = defaultsOf(nodeFirewallSchema);

/** Every problem in the arguments. Outputs are not checked. */
export function nodeFirewallProblems(args: NodeFirewallArgs, at = ""): readonly Problem[] {
  return problemsIn(nodeFirewallSchema, args, at);
}

function clusterTagConflicts(tags: Tags, path: string): Problem[] {
  const keys = Object.keys(tags).filter((key) => key.startsWith(clusterTag));
  return keys.map((key) => {
    const why = "Both groups of a node would have this tag, and the AWS Load Balancer Controller accepts only one.";
    return { code: "conflict", path: join(path, key), got: tags[key], why, fix: `remove ${key} from ${path}` };
  });
}
