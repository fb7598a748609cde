import type { AnalyzedResource } from "../../../policies/engine/judge";
import { resource } from "../support/verdicts";

type Properties = Record<string, unknown>;
type Resources = readonly AnalyzedResource[];

/** Something that has gone wrong on a GPU cluster, as a change of an environment in which nothing is wrong. */
export interface Incident {
  readonly what: string;
  /** The rule that stops it. */
  readonly rule: string;
  readonly change: (resources: Resources) => Resources;
}

const nodeGroup = "aws:eks/nodeGroup:NodeGroup";
const launchTemplate = "aws:ec2/launchTemplate:LaunchTemplate";
const release = "kubernetes:helm.sh/v3:Release";
const addon = "aws:eks/addon:Addon";

/** Changes the resource of a type whose name ends so. */
function changed(type: string, ending: string, change: (properties: Properties) => Properties): Incident["change"] {
  return (resources) => {
    const isIt = (one: AnalyzedResource) => one.type === type && one.name.endsWith(ending);
    if (!resources.some(isIt)) throw new Error(`there is no ${type} ${ending}`);
    return resources.map((one) => (isIt(one) ? { ...one, properties: change(one.properties) } : one));
  };
}

function added(type: string, properties: Properties): Incident["change"] {
  return (resources) => [...resources, resource(type, properties, { name: "added" })];
}

const gpuGroup = (over: Properties) => changed(nodeGroup, "-gpu", (properties) => ({ ...properties, ...over }));
const sizes = (minSize: number, desiredSize: number, maxSize: number) => ({
  scalingConfig: { minSize, desiredSize, maxSize },
});
const gpuTemplate = (over: Properties) =>
  changed(launchTemplate, "gpu-launch-template", (properties) => ({ ...properties, ...over }));
const ownMachine = { instanceType: "g5.xlarge", imageId: "ami-0123456789abcdef0" };
const byTemplate = { amiType: "CUSTOM", instanceTypes: undefined, releaseVersion: undefined };
const operator = (over: Properties) => changed(release, "gpu-operator", (properties) => ({ ...properties, ...over }));
const operatorValues = (over: Properties) =>
  changed(release, "gpu-operator", ({ values, ...rest }) => ({
    ...rest,
    values: { ...(values as Properties), ...over },
  }));

const gpuContainer = {
  name: "main",
  image: "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04",
  resources: { limits: { "nvidia.com/gpu": 1, memory: "4Gi", cpu: "1" }, requests: { "nvidia.com/gpu": 1 } },
};
const toleration = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };
const gpuPod = { containers: [gpuContainer], tolerations: [toleration] };
const metadata = { name: "probe", namespace: "default" };

