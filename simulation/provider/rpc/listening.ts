import { createServer, type AddressInfo, type Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type { World } from "../../world/world";
import type { Plugin } from "../plugin";
import { service } from "./service";

/** A provider that can be reached on a port of this machine. */
export interface Listening {
  readonly port: number;
  /** False once it has crashed or was stopped. */
  readonly alive: boolean;
  /** Ends it as a process ends that is killed: its connections break, and with them the calls that are open. */
  stop(): void;
}

/** Starts a provider on a free port. */
export async function listen(world: World, plugin: Plugin): Promise<Listening> {
  // A state with many resources is larger than the 4 MB that gRPC allows by default.
  const server = new grpc.Server({ "grpc.max_receive_message_length": -1 });
  const calls = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const connections = new Set<Socket>();
  const door = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    calls.injectConnection(socket);
  });
  let alive = true;
  const stop = () => {
    alive = false;
    door.close();
    for (const connection of connections) connection.destroy();
    server.forceShutdown();
  };
  server.addService(ResourceProviderService, service(world, plugin, stop));
  await new Promise<void>((resolve, reject) => {
    door.once("error", reject);
    door.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (door.address() as AddressInfo).port,
    stop,
    get alive() {
      return alive;
    },
  };
}
