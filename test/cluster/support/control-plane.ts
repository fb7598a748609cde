import { spawn, type ChildProcess } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../support/free-ports";
import { Client } from "./client";
import { eventually } from "./eventually";

/** How to reach a running control plane. Only plain data, so that vitest can hand it to its workers. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  /** Bearer token of a user in the group system:masters. */
  readonly adminToken: string;
  /** Bearer token of the user `reader`, who has no rights until a test binds a role. */
  readonly readerToken: string;
  /** Folder of the logs. */
  readonly folder: string;
  /** The program with all parts, and with kubectl. */
  readonly program: string;
}

export interface ControlPlane {
  readonly access: Access;
  readonly stop: () => Promise<void>;
}

/** Starts etcd, the API server, the scheduler and the controller manager on loopback, with all data in a new folder. */
export async function startControlPlane(binary: string): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), "control-plane-"));
  const parts = new Parts(binary, folder);
  try {
    return await start(parts, folder, binary);
  } catch (error) {
    await parts.stop();
    throw new Error(`The control plane did not start. Its logs are in ${folder}.`, { cause: error });
  }
}

async function start(parts: Parts, folder: string, program: string): Promise<ControlPlane> {
  const [apiPort = 0, ...etcdPorts] = await freePorts(3);
  const adminToken = randomBytes(24).toString("hex");
  const readerToken = randomBytes(24).toString("hex");
  writeInputs(folder, { adminToken, readerToken });
  parts.start("etcd", etcdFlags(folder, etcdPorts));
  parts.start("kube-apiserver", apiServerFlags(folder, etcdPorts[0] ?? 0, apiPort));
  const certificate = join(folder, "apiserver.crt");
  await eventually("the certificate of the API server", () => existsSync(certificate) || undefined);
  const ca = readFileSync(certificate, "utf8");
  const access: Access = { server: `https://127.0.0.1:${apiPort}`, ca, adminToken, readerToken, folder, program };
  const admin = new Client(access);
  await eventually("/readyz", async () => {
    parts.requireRunning();
    const answer = await admin.request("GET", "/readyz").catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
  const config = join(folder, "kubeconfig");
  writeFileSync(config, kubeconfigOf(access, adminToken));
  const shared = [`--kubeconfig=${config}`, "--leader-elect=false", "--secure-port=0"];
  parts.start("kube-scheduler", shared);
  parts.start("kube-controller-manager", [
    ...shared,
    `--root-ca-file=${certificate}`,
    `--service-account-private-key-file=${join(folder, "service-accounts.key")}`,
    "--use-service-account-credentials=true",
  ]);
  await eventually("the controller manager", async () => {
    parts.requireRunning();
    return admin.find("/api/v1/namespaces/default/serviceaccounts/default");
  });
  const stop = async () => {
    await parts.stop();
    rmSync(join(folder, "etcd"), { recursive: true, force: true });
  };
  return { access, stop };
}

export function etcdFlags(folder: string, [port, peerPort]: readonly number[]): string[] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  return [
    ...[`--data-dir=${join(folder, "etcd")}`, "--unsafe-no-fsync"],
    ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
    ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`],
  ];
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/platform-versions.html for the admission plugins of EKS */
function apiServerFlags(folder: string, etcdPort: number, port: number): string[] {
  return [
    ...[`--etcd-servers=http://127.0.0.1:${etcdPort}`, "--bind-address=127.0.0.1", `--secure-port=${port}`],
    ...[`--cert-dir=${folder}`, "--endpoint-reconciler-type=none", "--service-cluster-ip-range=10.100.0.0/16"],
    `--service-account-key-file=${join(folder, "service-accounts.pub")}`,
    `--service-account-signing-key-file=${join(folder, "service-accounts.key")}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    ...["--authorization-mode=Node,RBAC", `--token-auth-file=${join(folder, "tokens.csv")}`],
    "--enable-admission-plugins=NodeRestriction,ExtendedResourceToleration",
    "--allow-privileged",
  ];
}

function writeInputs(folder: string, tokens: { readonly adminToken: string; readonly readerToken: string }): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write("service-accounts.key", privateKey);
  write("service-accounts.pub", publicKey);
  write("tokens.csv", `${tokens.adminToken},admin,1,"system:masters"\n${tokens.readerToken},reader,2\n`);
}

/** A kubeconfig with one context, in YAML's subset JSON. */
export function kubeconfigOf({ server, ca }: Access, token: string): string {
  const cluster = { server, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "loopback", cluster }],
    users: [{ name: "user", user: { token } }],
    contexts: [{ name: "loopback", context: { cluster: "loopback", user: "user" } }],
    "current-context": "loopback",
  });
}

/** The processes of a control plane. They end with this process, however it ends. */
export class Parts {
  private readonly running: { readonly name: string; readonly child: ChildProcess }[] = [];
  private readonly kill = () => this.running.forEach(({ child }) => child.kill("SIGKILL"));

  constructor(
    private readonly binary: string,
    private readonly folder: string,
  ) {
    process.once("exit", this.kill);
  }

  /** Returns the id of the process. */
  start(name: string, flags: readonly string[], env: NodeJS.ProcessEnv = process.env): number | undefined {
    const log = openSync(join(this.folder, `${name}.log`), "w");
    // A part ends with its standard input, so also when this process is killed.
    const child = spawn(this.binary, [name, ...flags], { cwd: this.folder, env, stdio: ["pipe", log, log] });
    closeSync(log);
    this.running.push({ name, child });
    return child.pid;
  }

  /** @throws Error if a part has ended by itself */
  requireRunning(): void {
    const ended = this.running.find(({ child }) => child.exitCode !== null || child.signalCode !== null);
    if (!ended) return;
    const log = readFileSync(join(this.folder, `${ended.name}.log`), "utf8");
    throw new Error(`${ended.name} ended: ${log.trim().slice(-1000)}`);
  }

  /** Ends the parts in reverse order. Nothing that they keep is needed later, so nothing is saved. */
  async stop(): Promise<void> {
    process.off("exit", this.kill);
    for (const { child } of this.running.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await ended;
    }
  }
}
