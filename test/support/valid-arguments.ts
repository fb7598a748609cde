import * as library from "../../components";
import type { Problem } from "../../components";
import { inDays } from "../../components/core/faults";
import { problemsIn } from "../../components/core/schema";
import { kubernetesVersion } from "../../components/core/versions";
import { gpuNodeGroup } from "../../components/nodes/gpu-node-group-schema";
import { systemNodeGroup } from "../../components/nodes/system-node-group-schema";

const clusterName = "myeks";
const network = { vpcId: "vpc-0123456789abcdef0", vpcCidr: "10.0.0.0/16" };
const firewall = { ...network, clusterName, clusterSecurityGroupId: "sg-0123456789abcdef0" };
const cluster = { clusterName, vpcId: network.vpcId, subnetIds: ["subnet-1", "subnet-2"], admins: [] };
const publicAccessCidrs = ["198.51.100.7/32"];
const nodes = { clusterName, kubernetesVersion, securityGroupIds: ["sg-1"] };
const pool = { kubernetesVersion, subnetId: "subnet-1", securityGroupIds: ["sg-1"], instanceProfileName: "nodes" };
const policy = { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "s3:Get*", Resource: "*" }] };

const expires = inDays(7, new Date());

/** Each component: valid arguments, one key of its transform, and that key misspelt. */
export const components: readonly [name: string, args: object, key: string, misspelt: string][] = [
  ["Vpc", {}, "flowLogGroup", "flowLogGroups"],
  ["NodeFirewall", firewall, "ingressRule", "ingressRules"],
  ["EksCluster", { ...cluster, publicAccessCidrs }, "accessEntry", "accessEntries"],
  ["ClusterAddons", { clusterName, kubernetesVersion, addons: {} }, "addon", "addons"],
  ["WorkloadIdentity", { clusterName, namespace: "a", serviceAccount: "b", policy }, "association", "asociation"],
  ["LoadBalancerController", { clusterName, vpcId: network.vpcId }, "release", "releases"],
  ["ClusterAutoscaler", { clusterName, kubernetesVersion }, "release", "realease"],
  ["Karpenter", { clusterName }, "eventRule", "eventRules"],
  ["ExternalDnsIdentity", { clusterName, hostedZoneIds: "all" }, "role", "rol"],
  ["SystemNodeGroup", { ...nodes, subnetIds: ["subnet-1"] }, "launchTemplate", "launchtemplate"],
  ["GpuNodeGroup", { ...nodes, subnetId: "subnet-1" }, "nodeGroup", "nodegroup"],
  ["GpuNodePool", pool, "nodeClass", "nodeclass"],
  ["GpuOperator", { kubernetesVersion }, "namespace", "nameSpace"],
  ["EfaDevicePlugin", {}, "release", "relese"],
  ["Monitoring", {}, "release", "releese"],
  ["GpuAlerts", {}, "rule", "rules"],
  ["GpuDashboard", {}, "configMap", "configmap"],
  ["NodeMonitoringAgent", { clusterName, kubernetesVersion }, "addon", "addOn"],
  ["GpuProbe", {}, "pod", "pods"],
  ["GpuDeployment", {}, "deployment", "deploymnet"],
  ["ModelServer", { model: "Qwen/Qwen2.5-0.5B-Instruct" }, "deployment", "deployments"],
  ["NcclTest", {}, "script", "scripts"],
  ["FaultInjection", { expires }, "job", "jobs"],
  ["SocketWatch", {}, "daemonSet", "deamonSet"],
  ["SocketMount", { expires }, "pod", "pods"],
  ["FakeGpus", {}, "node", "nodes"],
  ["MockGpus", {}, "release", "releases"],
  ["GangQueue", { gpuQuota: 2, namespaces: ["gpu-lab"] }, "clusterQueue", "clusterqueue"],
  ["LabLease", { clusterName, nodeGroups: { gpu: { nodeGroupName: "gpu", maxSize: 1 } } }, "queue", "qeue"],
  ["NodePoolLease", { nodePools: ["gpu"], expiresAt: expires }, "cronJob", "cronjob"],
  ["GpuEnvironment", { publicAccessCidrs }, "gpuNodes", "gpuNode"],
];

type Check = (args: object, at?: string) => readonly Problem[];

/** The functions of the library check the settings of node groups, which have no `transform`. */
const nodeGroups: Readonly<Record<string, Check>> = {
  GpuNodeGroup: (args, at) => problemsIn(gpuNodeGroup, args, at),
  SystemNodeGroup: (args, at) => problemsIn(systemNodeGroup, args, at),
};

/** Every problem in the arguments of the component with this name. */
export function componentProblems(name: string, args: object, at?: string): readonly Problem[] {
  const exported = `${name.charAt(0).toLowerCase()}${name.slice(1)}Problems` as keyof typeof library;
  const check = nodeGroups[name] ?? (library[exported] as Check);
  return check(args, at);
}
