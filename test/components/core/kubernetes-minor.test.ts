import { describe, expect, test } from "vitest";
import { kubernetesMinorProblems } from "../../../components/core/kubernetes-minor";

describe("kubernetesMinorProblems", () => {
  test.each(["1.30", "1.35", "1.37"])("takes %s", (text) =>
    expect(kubernetesMinorProblems("kubernetesVersion", text)).toEqual([]),
  );

  test.each([
    [1.35, "wrong-type", "It must be a text."],
    ["v1.35", "not-allowed", "It must be a minor version of Kubernetes."],
    ["1.35.3", "not-allowed", "It must be a minor version of Kubernetes."],
    ["1.3", "not-allowed", "It must be a minor version of Kubernetes."],
    [undefined, "missing", "What is installed must fit the cluster's Kubernetes version."],
  ])("refuses %j", (got, code, why) => {
    const fix = 'set kubernetesVersion to the cluster\'s version in quotes, e.g. "1.35"';
    expect(kubernetesMinorProblems("kubernetesVersion", got)).toEqual([
      { code, path: "kubernetesVersion", got, why, fix },
    ]);
  });
});
