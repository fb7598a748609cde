const metadata = { name: "it", namespace: "lab" };

const nodePool = {
  metadata: { name: "it" },
  spec: {
    ...{ replicas: 0, limits: { cpu: 100 } },
    template: {
      metadata: { labels: { "nvidia.com/gpu": "true" } },
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "gpu" },
        requirements: [
          { key: "node.kubernetes.io/instance-type", operator: "In", values: ["g5.xlarge"] },
          { key: "topology.kubernetes.io/zone", operator: "In", values: ["ap-northeast-2a"] },
        ],
        taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NoSchedule" }],
      },
    },
  },
};

/** A pod with everything that a rule reads. */
const wholePod = {
  nodeSelector: { tier: "gpu" },
  hostNetwork: false,
  hostPID: false,
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "nvidia.com/gpu.product", operator: "In", values: ["NVIDIA-A10G"] }] },
        ],
      },
    },
  },
  tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
  volumes: [{ name: "app", hostPath: { path: "/run/app/app.sock", type: "Socket" } }],
  containers: [
    {
      name: "main",
      image: "nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04",
      resources: {
        limits: { "nvidia.com/gpu": "1", memory: "8Gi" },
        requests: { "nvidia.com/gpu": "1", cpu: "2", memory: "8Gi" },
      },
      securityContext: { privileged: false, capabilities: { add: ["NET_BIND_SERVICE"] } },
    },
  ],
};

/** The same code reads the pods of every kind, so the others may be short. */
const shortPod = { containers: [{ name: "main", image: "registry.example/app:1.2.3" }] };
const template = { metadata: { labels: { app: "it" } }, spec: shortPod };

const zeroGpus = {
  alert: "GpuAllocatableZero",
  expr: 'kube_node_status_allocatable{resource="nvidia_com_gpu"} == 0',
  for: "2m",
};

/** What runs in the cluster. */
const whole: Readonly<Record<string, Record<string, unknown>>> = {
  "kubernetes:core/v1:Pod": { metadata, spec: shortPod },
  "kubernetes:apps/v1:Deployment": {
    metadata,
    spec: {
      replicas: 1,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: { spec: wholePod },
    },
  },
  "kubernetes:argoproj.io/v1alpha1:Rollout": {
    metadata,
    spec: { replicas: 1, strategy: { canary: { maxSurge: 0, maxUnavailable: 1 } }, template: { spec: wholePod } },
  },
  "kubernetes:apps.kruise.io/v1alpha1:CloneSet": {
    metadata,
    spec: { replicas: 1, updateStrategy: { maxSurge: 0, maxUnavailable: 1 }, template: { spec: wholePod } },
  },
  "kubernetes:apps/v1:DaemonSet": {
    metadata,
    spec: { template, updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0 } } },
  },
  "kubernetes:apps/v1:StatefulSet": { metadata, spec: { replicas: 1, template } },
  "kubernetes:apps/v1:ReplicaSet": { metadata, spec: { replicas: 1, template } },
  "kubernetes:core/v1:ReplicationController": { metadata, spec: { replicas: 1, template } },
  "kubernetes:batch/v1:Job": { metadata, spec: { template } },
  "kubernetes:*": { metadata, spec: { pytorchReplicaSpecs: { Master: { replicas: 1, template } } } },
  "kubernetes:batch/v1:CronJob": { metadata, spec: { jobTemplate: { spec: { template } } } },
  "kubernetes:core/v1:PersistentVolume": {
    metadata: { name: "it" },
    spec: { hostPath: { path: "/data/models", type: "Directory" }, claimRef: { name: "models", namespace: "lab" } },
  },
  "kubernetes:karpenter.sh/v1:NodePool": nodePool,
  "kubernetes:karpenter.sh/v1beta1:NodePool": nodePool,
  "kubernetes:rbac.authorization.k8s.io/v1:Role": {
    metadata: { name: "team" },
    rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list"] }],
  },
  "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole": {
    metadata: { name: "team" },
    rules: [{ apiGroups: ["nvidia.com"], resources: ["clusterpolicies"], verbs: ["get", "list"] }],
  },
  "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding": {
    metadata: { name: "team" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "Group", name: "team" }],
  },
  "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding": {
    metadata: { name: "team" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "Group", name: "team" }],
  },
  "kubernetes:monitoring.coreos.com/v1:PrometheusRule": {
    metadata,
    spec: { groups: [{ name: "gpu", rules: [zeroGpus] }] },
  },
  "kubernetes:core/v1:ConfigMap": {
    metadata,
    data: {
      "rules.yaml":
        'groups: [{name: gpu, rules: [{alert: Zero, expr: "kube_node_status_allocatable{resource=\\"nvidia_com_gpu\\"} == 0", for: 2m}]}]',
      "readme.txt": "some text",
    },
  },
};

/** A patch contains only a part of an object that another program created. */
const patches = Object.entries(whole)
  .filter(([type]) => /:(apps|batch|core|rbac\.authorization\.k8s\.io)\/v1:(?!ConfigMap)/.test(type))
  .map(([type, sample]) => [`${type}Patch`, sample] as const);

export const workloads: Readonly<Record<string, Record<string, unknown>>> = {
  "eks-gpu-lab:index:NcclTest": { gpus: 1, nodes: 2 },
  "kubernetes:serving.kserve.io/v1beta1:InferenceService": { spec: { predictor: { minReplicas: 1 } } },
  ...Object.fromEntries(
    [
      ...["jobset.x-k8s.io/v1alpha2:JobSet", "kubeflow.org/v1:PyTorchJob", "kubeflow.org/v2beta1:MPIJob"],
      ...["leaderworkerset.x-k8s.io/v1:LeaderWorkerSet", "ray.io/v1:RayCluster", "ray.io/v1:RayJob"],
      ...["trainer.kubeflow.org/v1alpha1:TrainJob", "serving.knative.dev/v1:Service"],
      ...["v1alpha1", "v1alpha2"].map((version) => `serving.kserve.io/${version}:LLMInferenceService`),
      "machinelearning.seldon.io/v1:SeldonDeployment",
    ].map((type) => [`kubernetes:${type}`, { spec: { replicas: 2 } }]),
  ),
  ...whole,
  ...Object.fromEntries(patches),
  "kubernetes:nvidia.com/v1:ClusterPolicyPatch": {
    metadata: { name: "cluster-policy" },
    spec: { devicePlugin: { enabled: true }, toolkit: { enabled: false } },
  },
};
