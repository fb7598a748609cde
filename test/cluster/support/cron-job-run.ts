import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, type KubernetesObject } from "./client";
import { kubeconfigOf, type Access } from "./control-plane";

interface Container {
  readonly name: string;
  readonly args: readonly string[];
}

interface CronJobSpec {
  readonly jobTemplate: {
    readonly spec: {
      readonly template: {
        readonly spec: {
          readonly serviceAccountName: string;
          readonly initContainers: readonly Container[];
          readonly containers: readonly Container[];
        };
      };
    };
  };
}

/** A container that has ended. */
export interface Ended {
  readonly name: string;
  readonly status: number | null;
  readonly text: string;
}

/** The bearer token of a service account. */
export async function tokenOf(access: Access, namespace: string, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { body } = await new Client(access).request("POST", path, { spec: {} });
  return (body as { status: { token: string } }).status.token;
}

/**
 * Runs the containers of a CronJob whose image is kubectl: with kubectl and the rights of its service account, one after the
 * other, until one fails.
 */
export async function runCronJob(access: Access, { metadata, spec }: KubernetesObject): Promise<Ended[]> {
  const pod = (spec as CronJobSpec).jobTemplate.spec.template.spec;
  const token = await tokenOf(access, metadata.namespace ?? "", pod.serviceAccountName);
  const kubeconfig = join(mkdtempSync(join(access.folder, "run-")), "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigOf(access, token), { mode: 0o600 });
  const ended: Ended[] = [];
  for (const { name, args } of [...pod.initContainers, ...pod.containers]) {
    const run = await output(access.program, ["kubectl", `--kubeconfig=${kubeconfig}`, ...args]);
    ended.push({ name, ...run });
    if (run.status !== 0) break;
  }
  return ended;
}

function output(program: string, args: readonly string[]): Promise<Omit<Ended, "name">> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("close", (status) => done({ status, text }));
  });
}
