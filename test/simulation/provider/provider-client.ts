import { credentials, type ServiceError } from "@grpc/grpc-js";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Properties } from "../../../components/core/wire";
import { fromStruct, toStruct } from "../../../simulation/provider/rpc/messages";
import type { ProviderServers } from "../../../simulation/provider/serve";

type Done<T> = (error: ServiceError | null, response: T) => void;

/** A client of a provider, like the engine: sends the requests about one resource. */
export class ProviderClient {
  private readonly client: ResourceProviderClient;

  constructor(
    served: ProviderServers,
    private readonly type: string,
    private readonly name: string,
  ) {
    const port = new RegExp(`${type.split(":")[0]}:(\\d+)`).exec(served.debugProviders)?.[1];
    this.client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
      // Its own connection, like each provider of a stack.
      "grpc.use_local_subchannel_pool": 1,
    });
  }

  close(): void {
    this.client.close();
  }

  get urn(): string {
    return `urn:pulumi:lab::eks-gpu-lab::${this.type}::${this.name}`;
  }

  handshake() {
    return this.ask<proto.ProviderHandshakeResponse>((done) =>
      this.client.handshake(new proto.ProviderHandshakeRequest(), done),
    );
  }

  async version(): Promise<string> {
    const info = await this.ask<{ getVersion(): string }>((done) => this.client.getPluginInfo(new Empty(), done));
    return info.getVersion();
  }

  configure(config: Properties): Promise<proto.ConfigureResponse> {
    const request = new proto.ConfigureRequest().setArgs(toStruct(config));
    return this.ask((done) => this.client.configure(request, done));
  }

  async checkConfig(config: Properties): Promise<Properties> {
    const request = new proto.CheckRequest().setNews(toStruct(config));
    return fromStruct(
      (await this.ask<proto.CheckResponse>((done) => this.client.checkConfig(request, done))).getInputs(),
    );
  }

  async diffConfig(olds: Properties, news: Properties) {
    const request = new proto.DiffRequest().setOldInputs(toStruct(olds)).setNews(toStruct(news));
    const response = await this.ask<proto.DiffResponse>((done) => this.client.diffConfig(request, done));
    return { changes: response.getChanges(), diffs: response.getDiffsList(), replaces: response.getReplacesList() };
  }

  async invoke(token: string, args: Properties): Promise<Properties> {
    const request = new proto.InvokeRequest().setTok(token).setArgs(toStruct(args));
    return fromStruct((await this.ask<proto.InvokeResponse>((done) => this.client.invoke(request, done))).getReturn());
  }

  async check(news: Properties, olds: Properties = {}, seed = "seed of 32 bytes") {
    const request = new proto.CheckRequest()
      .setUrn(this.urn)
      .setType(this.type)
      .setName(this.name)
      .setNews(toStruct(news))
      .setOlds(toStruct(olds))
      .setRandomseed(Buffer.from(seed));
    const response = await this.ask<proto.CheckResponse>((done) => this.client.check(request, done));
    return {
      inputs: fromStruct(response.getInputs()),
      failures: response.getFailuresList().map((failure) => failure.toObject()),
    };
  }

  async diff(olds: Properties, news: Properties, ignoreChanges: string[] = []) {
    const request = new proto.DiffRequest()
      .setUrn(this.urn)
      .setType(this.type)
      .setName(this.name)
      .setOldInputs(toStruct(olds))
      .setNews(toStruct(news))
      .setIgnorechangesList(ignoreChanges);
    const response = await this.ask<proto.DiffResponse>((done) => this.client.diff(request, done));
    const detailed = [...response.getDetaileddiffMap().entries()].map(
      ([path, diff]) => [path, [diff.getKind(), diff.getInputdiff()]] as const,
    );
    return {
      changes: response.getChanges(),
      diffs: response.getDiffsList(),
      replaces: response.getReplacesList(),
      deleteBeforeReplace: response.getDeletebeforereplace(),
      detailed: response.getHasdetaileddiff() ? Object.fromEntries(detailed) : undefined,
    };
  }

  async create(inputs: Properties, preview = false) {
    const request = new proto.CreateRequest()
      .setUrn(this.urn)
      .setType(this.type)
      .setName(this.name)
      .setProperties(toStruct(inputs))
      .setPreview(preview);
    const response = await this.ask<proto.CreateResponse>((done) => this.client.create(request, done));
    return { id: response.getId(), properties: fromStruct(response.getProperties()) };
  }

  async update(id: string, news: Properties, oldInputs: Properties, oldOutputs = oldInputs, preview = false) {
    const request = new proto.UpdateRequest()
      .setId(id)
      .setUrn(this.urn)
      .setType(this.type)
      .setName(this.name)
      .setNews(toStruct(news))
      .setOldInputs(toStruct(oldInputs))
      .setOlds(toStruct(oldOutputs))
      .setPreview(preview);
    const response = await this.ask<proto.UpdateResponse>((done) => this.client.update(request, done));
    return fromStruct(response.getProperties());
  }

  async read(id: string, properties: Properties = {}, inputs: Properties = {}) {
    const request = new proto.ReadRequest()
      .setId(id)
      .setUrn(this.urn)
      .setType(this.type)
      .setName(this.name)
      .setProperties(toStruct(properties))
      .setInputs(toStruct(inputs));
    const response = await this.ask<proto.ReadResponse>((done) => this.client.read(request, done));
    return {
      id: response.getId(),
      properties: fromStruct(response.getProperties()),
      inputs: fromStruct(response.getInputs()),
    };
  }

  async delete(id: string): Promise<void> {
    const request = new proto.DeleteRequest().setId(id).setUrn(this.urn).setType(this.type).setName(this.name);
    await this.ask<Empty>((done) => this.client.delete(request, done));
  }

  async cancel(): Promise<void> {
    await this.ask<Empty>((done) => this.client.cancel(new Empty(), done));
  }

  construct(request: proto.ConstructRequest): Promise<proto.ConstructResponse> {
    return this.ask((done) => this.client.construct(request, done));
  }

  private ask<T>(call: (done: Done<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => call((error, response) => (error ? reject(error) : resolve(response))));
  }
}

/** The object in the error details of a create or update that did not become ready. */
export function objectInError(error: unknown) {
  const [details] = (error as ServiceError).metadata.get("grpc-status-details-bin");
  const status = Status.deserializeBinary(details as Buffer);
  const [any] = status.getDetailsList();
  const failed = (any ?? new Any()).unpack(
    (bytes) => proto.ErrorResourceInitFailed.deserializeBinary(bytes),
    "pulumirpc.ErrorResourceInitFailed",
  );
  return {
    id: failed?.getId(),
    reasons: failed?.getReasonsList(),
    properties: fromStruct(failed?.getProperties()),
    inputs: fromStruct(failed?.getInputs()),
  };
}
