import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { afterAll, beforeAll } from "vitest";
import { valuesAt } from "../../../components/core/reader/paths";
import { kueueChart } from "../../../components/core/versions";
import type { Recording } from "../../../planner/record/record";
import { freePorts } from "../../support/free-ports";
import { ofType } from "../../support/plan";
import type { KubernetesObject } from "./client";
import { Parts, type Access } from "./control-plane";
import { controllersFile, controllersProgram } from "./controllers";
import { eventually } from "./eventually";
import { kubeconfigFile } from "./kubeconfig";
import { applyWhenKnown } from "./kwok";
import type { KwokCluster } from "./kwok-cluster";

interface Configuration {
  readonly managedJobsNamespaceSelector: object;
}

interface Definition extends KubernetesObject {
  readonly spec: { readonly group: string; readonly names: { readonly plural: string } };
}

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly service: { readonly path: string } };
  readonly rules: readonly { readonly apiGroups: readonly string[] }[];
}

/** Kueue on a cluster with KWOK, for the tests of a block. It has the configuration that a plan gives the chart. */
export class Kueue {
  private parts: Parts | undefined;

  constructor(
    private readonly cluster: KwokCluster,
    private readonly planned: () => Promise<Recording>,
  ) {
    beforeAll(async () => {
      await this.start(configurationOf(await this.planned()));
    });
    afterAll(() => this.parts?.stop());
  }

  /** Does what Helm does, and starts the controller. */
  private async start(configuration: Configuration): Promise<void> {
    const { access, admin } = this.cluster;
    const [webhookPort = 0, healthPort = 0] = await freePorts(2);
    const crds = controllersFile("config/components/crd/bases");
    for (const file of readdirSync(crds)) await applyWhenKnown(admin, readYaml(join(crds, file)));
    // The API server serves a kind some time after its definition.
    for (const file of readdirSync(crds)) {
      const { spec } = readYaml(join(crds, file)) as Definition;
      const path = `/apis/${spec.group}/v1beta2/${spec.names.plural}`;
      await eventually(path, async () => (await admin.request("GET", path)).status === 200 || undefined);
    }
    const parts = new Parts(controllersProgram(), access.folder);
    this.parts = parts;
    const env = { ...process.env, KUBECONFIG: kubeconfigFile("admin", access) };
    parts.start("kueue", [configurationFile(configuration, access, { webhookPort, healthPort })], env);
    await eventually("Kueue, ready", async () => {
      parts.requireRunning();
      const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
      return answer?.ok === true || undefined;
    });
    for (const object of webhooks(configuration, access, webhookPort)) await applyWhenKnown(admin, object);
  }
}

/** What the chart's values say about the controller. */
function configurationOf(recording: Recording): Configuration {
  const releases = ofType(recording, "kubernetes:helm.sh/v3:Release").map(({ inputs }) => inputs);
  const release = releases.find(({ name }) => name === kueueChart.name);
  const [text] = valuesAt(release ?? {}, "values.managerConfig.controllerManagerConfigYaml");
  return load(String(text)) as Configuration;
}

/** The configuration for this machine: loopback, the certificate of the API server, and one replica. */
function configurationFile(
  configuration: Configuration,
  access: Access,
  { webhookPort, healthPort }: { readonly webhookPort: number; readonly healthPort: number },
): string {
  const certDir = join(access.folder, "kueue-certificate");
  mkdirSync(certDir, { recursive: true });
  for (const kind of ["crt", "key"])
    copyFileSync(join(access.folder, `apiserver.${kind}`), join(certDir, `tls.${kind}`));
  const here = {
    health: { healthProbeBindAddress: `127.0.0.1:${healthPort}` },
    metrics: { bindAddress: "0" },
    webhook: { host: "127.0.0.1", port: webhookPort, certDir },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
  };
  const file = join(access.folder, "kueue.json");
  writeFileSync(file, JSON.stringify({ ...configuration, ...here }));
  return file;
}

/**
 * The webhooks of the chart, which the API server calls by URL. It has those of Deployments, too, and ignores their failure
 * where that integration is off.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/charts/kueue/templates/webhook/manifests.yaml
 */
function webhooks(configuration: Configuration, access: Access, port: number): KubernetesObject[] {
  const text = readFileSync(controllersFile("config/components/webhook/manifests.yaml"), "utf8");
  const caBundle = Buffer.from(access.ca).toString("base64");
  const adapt = ({ clientConfig: { service }, ...webhook }: Webhook) => ({
    ...webhook,
    clientConfig: { url: `https://127.0.0.1:${port}${service.path}`, caBundle },
    ...(!isOwn(webhook) && { namespaceSelector: configuration.managedJobsNamespaceSelector }),
  });
  return (loadAll(text) as (KubernetesObject & { readonly webhooks: readonly Webhook[] })[]).map((object) => ({
    ...object,
    metadata: { name: `kueue-${object.metadata.name}` },
    webhooks: object.webhooks.filter(({ name }) => !name.includes("deployment")).map(adapt),
  }));
}

/** Whether a webhook is about objects of Kueue itself. */
function isOwn({ rules }: Pick<Webhook, "rules">): boolean {
  return rules.some(({ apiGroups }) => apiGroups.includes("kueue.x-k8s.io"));
}

function readYaml(file: string): KubernetesObject {
  return load(readFileSync(file, "utf8")) as KubernetesObject;
}
