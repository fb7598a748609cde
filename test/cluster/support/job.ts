import type { Client, KubernetesObject } from "./client";

export interface Job extends KubernetesObject {
  readonly status: { readonly conditions?: readonly { type: string; reason: string; message: string }[] };
}

/** What `kubectl create job --from` does. */
export async function startJob(admin: Client, { metadata, spec }: KubernetesObject): Promise<KubernetesObject> {
  const { jobTemplate } = spec as { jobTemplate: KubernetesObject };
  const name = `${metadata.name}-${Date.now().toString(36)}`;
  const { namespace = "default" } = metadata;
  const job = { ...jobTemplate, apiVersion: "batch/v1", kind: "Job" };
  return admin.create({ ...job, metadata: { ...jobTemplate.metadata, name, namespace } });
}
