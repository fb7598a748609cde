/**
 * Labels of a namespace whose pods Pod Security Admission refuses elsewhere: those that run privileged, or read the node.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-admission/
 */
export const privilegedNamespace: Readonly<Record<string, string>> = Object.fromEntries(
  ["enforce", "audit", "warn"].map((mode) => [`pod-security.kubernetes.io/${mode}`, "privileged"]),
);
