import { NcclTest } from "../components";
import { operatorForWaitingPods, type Lab } from "./run/lab";

/** Security groups block every path between nodes that NCCL could use. */
export const ncclBlock: Lab = {
  question: "Why does training on two nodes hang, with both nodes Ready and all pods Running?",
  hypothesis:
    "the all_reduce of two nodes does not start and ends at its timeout, while API, DNS and every health check keep working; after restoring, a new run reports TCP as its transport",
  watch: [
    "kubectl get jobs,pods -n nccl-block -o wide",
    "kubectl logs -n nccl-block -l app.kubernetes.io/name=nccl-test --tail=20 --prefix --ignore-errors",
    "kubectl get nodes",
    "kubectl exec -n monitoring statefulset/prometheus-kube-prometheus-stack-prometheus -c prometheus -- promtool query instant http://localhost:9090 'up == 0'",
  ],
  restore: "pulumi config set fault off && pulumi up",
  local: "Its fault is a rule of EC2 security groups, and NCCL needs two real GPUs.",
  clusterName: "nccl",
  minutes: 40,
  gpuNodes: 2,
  environment: { gpuOperator: operatorForWaitingPods, monitoring: { enabled: true } },
  fault: {
    name: "NCCL blocked",
    environment: { nccl: "blocked" },
    changes: [
      "delete SecurityGroupIngressRule nccl-block-firewall-auxiliary-vpc-wide",
      "delete SecurityGroupIngressRule nccl-block-firewall-node-to-node",
      "replace Job all-reduce",
    ],
  },
  add({ isFaulty, namespace, taints, options, cluster }) {
    const attempt = isFaulty ? "blocked" : "open";
    const test = new NcclTest("all-reduce", { attempt, namespace, taints, cluster }, options);
    return { allReduce: test.commands };
  },
};
