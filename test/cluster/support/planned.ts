import { beforeAll } from "vitest";
import { gpuOperatorChart } from "../../../components/core/versions";
import { openProject, recordStack, type OpenProject } from "../../../planner/plan-stack";
import type { Recording } from "../../../planner/record/record";
import { ofType } from "../../support/plan";
import type { KubernetesObject } from "./client";
import { clusterPolicyOf } from "./custom-resources";
import { ownProject } from "../../support/own-project";

/** Plans stacks for the tests of a file. */
export function planner(): (stack: string, config?: readonly string[]) => Promise<Recording> {
  let project: OpenProject;
  beforeAll(async () => {
    project = await openProject(ownProject);
  });
  return async (stack, config = []) => (await recordStack(project, stack, config)).recording;
}

/** An object of Kubernetes in a plan, with its name there. */
export interface PlannedObject {
  /** E.g. `Deployment inference`, as labs list what they change. */
  readonly line: string;
  readonly manifest: KubernetesObject;
}

/** The objects that a plan creates itself, in its order; Helm creates those of a release. */
export function plannedObjects({ resources }: Recording): PlannedObject[] {
  return resources
    .filter(({ type }) => type.startsWith("kubernetes:") && !type.startsWith("kubernetes:helm.sh/"))
    .map(({ type, name, inputs }) => ({
      line: `${type.split(":")[2]} ${name}`,
      manifest: inputs as KubernetesObject,
    }));
}

export function manifestsOf(recording: Recording): KubernetesObject[] {
  return plannedObjects(recording).map(({ manifest }) => manifest);
}

/** The ClusterPolicy that the GPU Operator's chart creates from the values of a plan, if the plan installs it. */
export function clusterPoliciesOf(recording: Recording): KubernetesObject[] {
  const releases = ofType(recording, "kubernetes:helm.sh/v3:Release").map(({ inputs }) => inputs);
  const operators = releases.filter(({ chart }) => String(chart).endsWith(gpuOperatorChart.name));
  return operators.map(({ values }) => clusterPolicyOf(values));
}
