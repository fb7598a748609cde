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
