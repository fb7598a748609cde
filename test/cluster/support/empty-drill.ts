import { namespace } from "../../../commands/drill/manifests";
import type { Client } from "./client";
import { eventually } from "./eventually";

/** Deletes the objects of a scenario. */
export async function emptyDrill(admin: Client): Promise<void> {
  const inNamespace = `namespaces/${namespace}`;
  const core = ["pods", "configmaps", "persistentvolumeclaims"].map((resource) => `/api/v1/${inNamespace}/${resource}`);
  for (const kind of ["deployments", "statefulsets"]) await admin.delete(`/apis/apps/v1/${inNamespace}/${kind}`);
  for (const path of core) await admin.delete(path);
  await eventually("no pods", async () =>
    (await admin.list(`/api/v1/${inNamespace}/pods`)).length === 0 ? true : undefined,
  );
  // The scenarios use the same names, and triage finds events by name.
  await admin.delete(`/api/v1/${inNamespace}/events`);
}
