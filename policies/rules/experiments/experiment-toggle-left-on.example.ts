import { NodeFirewall } from "../../../components";

export function bad() {
  new NodeFirewall("nodes", {
    vpcId: "vpc-0a1b2c3d",
    vpcCidr: "192.168.0.0/16",
    clusterName: "shop",
    clusterSecurityGroupId: "sg-0a1b2c3d",
    // Every node stays Ready, but a training job on two nodes hangs until its timeout.
    nccl: "blocked",
  });
}

export function good() {
  new NodeFirewall("nodes", {
    vpcId: "vpc-0a1b2c3d",
    vpcCidr: "192.168.0.0/16",
    clusterName: "shop",
    clusterSecurityGroupId: "sg-0a1b2c3d",
    nccl: "open",
  });
}
