import { isRecord } from "../../components/core/reader/records";

/**
 * What Pod Security Admission would say of a manifest in a namespace with `enforce: restricted`.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 */
export function restrictedProblems(manifest: unknown): string[] {
  return podsIn(manifest).flatMap((pod) => [
    ...["hostNetwork", "hostPID", "hostIPC"].filter((key) => pod[key] === true),
    ...recordsIn(pod["volumes"]).flatMap((volume) => Object.keys(volume).filter((kind) => !volumeKinds.includes(kind))),
    ...[...recordsIn(pod["initContainers"]), ...recordsIn(pod["containers"])].flatMap((container) =>
      containerProblems(container, at(pod, "securityContext")),
    ),
  ]);
}

const volumeKinds = [
  ...["name", "configMap", "csi", "downwardAPI", "emptyDir"],
  ...["ephemeral", "image", "persistentVolumeClaim", "projected", "secret"],
];

function containerProblems(container: Fields, pod: unknown): string[] {
  const own = at(container, "securityContext");
  const either = (key: string) => at(own, key) ?? at(pod, key);
  const added = at(own, "capabilities", "add") ?? [];
  const problems: readonly (readonly [string, boolean])[] = [
    ["privileged", at(own, "privileged") === true],
    ["allowPrivilegeEscalation", at(own, "allowPrivilegeEscalation") !== false],
    ["capabilities.drop", JSON.stringify(at(own, "capabilities", "drop")) !== '["ALL"]'],
    ["capabilities.add", !Array.isArray(added) || added.some((one) => one !== "NET_BIND_SERVICE")],
    ["runAsNonRoot", either("runAsNonRoot") !== true],
    ["runAsUser", either("runAsUser") === 0],
    ["seccompProfile", !["RuntimeDefault", "Localhost"].includes(String(at(either("seccompProfile"), "type")))],
    ["hostPort", recordsIn(container["ports"]).some(({ hostPort }) => hostPort !== undefined)],
  ];
  return problems.filter(([, isBad]) => isBad).map(([key]) => `${String(container["name"])}: ${key}`);
}

type Fields = Readonly<Record<string, unknown>>;

/** The specs of the pods that a workload makes, and of a pod itself. */
function podsIn(manifest: unknown): Fields[] {
  const job = at(manifest, "spec", "jobTemplate");
  const spec = at(job ?? manifest, "spec");
  const pod = at(spec, "template", "spec") ?? spec;
  return isRecord(pod) && Array.isArray(pod["containers"]) ? [pod] : [];
}

function recordsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}

export function nameIn(manifest: unknown): unknown {
  return at(manifest, "metadata", "name");
}

export function namespaceIn(manifest: unknown): unknown {
  return at(manifest, "metadata", "namespace");
}

/** The level of Pod Security that a namespace enforces. */
export function levelOf(namespace: unknown): unknown {
  return at(namespace, "metadata", "labels", "pod-security.kubernetes.io/enforce");
}
