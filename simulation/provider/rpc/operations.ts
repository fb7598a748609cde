import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import type { Message } from "google-protobuf";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type Properties, unwrap, withSecretsOf } from "../../../components/core/wire";
import type { Account } from "../../cloud/model";
import type { Plugin } from "../plugins";
import { InitializationError, type ResourceIdentity, type Resources } from "../resources/resources";
import {
  checkResponse,
  diffConfigResponse,
  diffResponse,
  fromStruct,
  plainProperties,
  toStruct,
  unary,
  type Handler,
} from "./messages";

/** The fields of every request about a resource. */
export interface ResourceMessage {
  getUrn(): string;
  getType(): string;
  getName(): string;
}

/** The resource of a request from a provider of the stack. */
type SubjectOf = (request: ResourceMessage, peer: string) => ResourceIdentity;

/** What a provider of the stack sees in the region of a resource, and its configuration. */
type ResourcesOf = (peer: string, resource?: Properties) => { readonly of: Resources; readonly config: Properties };

/** The methods for functions and resources. */
export function resourceMethods(
  resources: ResourcesOf,
  subject: SubjectOf,
  crash: () => void,
): UntypedServiceImplementation {
  const on = <Q extends Message, R extends Message>(handler: Handler<Q, R>) => unary(handler, crash);
  return {
    ...changeMethods(resources, subject, crash),
    ...planMethods(resources, subject, crash),

    invoke: on(async (request: proto.InvokeRequest, peer) => {
      const { config, of } = resources(peer);
      const result = await of.invoke(request.getTok(), plainProperties(request.getArgs()), config);
      return new proto.InvokeResponse().setReturn(toStruct(result));
    }),

    read: on(async (request: proto.ReadRequest, peer) => {
      const known = plainProperties(request.getProperties());
      const isImport = Object.keys(known).length === 0;
      const state = await resources(peer, known).of.read(subject(request, peer), request.getId(), isImport);
      if (!state) return new proto.ReadResponse();
      const { id, properties, inputs } = state;
      return new proto.ReadResponse()
        .setId(id)
        .setProperties(toStruct(withSecretsOf(properties, fromStruct(request.getProperties()))))
        .setInputs(toStruct(withSecretsOf(inputs, fromStruct(request.getInputs()))));
    }),

    delete: on(async (request: proto.DeleteRequest, peer) => {
      const known = plainProperties(request.getProperties());
      await resources(peer, known).of.delete(subject(request, peer), request.getId());
      return new Empty();
    }),
  };
}

function planMethods(resources: ResourcesOf, subject: SubjectOf, crash: () => void): UntypedServiceImplementation {
  const on = <Q extends Message, R extends Message>(handler: Handler<Q, R>) => unary(handler, crash);
  return {
    check: on((request: proto.CheckRequest, peer) => {
      const news = fromStruct(request.getNews());
      const [olds, seed] = [plainProperties(request.getOlds()), request.getRandomseed_asU8()];
      const { inputs, failures } = resources(peer).of.check(
        subject(request, peer),
        unwrap(news).properties,
        olds,
        seed,
      );
      return checkResponse(withSecretsOf(inputs, news), failures);
    }),

    diff: on((request: proto.DiffRequest, peer) => {
      const [olds, news] = [plainProperties(request.getOldInputs()), plainProperties(request.getNews())];
      const ignoreChanges = request.getIgnorechangesList();
      return diffResponse(resources(peer).of.diff(subject(request, peer), { olds, news, ignoreChanges }));
    }),
  };
}

function changeMethods(resources: ResourcesOf, subject: SubjectOf, crash: () => void): UntypedServiceImplementation {
  const on = <Q extends Message, R extends Message>(handler: Handler<Q, R>) => unary(handler, crash);
  return {
    create: on((request: proto.CreateRequest, peer) =>
      withSecretsRestored(fromStruct(request.getProperties()), async (inputs, mark) => {
        const created = await resources(peer, inputs).of.create(subject(request, peer), inputs, request.getPreview());
        return new proto.CreateResponse().setId(created.id).setProperties(toStruct(mark(created.properties)));
      }),
    ),

    update: on((request: proto.UpdateRequest, peer) =>
      withSecretsRestored(fromStruct(request.getNews()), async (inputs, mark) => {
        const properties = await resources(peer, plainProperties(request.getOlds())).of.update(subject(request, peer), {
          id: request.getId(),
          inputs,
          oldInputs: plainProperties(request.getOldInputs()),
          oldOutputs: plainProperties(request.getOlds()),
          ignoreChanges: request.getIgnorechangesList(),
          preview: request.getPreview(),
        });
        return new proto.UpdateResponse().setProperties(toStruct(mark(properties)));
      }),
    ),
  };
}

/** Runs a request with plain inputs, and marks the secret inputs in its result or error. */
async function withSecretsRestored<T>(
  wire: Properties,
  act: (inputs: Properties, mark: (properties: Properties) => Properties) => Promise<T>,
): Promise<T> {
  const mark = (properties: Properties) => withSecretsOf(properties, wire);
  try {
    return await act(unwrap(wire).properties, mark);
  } catch (error) {
    if (!(error instanceof InitializationError)) throw error;
    const { id, properties, inputs } = error.object;
    throw new InitializationError({ id, properties: mark(properties), inputs: mark(inputs) }, error.reason);
  }
}

/** The methods that identify and configure a provider. */
export function configurationMethods(
  plugin: Plugin,
  account: Account,
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
    // The engine sends it at the end of every command; further commands may follow.
    cancel: unary(() => new Empty()),
    getPluginInfo: unary(() => new PluginInfo().setVersion(plugin.version)),
    checkConfig: unary((request: proto.CheckRequest) => checkResponse(fromStruct(request.getNews()), [])),
    diffConfig: unary((request: proto.DiffRequest) =>
      diffConfigResponse(
        plugin.diffConfig(plainProperties(request.getOldInputs()), plainProperties(request.getNews())),
      ),
    ),
    configure: unary((request: proto.ConfigureRequest, peer) => {
      const config = plainProperties(request.getArgs());
      plugin.requireConfig?.(config, account);
      remember(peer, config);
      return new proto.ConfigureResponse()
        .setAcceptsecrets(secrets)
        .setAcceptresources(resources)
        .setAcceptoutputs(outputs)
        .setSupportspreview(true);
    }),
  };
}
