import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { startProviders, type ProviderServers } from "../../../simulation/provider/serve";
import type { Access } from "./control-plane";

/** The resources that stay simulated: their charts come from repositories on the internet. */
const simulatedTypes = /^kubernetes:helm\.sh\//;

const channelOptions = {
  "grpc.max_receive_message_length": -1,
  "grpc.enable_http_proxy": 0,
  // Each client has its own connection, by which a simulated provider knows its configuration.
  "grpc.use_local_subchannel_pool": 1,
};

type Method = grpc.MethodDefinition<unknown, unknown>;

/** What the engine has connected to: a process of the real provider, and the simulated one. */
interface Connection {
  readonly process: ChildProcess;
  readonly real: grpc.Client;
  readonly simulated: grpc.Client;
}

/**
 * Starts providers of which `kubernetes` is the real one, except for Helm releases. The real provider gets its tokens
 * from a program `aws`, as on a user's machine.
 */
export function realKubernetes(command: string, { adminToken }: Access): typeof startProviders {
  return async (cloud, projectFolder) => {
    const simulated = await startProviders(cloud, projectFolder);
    const folder = awsFolder(adminToken);
    const port = Number(/kubernetes:(\d+)/.exec(simulated.debugProviders)?.[1]);
    const path = [folder, process.env["PATH"]].join(delimiter);
    const server = await serve(() => connect(command, { ...process.env, HOME: folder, PATH: path }, port));
    return {
      ...delegated(simulated),
      debugProviders: simulated.debugProviders.replace(/kubernetes:\d+/, `kubernetes:${server.port}`),
      async close() {
        await server.stop();
        await simulated.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
}

function delegated(servers: ProviderServers): Pick<ProviderServers, "crashed" | "restart"> {
  return { crashed: [], restart: () => servers.restart() };
}

/** A folder with a program `aws` that prints a token, as `aws eks get-token` does. */
function awsFolder(token: string): string {
  const folder = mkdtempSync(join(tmpdir(), "aws-"));
  const apiVersion = "client.authentication.k8s.io/v1beta1";
  const credential = JSON.stringify({ kind: "ExecCredential", apiVersion, spec: {}, status: { token } });
  writeFileSync(join(folder, "aws"), `#!/bin/sh\necho '${credential}'\n`, { mode: 0o700 });
  chmodSync(folder, 0o700);
  return folder;
}

async function connect(command: string, env: NodeJS.ProcessEnv, simulatedPort: number): Promise<Connection> {
  const child = spawn(command, [], { env, stdio: ["ignore", "pipe", "ignore"] });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    createInterface(child.stdout).once("line", resolve);
  });
  const client = (to: string | number) =>
    new grpc.Client(`127.0.0.1:${to}`, grpc.credentials.createInsecure(), channelOptions);
  return { process: child, real: client(port), simulated: client(simulatedPort) };
}

/** Serves the methods of a provider by forwarding each call. Every connection of the engine has its own processes. */
async function serve(open: () => Promise<Connection>): Promise<{ port: number; stop: () => Promise<void> }> {
  const connections = new Map<string, Promise<Connection>>();
  const close = async (peer: string) => {
    const connection = await connections.get(peer);
    connections.delete(peer);
    connection?.real.close();
    connection?.simulated.close();
    connection?.process.kill("SIGKILL");
  };
  const handler = (name: string, method: Method): grpc.handleUnaryCall<unknown, unknown> => {
    return (call, respond) => {
      const peer = call.getPeer();
      const connection = connections.get(peer) ?? open();
      connections.set(peer, connection);
      void connection
        .then(({ real, simulated }) => forward(name, method, call.request, { real, simulated }))
        .then((response) => respond(null, response))
        .catch((error: grpc.ServiceError) => respond(error))
        // The engine sends it at the end of every command.
        .finally(() => name === "cancel" && void close(peer));
    };
  };
  const server = new grpc.Server({ "grpc.max_receive_message_length": -1 });
  const methods = Object.entries(ResourceProviderService as unknown as Readonly<Record<string, Method>>);
  const unary = methods.filter(([, { requestStream, responseStream }]) => !requestStream && !responseStream);
  const handlers = Object.fromEntries(unary.map(([name, method]) => [name, handler(name, method)]));
  server.addService(ResourceProviderService, handlers);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return {
    port,
    async stop() {
      for (const peer of [...connections.keys()]) await close(peer);
      server.forceShutdown();
    },
  };
}

/** Both providers are configured. A resource has one of them. */
async function forward(
  name: string,
  method: Method,
  request: unknown,
  { real, simulated }: Pick<Connection, "real" | "simulated">,
): Promise<unknown> {
  const send = (client: grpc.Client) => unaryCall(client, method, request);
  if (name === "configure") await send(simulated);
  const { getType } = request as { getType?: () => string };
  const type = getType?.call(request) ?? "";
  return send(simulatedTypes.test(type) ? simulated : real);
}

function unaryCall(client: grpc.Client, method: Method, request: unknown): Promise<unknown> {
  const { path, requestSerialize, responseDeserialize } = method;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
}
