import { StatefulSet } from "@pulumi/kubernetes/apps/v1/statefulSet";
import { Service } from "@pulumi/kubernetes/core/v1/service";
import type { core } from "@pulumi/kubernetes/types/input";
import * as pulumi from "@pulumi/pulumi";
import type { GangQueue } from "../../components";
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
  /** Starts a run only when it has room for all ranks. @default none - Kubernetes places rank by rank */
  readonly queue?: GangQueue | undefined;
}

/**
 * A distributed training as a StatefulSet, with a Service that gives each rank a name. Each rank waits until all of them
 * run, as `torchrun` does.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-management-policies
 */
export function makeTrainingRun(name: string, start: RankStart, { namespace, taints, options, cluster }: LabPlace) {
  const own = { ...options, ...(cluster && { deletedWith: cluster }) };
  const labels = workloadLabels(workload, name);
  const { isStarted, preparesSeconds, queue } = start;
  const metadata = { name, namespace, labels: { ...labels, ...queue?.queueLabels }, ...awaited(false) };
  const selector = selectorLabels(workload, name);
  const ports = [{ name: "rendezvous", port: 29_500 }];
  const names = { clusterIP: "None", publishNotReadyAddresses: true, selector, ports };
  new Service(`${name}-service`, { metadata: { ...metadata, labels }, spec: names }, own);
  const order =
    preparesSeconds === undefined
      ? { podManagementPolicy: "Parallel" }
      : { podManagementPolicy: "OrderedReady", minReadySeconds: preparesSeconds };
  const spec = {
    ...{ serviceName: name, replicas: isStarted ? ranks : 0, ...order, selector: { matchLabels: selector } },
    template: { metadata: { labels }, spec: { ...podBasics(taints), containers: [rank(name)] } },
  };
  // Kueue refuses another queue while a rank is ready.
  const replaceOnChanges = [...replacedWhole.replaceOnChanges, "metadata.labels"];
  const inQueue = queue && pulumi.mergeOptions(own, { dependsOn: queue });
  new StatefulSet(name, { metadata, spec }, { ...(inQueue ?? own), ...replacedWhole, replaceOnChanges });
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
