import type { Meta } from "../snapshot/objects/resources";
import { kubectlName } from "../snapshot/pods";
import type { Entries, Step, StepList } from "./entry";

/** A controller whose pods the API server rejects, and the message. */
interface Rejected {
  readonly kind: string;
  readonly controller: Pick<Meta, "name" | "namespace">;
  readonly message: string;
}

const texts = {
  what: ({ kind, controller, message }: Rejected): string =>
    `The API server rejects the pods of ${kind} ${controller.name}: ${rejectionOf(message).what}. The pods do not exist, so the scheduler reports nothing.`,
  next: ({ kind, controller, message }: Rejected): StepList => [
    rejectionOf(message).next,
    `Show the events of the controller => kubectl describe ${kubectlName(kind, controller)}`,
  ],
};

/** The pod does not exist. */
export const rejectedPods = {
  "quota-exceeded": { meaning: "a ResourceQuota prevents a controller from creating its pods", ...texts },
  "pod-security-violation": {
    meaning: "Pod Security of the namespace prevents a controller from creating its pods",
    ...texts,
  },
  "pods-not-created": { meaning: "the API server rejects the pods of a controller for another reason", ...texts },
} satisfies Entries;

/** Why the API server rejects pods. The pattern has the name of what they lack, for which `{name}` stands. */
interface Reason {
  readonly id: keyof typeof rejectedPods;
  readonly pattern: RegExp;
  readonly what: string;
  readonly next: Step;
}

const compareQuota =
  "Compare what the quota allows with what is used. Then delete pods that are not needed, or raise the quota => kubectl -n {namespace} describe resourcequota";

/** @see https://github.com/kubernetes/kubernetes/blob/v1.35.0/staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go */
const reasons: readonly Reason[] = [
  {
    id: "quota-exceeded",
    pattern: /(?:exceeded|failed) quota: ([\w.-]+)/,
    what: "the ResourceQuota {name} of the namespace does not allow them",
    next: `${compareQuota} {name}`,
  },
  {
    id: "quota-exceeded",
    pattern: /insufficient quota to match/,
    what: "a ResourceQuota must allow their priority class (system-node-critical) in the namespace",
    next: compareQuota,
  },
  {
    id: "pod-security-violation",
    pattern: /violates PodSecurity "([\w:.-]+)"/,
    what: "they violate the Pod Security level {name} of the namespace",
    next: "Show the level of the namespace (pod-security.kubernetes.io/enforce). The namespace of the GPU Operator needs privileged => kubectl get namespace {namespace} --show-labels",
  },
  {
    id: "pods-not-created",
    pattern: /RuntimeClass "?([\w.-]+)"? not found/,
    what: "the RuntimeClass {name} does not exist; the GPU Operator creates nvidia",
    next: "Show the RuntimeClasses, and use one of them or create the missing one => kubectl get runtimeclasses",
  },
  {
    id: "pods-not-created",
    pattern: /service ?account "?(?:[\w.-]+\/)?([\w.-]+)"? not found|error looking up service account \S+?\/([\w.-]+)/i,
    what: "the ServiceAccount {name} does not exist; the chart or the operator creates it",
    next: "Show the ServiceAccounts of the namespace => kubectl -n {namespace} get serviceaccounts",
  },
  {
    id: "pods-not-created",
    pattern: /(?:failed calling webhook|admission webhook) "([\w.-]+)"/,
    what: "the admission webhook {name} denies them or does not respond",
    next: "Show the webhooks. Exclude the namespace, change the policy, or start the service of the webhook => kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
  },
  {
    id: "pods-not-created",
    pattern: /no PriorityClass with name ([\w.-]+) was found/,
    what: "the PriorityClass {name} does not exist",
    next: "Show the PriorityClasses => kubectl get priorityclasses",
  },
];

/** What a message of the API server means. */
export function rejectionOf(message: string): { id: Reason["id"]; what: string; next: Step | undefined } {
  const reason = reasons.find(({ pattern }) => pattern.test(message));
  if (!reason) return { id: "pods-not-created", what: "see the evidence", next: undefined };
  const [, one, other = ""] = reason.pattern.exec(message) ?? [];
  const named = <Text extends string>(text: Text) => text.replace("{name}", one ?? other) as Text;
  return { id: reason.id, what: named(reason.what), next: named(reason.next) };
}
