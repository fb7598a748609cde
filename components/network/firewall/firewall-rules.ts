/** Whether a kind of traffic is allowed. */
export type Traffic = "open" | "blocked";

/** The arguments of a NodeFirewall that determine its rules, with every default filled in. */
export interface TrafficModes {
  readonly nccl: Traffic;
  readonly nodeToNode: Traffic;
  readonly vpcWide: Traffic;
  readonly efa: boolean;
}

/** The security group that a rule belongs to, or whose members it allows. */
export type FirewallGroup = "node" | "auxiliary" | "controlPlane";

/** One rule of one security group: one resource. */
export interface FirewallRule {
  /** Unique among the rules; the resource's name ends with it. */
  readonly name: string;
  readonly group: FirewallGroup;
  readonly direction: "ingress" | "egress";
  readonly protocol: "tcp" | "udp" | "all";
  /** First and last port. Without ports, the rule applies to all ports, which is required for all protocols. */
  readonly ports?: readonly [first: number, last: number];
  /** The other side: a security group, the VPC's block or any IPv4 address. */
  readonly peer: FirewallGroup | "vpc" | "anywhere";
  /** Shown in the console. EC2 allows no quotes, arrows or line breaks here. */
  readonly description: string;
}

/** `nccl` sets both toggles; a toggle that is set takes precedence. */
export function trafficModes({
  nccl = "open",
  nodeToNode = nccl,
  vpcWide = nccl,
  efa = false,
}: Partial<TrafficModes>): TrafficModes {
  return { nccl, nodeToNode, vpcWide, efa };
}

/**
 * What the control plane calls on nodes: the kubelet, and webhooks and aggregated APIs on their usual ports.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
 */
const controlPlanePorts: readonly (readonly [port: number, use: string])[] = [
  [443, "webhooks and aggregated APIs"],
  [10250, "kubelet, and the cert-manager webhook"],
  [4443, "metrics-server"],
  [6443, "prometheus-adapter"],
  [8443, "ingress-nginx and Karpenter webhooks"],
  [9443, "AWS Load Balancer Controller and Kueue webhooks"],
  [10251, "metrics-server add-on"],
  [8082, "visibility API of Kueue"],
];

/** Rules that always exist, so that an experiment with NCCL leaves the control plane, DNS and outbound traffic open. */
const always: readonly FirewallRule[] = [
  ...controlPlanePorts.map(([port, use]): FirewallRule => ({
    name: `node-control-plane-${port}`,
    group: "node",
    direction: "ingress",
    protocol: "tcp",
    ports: [port, port],
    peer: "controlPlane",
    description: `Control plane to nodes: ${use}`,
  })),
  ...(["tcp", "udp"] as const).map((protocol): FirewallRule => ({
    name: `node-dns-${protocol}`,
    group: "node",
    direction: "ingress",
    protocol,
    ports: [53, 53],
    peer: "node",
    description: `Node to node: DNS over ${protocol.toUpperCase()}`,
  })),
  {
    name: "node-egress",
    group: "node",
    direction: "egress",
    protocol: "all",
    peer: "anywhere",
    description: "Nodes to anywhere",
  },
  {
    name: "auxiliary-egress",
    group: "auxiliary",
    direction: "egress",
    protocol: "all",
    peer: "anywhere",
    description: "Nodes to anywhere, whatever the node group allows",
  },
  {
    name: "control-plane-api",
    group: "controlPlane",
    direction: "ingress",
    protocol: "tcp",
    ports: [443, 443],
    peer: "node",
    description: "Nodes to the Kubernetes API",
  },
];

const nodeToNode: FirewallRule = {
  name: "node-to-node",
  group: "node",
  direction: "ingress",
  protocol: "tcp",
  ports: [1025, 65535],
  peer: "node",
  description: "Node to node: unprivileged TCP ports, NCCL sockets among them",
};

/**
 * EFA packets have no IP address: only rules that name a security group match them, in both directions. The egress rule
 * to anywhere does not match.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security
 * @see https://github.com/awslabs/awsome-distributed-ai/issues/546
 */
const efa: readonly FirewallRule[] = (["ingress", "egress"] as const).map((direction) => ({
  name: `node-efa-${direction}`,
  group: "node",
  direction,
  protocol: "all",
  peer: "node",
  description: `Node to node: EFA, ${direction}`,
}));

const vpcWide: FirewallRule = {
  name: "auxiliary-vpc-wide",
  group: "auxiliary",
  direction: "ingress",
  protocol: "all",
  peer: "vpc",
  description: "Anything in the VPC to nodes",
};

/**
 * The rules of the node firewall. Two of them allow NCCL, by port and by address, and either one is enough; only `nccl`
 * sets both.
 */
export function firewallRules(modes: TrafficModes): FirewallRule[] {
  return [
    ...always,
    ...(modes.nodeToNode === "open" ? [nodeToNode, ...(modes.efa ? efa : [])] : []),
    ...(modes.vpcWide === "open" ? [vpcWide] : []),
  ];
}
