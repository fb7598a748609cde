/** What a command writes: an object that a stack has applied, or why it writes none. */
type Written = "Node" | "ClusterPolicy" | "Deployment" | { readonly none: string };

const ofDrill = { none: "objects of the drill's namespace" };
const podsOnly = { none: "a pod or a Job that is created again" };
const ofAddOn = { none: "DaemonSets of an EKS add-on or of a Helm release" };
const ofPage = { none: "objects that the page applies" };
const ofOperator = { none: "labels of the GPU Operator, which no stack sets" };
const prose = { none: "a sentence about the command" };

/**
 * Every command with which a page, a lab, an alert, triage or a drill changes a cluster, without its options.
 * test/docs/cluster-writes.test.ts compares the keys with the texts. test/cluster/other-writers.test.ts runs a command for
 * each key that writes an object of a stack, and then `pulumi up`.
 */
export const clusterWrites: Readonly<Record<string, Written>> = {
  "annotate node … …-": "Node",
  apply: ofPage,
  "cordon …": "Node",
  delete: ofPage,
  "create job -n … …-now-…": podsOnly,
  "delete job all-reduce -n nccl-block": podsOnly,
  "delete job …": podsOnly,
  "delete namespace …": ofDrill,
  "delete nodeclaims": prose,
  "delete nodeclaims …": { none: "a node that its NodePool replaces" },
  "delete node …": { none: "a node that its group or its NodePool replaces" },
  "delete pod -l app.kubernetes.io/name=eks-node-monitoring-agent": podsOnly,
  "delete pod -l app=nvidia-container-toolkit-daemonset": podsOnly,
  "delete pod -l app=nvidia-device-plugin-daemonset": podsOnly,
  "delete pod -l app=nvidia-mig-manager": podsOnly,
  "delete pod -n monitoring prometheus-kube-prometheus-stack-prometheus-0": podsOnly,
  "delete pod notebook": ofDrill,
  "delete pod server": ofDrill,
  "delete pvc model-cache": ofDrill,
  "delete resourceclaim gpu": ofDrill,
  "delete …": podsOnly,
  "drain …": "Node",
  "edit pod server": ofDrill,
  "label node NODE …": { none: "nodes of kind, which no stack creates" },
  "label node NODE …=r1": "Node",
  "label node … nvidia.com/gpu-driver-upgrade-state=upgrade-required": ofOperator,
  "label node … nvidia.com/mig.config=all-disabled": "Node",
  "label node … …": ofOperator,
  patch: prose,
  "patch can disable the device plugin: no node of the cluster advertises a GPU.": prose,
  "patch clusterpolicy/…": "ClusterPolicy",
  "patch deployment server": ofDrill,
  "patch deployment/… -n …": "Deployment",
  // Such a patch writes as the manager `pulumi-kubernetes`, whose fields the next update takes back.
  "patch cronjob -n kube-system NAME": { none: "`suspend`, which no component sets" },
  "patch nodepool": prose,
  "patch nodepool ([": prose,
  "patch nodepool …": { none: "the limit, as the field manager of the provider" },
  "patch of the ClusterPolicy removed the device plugin": prose,
  "patch pod server": ofDrill,
  "patch …": prose,
  "patch …/… -n …": { none: "a StatefulSet or a Job, as the field manager of the provider" },
  "patch … …": { none: "the function that writes such commands" },
  "patch node ……": "Node",
  "rollout restart": prose,
  "rollout restart daemonset -n gpu-operator": ofAddOn,
  "rollout restart daemonset/eks-node-monitoring-agent -n kube-system": ofAddOn,
  "rollout restart …": ofAddOn,
  "rollout undo deployment NAME": "Deployment",
  "scale statefulset train-b": ofDrill,
  "scale statefulset/train-a -n gang-deadlock": { none: "a run that Pulumi replaces as a whole" },
  "taint node … …=…:…-": "Node",
  "taint nodes -l tier=gpu example.com/maintenance-": "Node",
  "taint nodes -l tier=gpu example.com/maintenance=true:NoSchedule": "Node",
  "uncordon …": "Node",
};
