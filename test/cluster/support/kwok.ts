import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { Client, type KubernetesObject } from "./client";
import { kubeconfigOf, type Access } from "./control-plane";
import { eventually } from "./eventually";
import { cacheFolder } from "./find-control-plane";

const module = join(__dirname, "..", "kwok");

/** KWOK: its program, and the folder of its sources with the files that a release contains. */
export interface Kwok {
  readonly binary: string;
  readonly sources: string;
}

/** Takes KWOK from the cache, or builds it with Go, which takes some minutes. */
export function findKwok(): Kwok {
  const sources = go("list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok");
  const hash = createHash("sha256")
    .update(readFileSync(join(module, "go.sum")))
    .digest("hex")
    .slice(0, 16);
  const binary = join(cacheFolder(), `kwok-${hash}`);
  if (!existsSync(binary)) {
    process.stderr.write(`Building KWOK into ${binary}. This takes some minutes, once.\n`);
    mkdirSync(cacheFolder(), { recursive: true });
    const unfinished = `${binary}.${process.pid}`;
    go("build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", unfinished, "sigs.k8s.io/kwok/cmd/kwok");
    renameSync(unfinished, binary);
  }
  return { binary, sources };
}

function go(...args: string[]): string {
  // Listing a module downloads it, if it is not there yet.
  if (args[0] === "list") spawnSync("go", ["mod", "download", "sigs.k8s.io/kwok"], { cwd: module });
  const { status, stdout, stderr } = spawnSync("go", args, { cwd: module, env: { ...process.env, CGO_ENABLED: "0" } });
  if (status !== 0) throw new Error(`go ${args[0]} failed: ${stderr.toString().trim().slice(-2000)}`);
  return stdout.toString().trim();
}

/** Starts KWOK on a control plane, as its documentation says: the CRD Stage, the fast stages, the controller. */
export async function startKwok({ binary, sources }: Kwok, access: Access): Promise<() => Promise<void>> {
  const admin = new Client(access);
  const apply = async (...path: string[]) => {
    const text = readFileSync(join(sources, "kustomize", ...path), "utf8");
    for (const object of loadAll(text) as KubernetesObject[]) {
      let refused = "";
      const attempt = () => admin.apply(object).catch((error: Error) => void (refused = error.message));
      await eventually(`${path.join("/")} applied`, attempt, { seen: () => refused });
    }
  };
  await apply("crd", "bases", "kwok.x-k8s.io_stages.yaml");
  for (const stage of ["pod-ready", "pod-complete", "pod-delete"]) await apply("stage", "pod", "fast", `${stage}.yaml`);
  await apply("stage", "node", "fast", "node-initialize.yaml");
  await apply("stage", "node", "heartbeat-with-lease", "node-heartbeat-with-lease.yaml");
  const kubeconfig = join(access.folder, "kwok-kubeconfig");
  writeFileSync(kubeconfig, kubeconfigOf(access, access.adminToken), { mode: 0o600 });
  const log = openSync(join(access.folder, "kwok.log"), "w");
  const flags = [`--kubeconfig=${kubeconfig}`, "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake"];
  const more = ["--enable-crds=Stage", "--node-lease-duration-seconds=40", "--cidr=10.0.0.0/24", "--node-ip=127.0.0.1"];
  const child = spawn(binary, [...flags, ...more], { stdio: ["ignore", log, log] });
  closeSync(log);
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  return async () => {
    process.off("exit", kill);
    const ended = new Promise((done) => child.once("exit", done));
    if (kill()) await ended;
  };
}