/** What happened, by what a learner sees of it. */
export const incidents: readonly Incident[] = [
  // The device plugin was off, and the ClusterPolicy stayed ready.
  {
    what: "the device plugin is switched off in the chart's values",
    rule: "device-plugin-enabled",
    change: operatorValues({ devicePlugin: { enabled: false } }),
  },
  {
    what: "the device plugin is patched away, in Pulumi",
    rule: "device-plugin-enabled",
    change: added("kubernetes:nvidia.com/v1:ClusterPolicyPatch", {
      apiVersion: "nvidia.com/v1",
      kind: "ClusterPolicy",
      metadata: { name: "cluster-policy" },
      spec: { devicePlugin: { enabled: false } },
    }),
  },
  {
    what: "a role that others made is patched to change the ClusterPolicy",
    rule: "rbac-cluster-policy-write",
    change: added("kubernetes:rbac.authorization.k8s.io/v1:ClusterRolePatch", {
      metadata: { name: "view" },
      rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["patch"] }],
    }),
  },
  {
    what: "a team may patch the ClusterPolicy",
    rule: "rbac-cluster-policy-write",
    change: added("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", {
      metadata: { name: "team" },
      rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "patch"] }],
    }),
  },
  {
    what: "an alert waits for the resource to vanish, which stays with the value 0",
    rule: "gpu-alert-zero-not-absent",
    change: added("kubernetes:monitoring.coreos.com/v1:PrometheusRule", {
      metadata,
      spec: {
        groups: [
          {
            name: "gpu",
            rules: [
              { alert: "NoGpu", for: "2m", expr: 'absent(kube_node_status_allocatable{resource="nvidia_com_gpu"})' },
            ],
          },
        ],
      },
    }),
  },
  {
    what: "a probe asks for a GPU and tolerates no taint",
    rule: "gpu-pod-shape",
    change: added("kubernetes:core/v1:Pod", { metadata, spec: { containers: [gpuContainer] } }),
  },
  {
    what: "the operator's DaemonSets tolerate another taint than that of the GPU nodes",
    rule: "operator-tolerates-taints",
    change: operatorValues({ daemonsets: { tolerations: [{ key: "team", operator: "Exists" }] } }),
  },
  {
    what: "an alert waits for a number to vanish that a recording rule has named",
    rule: "gpu-alert-zero-not-absent",
    change: added("kubernetes:monitoring.coreos.com/v1:PrometheusRule", {
      metadata,
      spec: {
        groups: [
          {
            name: "gpu",
            rules: [
              { record: "node:gpus", expr: 'kube_node_status_allocatable{resource=~"nvidia.*"}' },
              { alert: "NoGpu", for: "2m", expr: "absent(node:gpus)" },
            ],
          },
        ],
      },
    }),
  },
  // Nodes were replaced for a monitor that could not reach them.
  {
    what: "the monitor's DCGM server does not tolerate the taint of the GPU nodes",
    rule: "nma-node-repair",
    change: changed(addon, "node-monitoring", ({ configurationValues: _, ...rest }) => rest),
  },
  {
    what: "the monitor's configuration is neither JSON nor YAML",
    rule: "nma-node-repair",
    change: changed(addon, "node-monitoring", (rest) => ({ ...rest, configurationValues: '{"dcgmAgent":' })),
  },
  {
    what: "the monitor's configuration in YAML tolerates another taint",
    rule: "nma-node-repair",
    change: changed(addon, "node-monitoring", (rest) => ({
      ...rest,
      configurationValues: "dcgmAgent:\n  tolerations:\n  - key: team\n    operator: Exists\n",
    })),
  },
  {
    what: "the monitor's DCGM server is off, and the monitor has no other engine",
    rule: "nma-node-repair",
    change: changed(addon, "node-monitoring", (rest) => ({
      ...rest,
      configurationValues: JSON.stringify({ dcgmAgent: { enabled: false } }),
    })),
  },
  {
    what: "a second exporter brings a DCGM engine of its own",
    rule: "one-dcgm-engine",
    change: added(release, { chart: "dcgm-exporter", version: "4.8.1", timeout: 900 }),
  },
  {
    what: "a repair override names an action that EKS does not know",
    rule: "node-repair-overrides",
    change: gpuGroup({
      nodeRepairConfig: {
        enabled: true,
        maxParallelNodesRepairedCount: 1,
        nodeRepairConfigOverrides: [
          {
            nodeMonitoringCondition: "AcceleratedHardwareReady",
            nodeUnhealthyReason: "NvidiaXID79Error",
            minRepairWaitTimeMins: 10,
            repairAction: "Terminate",
          },
        ],
      },
    }),
  },
  // A rollout waited forever for the last GPU.
  {
    what: "a rollout of one replica starts its second pod before the first goes",
    rule: "gpu-rollout-deadlock",
    change: (resources) =>
      added("kubernetes:apps/v1:Deployment", {
        metadata,
        spec: { replicas: 1, strategy: { type: "RollingUpdate" }, template: { spec: gpuPod } },
      })(gpuGroup(sizes(0, 0, 1))(resources)),
  },
  {
    what: "a rollout finds no GPU, for a DaemonSet holds one of every node",
    rule: "gpu-rollout-deadlock",
    change: (resources) =>
      added("kubernetes:apps/v1:Deployment", { metadata, spec: { replicas: 1, template: { spec: gpuPod } } })(
        added("kubernetes:apps/v1:DaemonSet", { metadata, spec: { template: { spec: gpuPod } } })(
          gpuGroup(sizes(0, 0, 2))(resources),
        ),
      ),
  },
  {
    what: "a GPU pod is pinned to one node by its name",
    rule: "nodeselector-hostname",
    change: added("kubernetes:core/v1:Pod", {
      metadata,
      spec: { ...gpuPod, nodeSelector: { "kubernetes.io/hostname": "ip-192-168-12-34" } },
    }),
  },
  // The environment cost money, broke on a version, or measured the wrong thing.
  { what: "more GPU nodes desired than allowed", rule: "nodegroup-scaling-order", change: gpuGroup(sizes(0, 0, 0)) },
  { what: "two GPU nodes committed", rule: "gpu-desired-zero", change: gpuGroup(sizes(0, 2, 2)) },
  {
    what: "two GPU nodes committed, their type in the launch template",
    rule: "gpu-desired-zero",
    change: (resources) => gpuTemplate(ownMachine)(gpuGroup({ ...byTemplate, ...sizes(0, 2, 2) })(resources)),
  },
  {
    what: "no taint on GPU nodes whose type is in the launch template",
    rule: "gpu-taint-present",
    change: (resources) => gpuTemplate(ownMachine)(gpuGroup({ ...byTemplate, taints: [] })(resources)),
  },
  { what: "three g5.xlarge with a quota of 8 vCPU", rule: "gpu-vcpu-quota", change: gpuGroup(sizes(0, 0, 3)) },
  {
    what: "spot and on-demand GPU instances in one group, more than the quotas have of either",
    rule: "gpu-vcpu-quota",
    change: (stack) =>
      added("aws:autoscaling/schedule:Schedule", { autoscalingGroupName: "mixed", desiredCapacity: 0 })(
        added("aws:autoscaling/group:Group", {
          name: "mixed",
          minSize: 0,
          desiredCapacity: 0,
          maxSize: 100,
          mixedInstancesPolicy: {
            instancesDistribution: { onDemandBaseCapacity: 1, onDemandPercentageAboveBaseCapacity: 50 },
            launchTemplate: { overrides: [{ instanceType: "g5.xlarge" }] },
          },
        })(stack),
      ),
  },
  {
    what: "a group of nodes takes its machines from a launch configuration",
    rule: "asg-launch-template",
    change: added("aws:autoscaling/group:Group", {
      minSize: 0,
      desiredCapacity: 0,
      maxSize: 0,
      launchConfiguration: "nodes",
    }),
  },
  {
    what: "a version update may start two more nodes than the quota has room for",
    rule: "gpu-update-headroom",
    change: gpuGroup({ updateConfig: { maxUnavailable: 1 } }),
  },
  { what: "the chart floats", rule: "gpu-operator-chart-pinned", change: operator({ version: ">=26.3.0" }) },
  {
    what: "a chart that does not know the cluster's Kubernetes",
    rule: "gpu-operator-k8s-compat",
    change: (resources) =>
      changed("eks:index:Cluster", "", (properties) => ({ ...properties, version: "1.36" }))(
        operator({ version: "v26.3.1" })(resources),
      ),
  },
  {
    what: "the operator installs a driver over that of the AMI",
    rule: "nvidia-ami-driver-toolkit-off",
    change: operatorValues({ driver: { enabled: true } }),
  },
  {
    what: "GPU nodes in several zones",
    rule: "gpu-single-az",
    change: gpuGroup({ subnetIds: ["subnet-0a", "subnet-0b", "subnet-0c"] }),
  },
  { what: "a GPU group without its taint", rule: "gpu-taint-present", change: gpuGroup({ taints: [] }) },
  {
    what: "30 GiB for CUDA images",
    rule: "gpu-node-disk",
    change: gpuTemplate({
      blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 30, volumeType: "gp3", encrypted: "true" } }],
    }),
  },
  {
    what: "every package is updated at boot",
    rule: "gpu-userdata-drift",
    change: gpuTemplate({ userData: Buffer.from("#!/bin/bash\ndnf update -y\n").toString("base64") }),
  },
  {
    what: "an add-on takes the newest version",
    rule: "addons-pinned",
    change: changed(addon, "coredns", ({ addonVersion: _, ...rest }) => rest),
  },
  {
    what: "controllers act with the role of the nodes",
    rule: "node-role-minimal",
    change: (resources) => {
      const attachment = resources.find(
        ({ type, name }) => type.endsWith(":RolePolicyAttachment") && name.startsWith("gpu-lab-gpu-"),
      );
      if (!attachment) throw new Error("there is no attachment");
      const policyArn = "arn:aws:iam::aws:policy/AmazonRoute53FullAccess";
      const urn = `${attachment.urn}-dns`;
      const properties = { ...attachment.properties, policyArn };
      return [...resources, { ...attachment, urn, name: `${attachment.name}-dns`, properties }];
    },
  },
  {
    what: "a role takes away what is attached to it",
    rule: "iam-role-policy-conflict",
    change: changed("aws:iam/role:Role", "gpu-lab-gpu-role", (properties) => ({
      ...properties,
      managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"],
    })),
  },
  {
    what: "the NCCL paths stay closed",
    rule: "experiment-toggle-left-on",
    change: (resources) => resources.filter(({ name }) => !/node-to-node$|vpc-wide$/.test(name)),
  },
  {
    what: "a fault is left on without an end",
    rule: "experiment-toggle-left-on",
    change: (resources) => resources,
  },
  {
    what: "a role for a dashboard reads every secret",
    rule: "rbac-secrets-read",
    change: added("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", {
      metadata: { name: "dashboard" },
      rules: [{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "list", "watch"] }],
    }),
  },
  {
    what: "a role is named as if it were Kubernetes' own",
    rule: "rbac-wildcards",
    change: added("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole", {
      metadata: { name: "system:team" },
      rules: [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["*"] }],
    }),
  },
  // A containerd socket became a directory.
  {
    what: "a pod mounts the runtime's socket without a type",
    rule: "hostpath-socket-type",
    change: added("kubernetes:core/v1:Pod", {
      metadata,
      spec: {
        containers: [{ name: "agent", image: "registry.example/agent:1.2.3" }],
        volumes: [{ name: "socket", hostPath: { path: "/run/containerd/containerd.sock" } }],
      },
    }),
  },
  {
    what: "a pod mounts a socket without a type",
    rule: "hostpath-socket-type",
    change: added("kubernetes:core/v1:Pod", {
      metadata,
      spec: {
        containers: [{ name: "agent", image: "registry.example/agent:1.2.3" }],
        volumes: [{ name: "socket", hostPath: { path: "/run/app/agent.sock" } }],
      },
    }),
  },
];

/** The stack's configuration in an incident that lies there. */
export const configurationOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a fault is left on without an end": { "eks-gpu-lab:fault": "on" },
};
