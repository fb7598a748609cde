import { StatefulSet } from "@pulumi/kubernetes/apps/v1/statefulSet";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import type { core } from "@pulumi/kubernetes/types/input";
import { leastRights, podBasics, resources } from "../../components/workloads/shared/gpu-pod";
import { awaited, replacedWhole, selectorLabels, workloadLabels } from "../../components/workloads/shared/workload";
import { workloadImages } from "../../components/core/versions";
import type { LabPlace } from "./lab";

const workload = "training-run";

/** Pods of a run; each needs one GPU, and computes only together with the others. */
export const ranks = 2;

/** How the ranks of a run start. */
export interface RankStart {
  /** Whether the run has been started. A run that is not has no pods. */
  readonly isStarted: boolean;
  /** Seconds that a rank prepares before the next one is created. @default none - all ranks are created at once */
  readonly preparesSeconds?: number;
}

/**
 * A distributed training as a StatefulSet, with a Service that gives each rank a name. Each rank waits until all of them
 * run, as `torchrun` does.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-management-policies
 */
export function makeTrainingRun(name: string, start: RankStart, { namespace, taints, options, cluster }: LabPlace) {
  const own = { ...options, ...(cluster && { deletedWith: cluster }) };
  const labels = workloadLabels(workload, name);
  const metadata = { name, namespace, labels, ...awaited(false) };
  const selector = selectorLabels(workload, name);
  const ports = [{ name: "rendezvous", port: 29_500 }];
  const names = { clusterIP: "None", publishNotReadyAddresses: true, selector, ports };
  new Service(`${name}-service`, { metadata, spec: names }, own);
  const { isStarted, preparesSeconds } = start;
  const order =
    preparesSeconds === undefined
      ? { podManagementPolicy: "Parallel" }
      : { podManagementPolicy: "OrderedReady", minReadySeconds: preparesSeconds };
  const spec = {
    ...{ serviceName: name, replicas: isStarted ? ranks : 0, ...order, selector: { matchLabels: selector } },
    template: { metadata: { labels }, spec: { ...podBasics(taints), containers: [rank(name)] } },
  };
  new StatefulSet(name, { metadata, spec }, { ...own, ...replacedWhole });
}

/** As process 1, sleep would ignore SIGTERM and hold the GPU for the whole grace period. */
const script = [
  "trap 'exit 0' TERM",
  "nvidia-smi -L",
  'until getent hosts "$RUN-0.$RUN" "$RUN-1.$RUN" > /dev/null; do echo "$(hostname) waits for the other rank"; sleep 10 & wait $!; done',
  'echo "$(hostname) trains: both ranks run"',
  "sleep infinity & wait",
].join("\n");

function rank(run: string): core.v1.Container {
  return {
    name: "rank",
    image: workloadImages.cuda,
    imagePullPolicy: "IfNotPresent",
    command: ["/bin/sh", "-c", script],
    env: [{ name: "RUN", value: run }],
    resources: resources({ cpu: "250m", memory: "256Mi", gpus: 1 }),
    securityContext: leastRights,
  };
}
