import { Provider } from "@pulumi/kubernetes/provider";
import type { ComponentResourceOptions, Resource } from "@pulumi/pulumi";
import { expect } from "vitest";
import { recordingProblems } from "../../support/kubernetes-schema";
import { plan } from "../../support/plan";

type Made = (opts: ComponentResourceOptions, provider: Provider) => Resource;

/** The resources of a workload on its own cluster. Every manifest is checked against the schema of the Kubernetes API. */
export async function planned(make: Made, stack = "test") {
  const program = () => {
    const provider = new Provider("cluster", { kubeconfig: "{}" });
    make({ provider }, provider);
  };
  const recording = await plan(program, { stack });
  expect(recordingProblems(recording)).toEqual({});
  return recording;
}

/**
 * Every workload: its objects are its children with the cluster's provider, have its name and the library's labels, and
 * are deleted with the cluster.
 */
export async function expectOwned(name: string, make: Made, stack?: string) {
  const { resources } = await planned(make, stack);
  const component = resources.find(({ type }) => type.startsWith("eks-gpu-lab:index:"));
  const provider = resources.find(({ type }) => type === "pulumi:providers:kubernetes");
  const made = resources.filter(({ type }) => type.startsWith("kubernetes:"));
  expect(made.map((resource) => resource.name)).toContain(name);
  for (const resource of made) {
    expect(resource.name === name || resource.name.startsWith(`${name}-`)).toBe(true);
    expect(resource.parent).toBe(component?.urn);
    expect(resource.provider).toContain(provider?.urn);
    expect(resource.options.deletedWith).toBe(provider?.urn);
    expect(resource.inputs).toMatchObject({
      metadata: {
        labels: {
          "app.kubernetes.io/instance": name,
          "app.kubernetes.io/part-of": "eks-gpu-lab",
          "app.kubernetes.io/managed-by": "pulumi",
        },
      },
    });
  }
  // Policies do not see these.
  expect(component?.inputs).not.toHaveProperty("cluster");
  expect(component?.inputs).not.toHaveProperty("transform");
}
