import {
  type ChangeRow,
  inPlace,
  switched,
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
  publicAccessCidrs: inPlace(
    "Clients with other addresses can no longer reach the API. Nodes and pods use the private endpoint and notice nothing.",
    "2 to 5 min",
    [`publicAccessCidrs=["8.8.4.4/32"]`],
    "Cluster gpu-lab-cluster-eksCluster vpcConfig.publicAccessCidrs",
  ),
  admins: inPlace(
    "An access entry is created or deleted. A removed admin loses access at once.",
    seconds,
    ["admins[0]=arn:aws:iam::123456789012:role/x"],
    "AccessEntry gpu-lab-cluster-admin",
    "AccessPolicyAssociation gpu-lab-cluster-admin",
  ),
  controlPlaneLogs: {
    ...inPlace(
      "EKS starts or stops writing these logs. With an empty list, the log group and its logs are deleted.",
      "2 to 5 min",
      [`controlPlaneLogs=["api"]`],
      "Cluster gpu-lab-cluster-eksCluster enabledClusterLogTypes",
    ),
    cost: "CloudWatch, by GB; the audit log is most of it",
  },
  logRetentionDays: inPlace(
    "CloudWatch deletes older logs within 72 hours.",
    seconds,
    ["logRetentionDays=14"],
    "LogGroup gpu-lab-cluster-logs retentionInDays",
  ),
  secretsKey: refused(
    "Adding the first key is not refused: EKS encrypts the Secrets in place. A key cannot be removed or exchanged. With `none`, Pulumi would replace the cluster, and the update fails halfway. With another key, EKS keeps using the existing key, and Pulumi deletes it if this stack created it: 7 days later, no Secret can be read.",
    "secretsKey=none",
  ),
  deletionProtection: inPlace(
    "See [protection](#protection).",
    "1 min",
    ["deletionProtection=true"],
    "Cluster gpu-lab-cluster-eksCluster deletionProtection",
  ),
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
    ...inPlace(
      "Open connections to the internet break when the route of a subnet changes. `none` removes the internet access of all nodes.",
      "3 min",
      ["network.natGateways=perAz"],
      "NatGateway gpu-lab-vpc-nat-",
      "Eip gpu-lab-vpc-nat-",
      "Route gpu-lab-vpc-private-internet-",
      "RouteTable gpu-lab-vpc-private-routes-",
      "RouteTableAssociation gpu-lab-vpc-private-",
      "VpcEndpoint gpu-lab-vpc-endpoint-s3 routeTableIds",
    ),
    cost: "each NAT gateway by the hour and by GB",
  },
  "network.interfaceEndpoints": {
    ...switched(
      "Connections to AWS services move to the endpoints, or back to the NAT gateway; clients retry.",
      "3 to 5 min",
      ["network.interfaceEndpoints=true"],
      "VpcEndpoint gpu-lab-vpc-endpoint-",
      "SecurityGroup gpu-lab-vpc-endpoints",
      "SecurityGroupIngressRule gpu-lab-vpc-endpoints-https",
    ),
    cost: "each endpoint in each zone by the hour",
  },
  "network.flowLogs": {
    ...inPlace(
      "Without them, their log group is deleted with its logs.",
      "1 min",
      ["network.flowLogs=true"],
      "FlowLog gpu-lab-vpc-flow-log",
      "LogGroup gpu-lab-vpc-flow-log-group",
      "Role gpu-lab-vpc-flow-log-role",
      "RolePolicy gpu-lab-vpc-flow-log-policy",
    ),
    cost: "CloudWatch, by GB",
  },
  nccl: inPlace(
    "`blocked` ends traffic between nodes, also of running jobs. Open connections can continue until they are idle.",
    seconds,
    ["nccl=blocked"],
    "SecurityGroupIngressRule gpu-lab-firewall-auxiliary-vpc-wide",
    "SecurityGroupIngressRule gpu-lab-firewall-node-to-node",
  ),
};
