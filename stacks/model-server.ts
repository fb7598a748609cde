import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap";
import { ModelServer } from "../components";
import { failedStart, type FailedStart } from "../components/local/failed-start";
import { operatorForWaitingPods, type Lab } from "./run/lab";
import {
  faultyServer,
  healthyServer,
  recordedChanges,
  recordedServer,
  recordingName,
  serverVariants,
} from "./run/server-variants";

/** vLLM refuses its arguments, and Kubernetes starts it again and again. */
export const modelServer: Lab = {
  question: "Why does a model server restart again and again although its pod has a GPU and its model is small?",
  hypothesis:
    "the server reserves a share of the GPU and uses the part that the model leaves free as its KV cache; one request of the longest context does not fit there, so the process ends before it serves requests, and Kubernetes starts it again with the same arguments",
  watch: [
    "kubectl rollout status deployment/chat -n model-server --timeout=60s",
    "kubectl get pods -n model-server",
    "kubectl logs deployment/chat -n model-server --previous --tail=40",
  ],
  restore: "pulumi config set fault off && pulumi up",
  local: { mock: recordedChanges },
  clusterName: "serving",
  minutes: 45,
  gpuNodes: 1,
  environment: { gpuOperator: operatorForWaitingPods, monitoring: { enabled: true } },
  supportsSharedCluster: true,
  fault: { ...serverVariants.kvCache, variants: serverVariants },
  add({ isFaulty, faultVariant = "kvCache", namespace, taints, isMonitored, options, cluster, localGpus }) {
    const variant = isFaulty ? (faultVariant as FailedStart) : undefined;
    const place = { namespace, taints, cluster, serviceMonitor: isMonitored };
    if (localGpus === undefined) {
      const args = { ...healthyServer, ...(variant && faultyServer[variant]) };
      return { chat: new ModelServer("chat", { ...place, ...args }, options).commands };
    }
    const start = variant && failedStart(variant);
    if (start) {
      const recording = { metadata: { name: recordingName, namespace }, data: start.data };
      new ConfigMap(recordingName, recording, { ...options, deleteBeforeReplace: true });
    }
    return { chat: new ModelServer("chat", { ...place, ...recordedServer(start) }, options).commands };
  },
};
