import {
  type ChangeRow,
  gpu,
  system,
  operator,
  perNode,
  gpuRolling,
  systemRolling,
  systemReplaced,
  extraSystem,
  rolling,
  replaced,
  sized,
  unchanged,
} from "./change-row";

export const systemRows: Readonly<Record<string, ChangeRow>> = {
  "systemNodes.owner": unchanged(
    "From then on, Pulumi ignores or sets the number of nodes.",
    "systemNodes.owner=session",
  ),
  "systemNodes.instanceType": {
    effect: "replaced",
    what: systemReplaced,
    time: "5 to 10 min",
    cost: extraSystem,
    proof: {
      preview: "replaced",
      config: ["systemNodes.instanceType=t3.large"],
      lines: [`NodeGroup ${system} instanceTypes`],
    },
  },
  "systemNodes.desiredSize": sized("desiredSize", system, "Fewer nodes: the pods of the ended nodes move.", 3),
  "systemNodes.minSize": sized(
    "minSize",
    system,
    "No node ends. Refused above the current number with another owner than `pulumi`.",
    2,
  ),
  "systemNodes.maxSize": sized(
    "maxSize",
    system,
    "No node ends. Refused below the current number with another owner than `pulumi`.",
    5,
  ),
  "systemNodes.diskSizeGiB": {
    effect: "rolling",
    what: systemRolling,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "rolling",
      config: ["systemNodes.diskSizeGiB=100"],
      lines: [`LaunchTemplate ${system}-launch-template blockDeviceMappings`],
    },
  },
  "systemNodes.releaseVersion": {
    effect: "rolling",
    what: systemRolling,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "rolling",
      config: ["systemNodes.releaseVersion=1.35.99-20991230"],
      lines: [`NodeGroup ${system} releaseVersion`],
    },
  },
  "systemNodes.labels": {
    effect: "in place",
    what: "EKS changes the labels of running nodes. Running pods stay.",
    time: "1 min",
    proof: { preview: "nodes", config: ["systemNodes.labels.x=y"], lines: [`NodeGroup ${system} labels.x`] },
  },
  "systemNodes.maxPods": {
    effect: "rolling",
    what: `${systemRolling}`,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "rolling",
      config: ["systemNodes.maxPods=60"],
      lines: [`LaunchTemplate ${system}-launch-template userData`],
    },
  },
  "systemNodes.tools": {
    effect: "rolling",
    what: systemRolling,
    time: perNode,
    cost: extraSystem,
    proof: {
      preview: "replaced",
      config: ["systemNodes.tools[0]=htop"],
      lines: [`LaunchTemplate ${system}-launch-template userData`],
    },
  },
};

export const gpuRows: Readonly<Record<string, ChangeRow>> = {
  "gpuNodes.owner": unchanged(
    "From then on, Pulumi ignores or sets the number of nodes. With `pulumi`, the update sets `desiredSize`.",
    "gpuNodes.owner=autoscaler",
  ),
  "gpuNodes.azIndex": replaced(["gpuNodes.azIndex=1"], `NodeGroup ${gpu} subnetIds`),
  "gpuNodes.instanceType": replaced(["gpuNodes.instanceType=g5.8xlarge"], `NodeGroup ${gpu} instanceTypes`),
  "gpuNodes.desiredSize": unchanged(
    "Only the size at creation. With the owner `pulumi` it is an update in place that starts or ends nodes.",
    "gpuNodes.desiredSize=1",
  ),
  "gpuNodes.minSize": sized(
    "minSize",
    gpu,
    "No node ends. Refused above the current number with another owner than `pulumi`.",
    1,
  ),
  "gpuNodes.maxSize": sized(
    "maxSize",
    gpu,
    "No node ends. Refused below the current number with another owner than `pulumi`.",
    3,
  ),
  "gpuNodes.diskSizeGiB": rolling(
    "gpuNodes.diskSizeGiB=200",
    `LaunchTemplate ${gpu}-launch-template blockDeviceMappings`,
    `Tag ${gpu}-resources-ephemeral-storage tag.value`,
  ),
  "gpuNodes.releaseVersion": rolling("gpuNodes.releaseVersion=1.35.99-20991230", `NodeGroup ${gpu} releaseVersion`),
  "gpuNodes.capacityType": replaced(["gpuNodes.capacityType=SPOT"], `NodeGroup ${gpu} capacityType`),
  "gpuNodes.capacityReservation": rolling(
    "gpuNodes.capacityReservation.id=cr-0123456789abcdef0",
    `LaunchTemplate ${gpu}-launch-template capacityReservationSpecification`,
  ),
  "gpuNodes.placementGroup": rolling(
    "gpuNodes.placementGroup=close",
    `LaunchTemplate ${gpu}-launch-template placement`,
  ),
  "gpuNodes.efa": {
    ...rolling("gpuNodes.efa=true", `LaunchTemplate ${gpu}-launch-template networkInterfaces`),
    proof: {
      preview: "replaced",
      config: ["gpuNodes.efa=true"],
      lines: [
        `LaunchTemplate ${gpu}-launch-template networkInterfaces`,
        `LaunchTemplate ${gpu}-launch-template vpcSecurityGroupIds`,
        "SecurityGroupEgressRule gpu-lab-firewall-",
        "SecurityGroupIngressRule gpu-lab-firewall-",
        "Release gpu-lab-efa-device-plugin",
      ],
    },
  },
  "gpuNodes.localStorage": {
    ...rolling("", ""),
    proof: {
      preview: "replaced",
      config: ["gpuNodes.localStorage=raid0"],
      lines: [`LaunchTemplate ${gpu}-launch-template userData`],
    },
  },
  "gpuNodes.labels": {
    effect: "in place",
    what: "EKS changes the labels of running nodes. Running pods stay.",
    time: "1 min",
    proof: {
      preview: "nodes",
      config: ["gpuNodes.labels.x=y"],
      lines: [`NodeGroup ${gpu} labels.x`, `Tag ${gpu}-label-x`],
    },
  },
  "gpuNodes.taints": {
    effect: "in place",
    what: "EKS changes the taints of running nodes. `NO_EXECUTE` evicts pods that do not tolerate it.",
    time: "1 min",
    proof: {
      preview: "nodes",
      config: ["gpuNodes.taints[0].key=a", "gpuNodes.taints[0].value=b", "gpuNodes.taints[0].effect=NO_SCHEDULE"],
      lines: [
        `NodeGroup ${gpu} taints`,
        `Tag ${gpu}-taint-a`,
        operator,
        "Addon gpu-lab-node-monitoring configurationValues",
      ],
    },
  },
  "gpuNodes.maxPods": {
    ...rolling("", ""),
    what: `${gpuRolling}`,
    proof: {
      preview: "rolling",
      config: ["gpuNodes.maxPods=60"],
      lines: [`LaunchTemplate ${gpu}-launch-template userData`],
    },
  },
  "gpuNodes.tools": {
    ...rolling("", ""),
    proof: {
      preview: "removed",
      config: ["gpuNodes.tools[0]=htop"],
      lines: [`LaunchTemplate ${gpu}-launch-template userData`],
    },
  },
};
