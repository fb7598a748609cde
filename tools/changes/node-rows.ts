import {
  type ChangeRow,
  rolledSystem,
  inPlace,
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

/** What a new minimum or maximum size does: the update also sends the desired size that Pulumi knows. */
const limitWith = (side: "above" | "below") =>
  `With the owner \`pulumi\`, no running node ends. With another owner, a value ${side} the current number of nodes is refused. Apply others with \`pulumi up --refresh\`: the update also sets the desired size in the Pulumi state, and without a refresh nodes can end.`;

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
  "systemNodes.minSize": sized("minSize", system, limitWith("above"), 2),
  "systemNodes.maxSize": sized("maxSize", system, limitWith("below"), 5),
  "systemNodes.diskSizeGiB": rolledSystem(
    "systemNodes.diskSizeGiB=100",
    `LaunchTemplate ${system}-launch-template blockDeviceMappings`,
  ),
  "systemNodes.releaseVersion": rolledSystem(
    "systemNodes.releaseVersion=1.35.99-20991230",
    `NodeGroup ${system} releaseVersion`,
  ),
  "systemNodes.labels": inPlace(
    "EKS changes the labels of running nodes. Running pods stay.",
    "1 min",
    ["systemNodes.labels.x=y"],
    `NodeGroup ${system} labels.x`,
  ),
  "systemNodes.maxPods": rolledSystem("systemNodes.maxPods=60", `LaunchTemplate ${system}-launch-template userData`),
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
  "gpuNodes.minSize": sized("minSize", gpu, limitWith("above"), 1),
  "gpuNodes.maxSize": sized("maxSize", gpu, limitWith("below"), 3),
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
  "gpuNodes.labels": inPlace(
    "EKS changes the labels of running nodes. Running pods stay.",
    "1 min",
    ["gpuNodes.labels.x=y"],
    `NodeGroup ${gpu} labels.x`,
    `Tag ${gpu}-label-x`,
  ),
  "gpuNodes.taints": inPlace(
    "EKS changes the taints of running nodes. `NO_EXECUTE` evicts pods that do not tolerate it.",
    "1 min",
    ["gpuNodes.taints[0].key=a", "gpuNodes.taints[0].value=b", "gpuNodes.taints[0].effect=NO_SCHEDULE"],
    `NodeGroup ${gpu} taints`,
    `Tag ${gpu}-taint-a`,
    operator,
    "Addon gpu-lab-node-monitoring configurationValues",
  ),
  "gpuNodes.maxPods": {
    ...rolling("", ""),
    what: gpuRolling,
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
