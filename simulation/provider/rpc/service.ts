import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import type { Properties } from "../../../components/core/wire";
import type { World } from "../../world/world";
import type { Plugin } from "../plugin";
import { Resources, type Subject } from "../resources/resources";
import { constructed } from "./construct";
import { handshakes } from "./handshakes";
import { operations, type AboutResource } from "./operations";
import { unary } from "./unary";

/**
 * The methods of a resource provider that the engine calls for a TypeScript program.
 *
 * @param crash ends the server without an answer to anyone
 * @see https://github.com/pulumi/pulumi/blob/v3.248.0/proto/pulumi/provider.proto
 */
export function service(world: World, plugin: Plugin, crash: () => void): UntypedServiceImplementation {
  // Every provider of a stack connects for itself, and only its configuration says which one it is.
  const configs = new Map<string, Properties>();
  const subject = (request: AboutResource, peer: string): Subject => ({
    urn: request.getUrn(),
    type: request.getType(),
    name: request.getName(),
    config: configs.get(peer) ?? {},
  });
  return {
    ...handshakes(plugin, (peer, config) => configs.set(peer, config)),
    ...operations(new Resources(world, plugin), subject, crash),
    ...(plugin.construct && { construct: unary(constructed(plugin.construct), crash) }),
  };
}
