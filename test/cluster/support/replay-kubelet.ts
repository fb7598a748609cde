import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Refused, type Client, type KubernetesObject } from "./client";
import type { Access } from "./control-plane";
import { Kubelet } from "./kubelet";

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pod extends KubernetesObject {
  readonly spec: {
    readonly containers: readonly [Container];
    readonly volumes?: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
  };
  readonly status: { readonly conditions?: readonly { readonly type: string }[]; readonly containerStatuses?: unknown };
}

/**
 * A node whose kubelet runs the command of each pod as a process of this machine, with the files of its ConfigMaps, and
 * gives the API server its log. A container that fails waits in a back-off after its first restart.
 */
export class ReplayKubelet {
  private readonly logs = new Map<string, string>();
  private readonly server: Server;
  private readonly kubelet: Kubelet;
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: Client,
    { folder }: Access,
    private readonly name: string,
  ) {
    this.kubelet = new Kubelet(client);
    const [key, cert] = ["apiserver.key", "apiserver.crt"].map((file) => readFileSync(join(folder, file)));
    this.server = createServer({ key, cert }, ({ url = "" }, response) => {
      const { pathname, searchParams } = new URL(url, "https://kubelet");
      const log = searchParams.get("previous") === "true" ? this.logs.get(pathname) : undefined;
      response.writeHead(log === undefined ? 404 : 200, { "content-type": "text/plain" }).end(log);
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((done) => this.server.listen(0, "127.0.0.1", done));
    const labels = { "kubernetes.io/hostname": this.name };
    const capacity = { cpu: "4", memory: "16Gi", pods: "58", "nvidia.com/gpu": "1" };
    await this.kubelet.addNodes([
      { apiVersion: "v1", kind: "Node", metadata: { name: this.name, labels }, status: { capacity } },
    ]);
    const unknown = [
      "machineID",
      "systemUUID",
      "bootID",
      "kernelVersion",
      "osImage",
      "kubeletVersion",
      "kubeProxyVersion",
    ];
    await this.client.merge(`/api/v1/nodes/${this.name}/status`, {
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: (this.server.address() as AddressInfo).port } },
        nodeInfo: {
          ...Object.fromEntries(unknown.map((field) => [field, ""])),
          ...{ containerRuntimeVersion: "containerd://2.1.0", operatingSystem: "linux", architecture: "amd64" },
        },
      },
    });
    const next = () => {
      this.turn = this.sync().catch((error: Error) => {
        // A pod can go while it is looked at.
        if (!(error instanceof Refused) || error.status !== 404) throw error;
      });
      this.timer = setTimeout(() => void this.turn.then(next), 200);
    };
    next();
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    await this.turn;
    await this.kubelet.removeNodes();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private async sync(): Promise<void> {
    const pods = await this.client.list<Pod>(`/api/v1/pods?fieldSelector=spec.nodeName%3D${this.name}`);
    for (const pod of pods) if (pod.status.containerStatuses === undefined) await this.run(pod);
  }

  private async run({ metadata, spec, status }: Pod): Promise<void> {
    const { namespace = "", name } = metadata;
    const [container] = spec.containers;
    const { exitCode, log } = await this.play(namespace, spec, container);
    this.logs.set(`/containerLogs/${namespace}/${name}/${container.name}`, log);
    const at = new Date().toISOString();
    const ended = { exitCode, reason: "Error", startedAt: at, finishedAt: at, containerID: "containerd://previous" };
    const ready = ["ContainersReady", "Ready"].map((type) => ({ type, status: "False", reason: "ContainersNotReady" }));
    await this.client.merge(`/api/v1/namespaces/${namespace}/pods/${name}/status`, {
      status: {
        ...{ phase: "Running", conditions: [...(status.conditions ?? []), ...ready], startTime: at },
        containerStatuses: [
          {
            ...{ name: container.name, image: container.image, imageID: container.image, ready: false },
            ...{
              restartCount: 1,
              state: { waiting: { reason: "CrashLoopBackOff" } },
              lastState: { terminated: ended },
            },
          },
        ],
      },
    });
  }

  private async play(namespace: string, { volumes = [] }: Pod["spec"], container: Container) {
    const { command, args = [], volumeMounts = [] } = container;
    const root = mkdtempSync(join(tmpdir(), "replay-"));
    for (const { name } of volumeMounts) {
      const map = volumes.find((volume) => volume.name === name)?.configMap?.name ?? "";
      const path = `/api/v1/namespaces/${namespace}/configmaps/${map}`;
      const { data } = await this.client.get<{ readonly data: Readonly<Record<string, string>> }>(path);
      for (const [file, text] of Object.entries(data)) writeFileSync(join(root, file), text);
    }
    const mounted = (word: string) =>
      volumeMounts.reduce((text, { mountPath }) => text.replaceAll(mountPath, root), word);
    const [program = "", ...rest] = [...command, ...args].map(mounted);
    const { status, stdout, stderr } = spawnSync(program, rest, { encoding: "utf8" });
    rmSync(root, { recursive: true });
    return { exitCode: status ?? -1, log: `${stdout}${stderr}` };
  }
}
