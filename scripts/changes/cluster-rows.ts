import {
  type ChangeRow,
  gpu,
  system,
  seconds,
  gpuRolling,
  extraSystem,
  clusterLost,
  rolling,
  refused,
} from "./change-row";

export const clusterRows: Readonly<Record<string, ChangeRow>> = {
  clusterName: refused(`${clusterLost} EKS cannot rename a cluster.`, "clusterName=other"),
  kubernetesVersion: {
    effect: "rolling",
    what: "The control plane is updated first, without an interruption of the API for most clients, then kube-proxy, then both node groups, node by node. It cannot be lowered. Refused while pods hold GPUs.",
    time: "10 to 15 min for the control plane, then 10 min per node",
    cost: "additional system nodes meanwhile",
    proof: {
      preview: "kubernetes",
      config: ["kubernetesVersion=1.36"],
      lines: ["Cluster gpu-lab-cluster-eksCluster version", `NodeGroup ${gpu} version`, `NodeGroup ${system} version`],
    },
  },
  publicAccessCidrs: {
    effect: "in place",
    what: "Clients with other addresses can no longer reach the API. Nodes and pods use the private endpoint and notice nothing.",
    time: "2 to 5 min",
    proof: {
      preview: "nodes",
      config: [`publicAccessCidrs=["8.8.4.4/32"]`],
      lines: ["Cluster gpu-lab-cluster-eksCluster vpcConfig.publicAccessCidrs"],
    },
  },
  admins: {
    effect: "in place",
    what: "An access entry is created or deleted. A removed admin loses access at once.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["admins[0]=arn:aws:iam::123456789012:role/x"],
      lines: ["AccessEntry gpu-lab-cluster-admin", "AccessPolicyAssociation gpu-lab-cluster-admin"],
    },
  },
  controlPlaneLogs: {
    effect: "in place",
    what: "EKS starts or stops writing these logs. With an empty list, the log group and its logs are deleted.",
    time: "2 to 5 min",
    cost: "CloudWatch, by GB; the audit log is most of it",
    proof: {
      preview: "nodes",
      config: [`controlPlaneLogs=["api"]`],
      lines: ["Cluster gpu-lab-cluster-eksCluster enabledClusterLogTypes"],
    },
  },
  logRetentionDays: {
    effect: "in place",
    what: "CloudWatch deletes older logs within 72 hours.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["logRetentionDays=14"],
      lines: ["LogGroup gpu-lab-cluster-logs retentionInDays"],
    },
  },
  secretsKey: refused(
    `A first key is added in place. With \`none\`, the cluster would be replaced, and the update fails halfway. With another key, EKS keeps the existing one while Pulumi deletes it.`,
    "secretsKey=none",
  ),
  deletionProtection: {
    effect: "in place",
    what: "See [protection](#protection).",
    time: "1 min",
    proof: {
      preview: "nodes",
      config: ["deletionProtection=true"],
      lines: ["Cluster gpu-lab-cluster-eksCluster deletionProtection"],
    },
  },
  tags: {
    ...rolling("tags.team=b", `LaunchTemplate ${gpu}-launch-template tagSpecifications[0].tags.team`),
    what: `Tags of instances and volumes are part of the launch template. ${gpuRolling} The system nodes are replaced, too.`,
    cost: extraSystem,
  },
};

export const networkRows: Readonly<Record<string, ChangeRow>> = {
  "network.existing": refused(
    "EKS cannot move a cluster to another VPC. Other subnets of the same VPC and the same zones are an update in place.",
    "network.existing.vpcId=vpc-0123456789abcdef0",
    "network.existing.cidrBlock=10.0.0.0/16",
    "network.existing.zones[0]=ap-northeast-2a",
    "network.existing.zones[1]=ap-northeast-2b",
    "network.existing.publicSubnetIds[0]=subnet-0123456789abcdef2",
    "network.existing.privateSubnetIds[0]=subnet-0123456789abcdef0",
    "network.existing.privateSubnetIds[1]=subnet-0123456789abcdef1",
  ),
  "network.cidr": refused(
    "A VPC keeps its block. The update would fail halfway with DependencyViolation, and fail again after the value is set back.",
    "network.cidr=10.20.0.0/16",
  ),
  "network.zones": refused(
    "EKS accepts only subnets in the zones in which a cluster was created. Another order would move blocks to other zones.",
    "network.zones[0]=ap-northeast-2a",
    "network.zones[1]=ap-northeast-2b",
  ),
  "network.publicSubnetCidrs": refused(
    "A subnet keeps its block, and load balancers and NAT gateways use it.",
    ...["96", "100", "104"].map((third, index) => `network.publicSubnetCidrs[${index}]=192.168.${third}.0/22`),
    ...["12", "16", "20"].map((third, index) => `network.privateSubnetCidrs[${index}]=192.168.${third}.0/22`),
  ),
  "network.privateSubnetCidrs": refused(
    "A subnet keeps its block, and nodes and the cluster use it.",
    ...["0", "4", "8"].map((third, index) => `network.publicSubnetCidrs[${index}]=192.168.${third}.0/22`),
    ...["96", "100", "104"].map((third, index) => `network.privateSubnetCidrs[${index}]=192.168.${third}.0/22`),
  ),
  "network.natGateways": {
    effect: "in place",
    what: "Open connections to the internet break when the route of a subnet changes. `none` removes the internet access of all nodes.",
    time: "3 min",
    cost: "each NAT gateway by the hour and by GB",
    proof: {
      preview: "nodes",
      config: ["network.natGateways=perAz"],
      lines: [
        "NatGateway gpu-lab-vpc-nat-",
        "Eip gpu-lab-vpc-nat-",
        "Route gpu-lab-vpc-private-internet-",
        "RouteTable gpu-lab-vpc-private-routes-",
        "RouteTableAssociation gpu-lab-vpc-private-",
        "VpcEndpoint gpu-lab-vpc-endpoint-s3 routeTableIds",
      ],
    },
  },
  "network.interfaceEndpoints": {
    effect: "in place",
    what: "Connections to AWS services move to the endpoints, or back to the NAT gateway; clients retry.",
    time: "3 to 5 min",
    cost: "each endpoint in each zone by the hour",
    proof: {
      preview: "removed",
      config: ["network.interfaceEndpoints=true"],
      lines: [
        "VpcEndpoint gpu-lab-vpc-endpoint-",
        "SecurityGroup gpu-lab-vpc-endpoints",
        "SecurityGroupIngressRule gpu-lab-vpc-endpoints-https",
      ],
    },
  },
  "network.flowLogs": {
    effect: "in place",
    what: "Without them, their log group is deleted with its logs.",
    time: "1 min",
    cost: "CloudWatch, by GB",
    proof: {
      preview: "nodes",
      config: ["network.flowLogs=true"],
      lines: [
        "FlowLog gpu-lab-vpc-flow-log",
        "LogGroup gpu-lab-vpc-flow-log-group",
        "Role gpu-lab-vpc-flow-log-role",
        "RolePolicy gpu-lab-vpc-flow-log-policy",
      ],
    },
  },
  nccl: {
    effect: "in place",
    what: "`blocked` ends traffic between nodes, also of running jobs. Open connections can continue until they are idle.",
    time: seconds,
    proof: {
      preview: "nodes",
      config: ["nccl=blocked"],
      lines: [
        "SecurityGroupIngressRule gpu-lab-firewall-auxiliary-vpc-wide",
        "SecurityGroupIngressRule gpu-lab-firewall-node-to-node",
      ],
    },
  },
};
