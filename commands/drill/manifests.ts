import { workloadImages } from "../../components/core/versions";

/** The namespace of every drill. There is one drill at a time in a cluster. */
export const namespace = "gpu-drill";

/** The label of the objects of a drill, with its seed; on the target node an annotation with the state before the drill. */
export const drillKey = "eks-gpu-lab/drill";

export const gpuResource = "nvidia.com/gpu";

type Fields = Readonly<Record<string, unknown>>;

/** A GPU node that a drill can use. */
export interface GpuNode {
  readonly name: string;
  /** Its label `kubernetes.io/hostname`, which a pod selects. */
  readonly hostname: string;
  readonly freeGpus: number;
  /** Taints that do not reflect the state of the node. The pods of a drill tolerate them. */
  readonly taints: readonly { readonly key: string; readonly effect: string }[];
  /** Whether no kubelet runs there, which would overwrite the status. */
  readonly isFake: boolean;
}

/** An object to create. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind:
    "Namespace" | "Pod" | "ConfigMap" | "PersistentVolumeClaim" | "ResourceClaim" | "Deployment" | "StatefulSet";
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

const inNamespace = `/namespaces/${namespace}`;

/** Of Dynamic Resource Allocation, since Kubernetes 1.34. */
export const claimsApi = "/apis/resource.k8s.io/v1";

/** The path of the objects of a kind. */
export const collections: Readonly<Record<Manifest["kind"], string>> = {
  Namespace: "/api/v1/namespaces",
  Pod: `/api/v1${inNamespace}/pods`,
  ConfigMap: `/api/v1${inNamespace}/configmaps`,
  PersistentVolumeClaim: `/api/v1${inNamespace}/persistentvolumeclaims`,
  ResourceClaim: `${claimsApi}${inNamespace}/resourceclaims`,
  Deployment: `/apis/apps/v1${inNamespace}/deployments`,
  StatefulSet: `/apis/apps/v1${inNamespace}/statefulsets`,
};

/** The namespace of a drill. It enforces the Pod Security level `restricted`. */
export function namespaceManifest(seed: number): Manifest {
  const levels = ["enforce", "audit", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "restricted"]);
  const labels = { [drillKey]: String(seed), ...(Object.fromEntries(levels) as Record<string, string>) };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } };
}

interface PodFields {
  /** @default 1 */
  readonly gpus?: number;
  /** @default "10m" */
  readonly cpu?: string;
  /** Limits in addition to those of memory and GPUs. */
  readonly limits?: Fields;
  /** Whether the pod selects the target node. @default false - any GPU node will do */
  readonly onTarget?: boolean;
  /** Fields of the container. @default it sleeps */
  readonly container?: Fields;
  readonly spec?: Fields;
}

/** The spec of a pod that tolerates the taints of the target node. */
export function podSpec(target: GpuNode, fields: PodFields): Fields {
  const { gpus = 1, cpu = "10m", onTarget = false, container = {}, spec = {} } = fields;
  const limits = { memory: "16Mi", ...(gpus > 0 && { [gpuResource]: String(gpus) }), ...fields.limits };
  return {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 65_535, seccompProfile: { type: "RuntimeDefault" } },
    tolerations: tolerationsOf(target),
    ...(onTarget && { nodeSelector: { "kubernetes.io/hostname": target.hostname } }),
    containers: [
      {
        name: "main",
        image: workloadImages.busybox,
        command: ["sleep", "infinity"],
        resources: { requests: { cpu, memory: "16Mi" }, limits },
        securityContext: {
          ...{ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
        },
        ...container,
      },
    ],
    ...spec,
  };
}

function tolerationsOf({ taints }: GpuNode): readonly Fields[] {
  const own = taints.filter(({ key }) => key !== gpuResource);
  return [{ key: gpuResource, effect: "NoSchedule" }, ...own].map(({ key, effect }) => ({
    ...{ key, operator: "Exists", effect },
  }));
}

export function pod(name: string, target: GpuNode, fields: PodFields = {}): Manifest {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels: { app: name } }, spec: podSpec(target, fields) };
}
