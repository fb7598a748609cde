"""A GPU lab on Amazon EKS."""

import pulumi
import pulumi_eks_gpu_lab as gpu_lab

config = pulumi.Config()

lab = gpu_lab.GpuEnvironment(
    "lab",
    public_access_cidrs=config.require_object("publicAccessCidrs"),
    gpu_nodes={"instance_type": "g5.xlarge", "max_size": 2},
    lease={"hours": 6, "time_zone": "Asia/Seoul"},
)

pulumi.export("configureKubectl", lab.configure_kubectl)
pulumi.export("scaleUp", lab.scale_up)
pulumi.export("scaleDown", lab.scale_down)
pulumi.export("costPerGpuNode", lab.cost_per_gpu_node)
