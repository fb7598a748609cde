import { describe, expect, test } from "vitest";
import { deepMerge } from "../../../components/core/reader/records";
import type { Properties } from "../../../components/core/wire";
import { immutableFieldReason, isReplaced } from "../../../simulation/kubernetes/objects";
import { fieldChanges } from "../../support/field-changes";
import { clusterForNodes, providerFor } from "../aws/eks/foundation";

const type = (kind: string) => `kubernetes:${kind}`;

test.each(fieldChanges)("$kind $object, $change: accepted $accepted", ({ kind, object, change, accepted }) => {
  const reason = immutableFieldReason(kind, object, deepMerge(object, change));
  expect(reason === undefined).toBe(accepted);
});

describe("an update of an immutable field that the provider does not replace", () => {
  const kind = "scheduling.k8s.io/v1:PriorityClass";
  const inputs = (value: number): Properties => ({ metadata: { name: "a" }, value });
  const refusal =
    'the Kubernetes API server reported that "a" failed to fully initialize or become live: ' +
    'PriorityClass.scheduling.k8s.io "a" is invalid: value: Forbidden: may not be changed in an update.';

  test("is refused in an update and in the dry run of a preview", async () => {
    const cloud = await clusterForNodes();
    const provider = providerFor(cloud);
    await cloud.create(type(kind), inputs(1), provider);
    expect(isReplaced(kind, "value")).toBe(false);
    await expect(cloud.update(type(kind), "a", inputs(2), provider)).rejects.toThrow(refusal);
    expect(() => cloud.previewUpdate(type(kind), "a", inputs(2), provider)).toThrow(refusal);
    expect(() => cloud.previewUpdate(type(kind), "a", { ...inputs(1), description: "b" }, provider)).not.toThrow();
    expect(cloud.get(type(kind), "a")?.inputs["value"]).toBe(1);
  });
});

// The provider's own test of its list.
// @see https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/diff_test.go
test.for([
  ["core/v1:Pod", "spec.containers[0].image", true],
  ["core/v1:Pod", "spec.containers[0].env[0].value", true],
  ["core/v1:Pod", "spec.containers[0].envFrom", false],
  ["core/v1:Pod", "spec.tolerations", false],
  ["apps/v1:Deployment", "spec.selector.matchLabels.app", true],
  ["apps/v1:Deployment", "spec.template.spec.priorityClassName", false],
  ["batch/v1:Job", "spec.parallelism", true],
  ["batch/v1:Job", "spec.completionMode", false],
] as const)("%s %s is replaced: %s", ([kind, path, replaced]) => {
  expect(isReplaced(kind, path)).toBe(replaced);
});
