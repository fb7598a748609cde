import { type AddressInfo, createServer, type Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { type Properties, dependenciesIn, unwrap } from "../../../components/core/wire";
import type { SimulatedCloud } from "../../cloud/simulated-cloud";
import type { Plugin } from "../plugins";
import { type ResourceIdentity, Resources } from "../resources/resources";
import { configurationMethods, resourceMethods, type ResourceMessage } from "./operations";
import { unary, fromStruct, toStruct } from "./messages";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { within } from "../../../planner/diff/property-changes";
import { type Construct, type OutputValues, toWire } from "../eks/component";
import { connect } from "./monitor";

/** A provider that listens on a local port. */
export interface ProviderServer {
  readonly port: number;
  /** False after a crash or a stop. */
  readonly alive: boolean;
  /** Stops like a killed process: all connections and open calls break. */
  stop(): void;
}

/** Starts a provider on a free port. */
export async function startServer(cloud: SimulatedCloud, plugin: Plugin): Promise<ProviderServer> {
  // A state with many resources is larger than the 4 MB that gRPC allows by default.
  const server = new grpc.Server({ "grpc.max_receive_message_length": -1 });
  const calls = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const connections = new Set<Socket>();
  const listener = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    calls.injectConnection(socket);
  });
  let alive = true;
  const stop = () => {
    alive = false;
    listener.close();
    // A handler may call this. Node.js aborts if a session ends while it still delivers what a socket received.
    // https://github.com/nodejs/node/issues/64850
    setImmediate(() => {
      for (const connection of connections) connection.destroy();
      server.forceShutdown();
    });
  };
  server.addService(ResourceProviderService, service(cloud, plugin, stop));
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject);
    listener.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (listener.address() as AddressInfo).port,
    stop,
    get alive() {
      return alive;
    },
  };
}

/**
 * The gRPC methods of a resource provider that the engine calls for a Node.js program.
 *
 * @param crash stops the server without answering open calls
 * @see https://github.com/pulumi/pulumi/blob/v3.248.0/proto/pulumi/provider.proto
 */
function service(cloud: SimulatedCloud, plugin: Plugin, crash: () => void): UntypedServiceImplementation {
  // Each provider of a stack has its own connection, and configures it once.
  const configs = new Map<string, Properties>();
  const subject = (request: ResourceMessage, peer: string): ResourceIdentity => ({
    urn: request.getUrn(),
    type: request.getType(),
    name: request.getName(),
    config: configs.get(peer) ?? {},
  });
  const resources = (peer: string, resource: Properties = {}) => {
    const config = configs.get(peer) ?? {};
    const region = plugin.regionOf?.(config, resource);
    return { config, of: new Resources(region === undefined ? cloud : cloud.in(region), plugin) };
  };
  return {
    ...configurationMethods(plugin, cloud.account, (peer, config) => configs.set(peer, config)),
    ...resourceMethods(resources, subject, crash),
    ...(plugin.construct && { construct: unary(constructHandler(plugin.construct), crash) }),
  };
}

/** Handles the engine's request to construct a component. */
function constructHandler(construct: Construct): (request: proto.ConstructRequest) => Promise<proto.ConstructResponse> {
  return async (request) => {
    const monitor = connect(request);
    try {
      const { urn, state } = await construct(
        {
          type: request.getType(),
          name: request.getName(),
          inputs: inputsOf(request),
          config: Object.fromEntries(request.getConfigMap().entries()),
        },
        monitor,
      );
      const response = new proto.ConstructResponse().setUrn(urn).setState(toStruct(toWire(state)));
      for (const [key, { dependencies }] of Object.entries(state)) {
        const urns = new proto.ConstructResponse.PropertyDependencies().setUrnsList([...dependencies]);
        response.getStatedependenciesMap().set(key, urns);
      }
      return response;
    } finally {
      monitor.close();
    }
  };
}

function inputsOf(request: proto.ConstructRequest): OutputValues {
  const wire = fromStruct(request.getInputs());
  const { properties, secretPaths } = unwrap(wire);
  const dependencies = request.getInputdependenciesMap();
  const entries = Object.entries(properties).map(([key, value]) => {
    const urns = [...(dependencies.get(key)?.getUrnsList() ?? []), ...dependenciesIn(wire[key])];
    const secret = secretPaths.some((path) => within(path, key));
    return [key, { value, secret, dependencies: [...new Set(urns)] }] as const;
  });
  return Object.fromEntries(entries);
}
