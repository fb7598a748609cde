import type { KubernetesObject } from "./client";

export interface Job extends KubernetesObject {
  readonly status: { readonly conditions?: readonly { type: string; reason: string; message: string }[] };
}
