import { NodeFirewall } from "../../../components";

export function example(good: boolean) {
  new NodeFirewall("nodes", {
    vpcId: "vpc-0a1b2c3d",
    vpcCidr: "192.168.0.0/16",
    clusterName: "shop",
    clusterSecurityGroupId: "sg-0a1b2c3d",
    // Every node stays Ready, but a training job on two nodes hangs until its timeout.
    nccl: good ? "open" : "blocked",
  });
}
