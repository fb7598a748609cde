import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import type { Properties } from "../../../components/core/wire";
import type { Plugin } from "../plugin";
import { checkResponse, diffConfigResponse } from "./responses";
import { fromStruct, plainProperties } from "./struct";
import { unary } from "./unary";

/** What the engine calls to learn whom it talks to, and to tell with which configuration. */
export function handshakes(
  plugin: Plugin,
  remember: (peer: string, config: Properties) => void,
): UntypedServiceImplementation {
  const { secrets, resources, outputs } = plugin.accepts;
  return {
    handshake: unary(() =>
      new proto.ProviderHandshakeResponse()
        .setAcceptSecrets(secrets)
        .setAcceptResources(resources)
        .setAcceptOutputs(outputs),
    ),
    attach: unary(() => new Empty()),
    // It comes after every command, and others may follow.
    cancel: unary(() => new Empty()),
    getPluginInfo: unary(() => new PluginInfo().setVersion(plugin.version)),
    checkConfig: unary((request: proto.CheckRequest) => checkResponse(fromStruct(request.getNews()), [])),
    diffConfig: unary((request: proto.DiffRequest) =>
      diffConfigResponse(
        plugin.diffConfig(plainProperties(request.getOldInputs()), plainProperties(request.getNews())),
      ),
    ),
    configure: unary((request: proto.ConfigureRequest, peer) => {
      remember(peer, plainProperties(request.getArgs()));
      return new proto.ConfigureResponse()
        .setAcceptsecrets(secrets)
        .setAcceptresources(resources)
        .setAcceptoutputs(outputs)
        .setSupportspreview(true);
    }),
  };
}
