import * as grpc from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Message } from "google-protobuf";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { unwrap, withoutUndefinedInside, type Properties } from "../../../components/core/wire";
import type { Change } from "../../cloud/changes";
import { ProviderCrash } from "../../cloud/errors";
import type { CheckFailure } from "../../cloud/model";
import type { ConfigDifference } from "../plugins";
import type { Difference } from "../resources/inputs";
import { InitializationError } from "../resources/resources";

/** Properties as a message, without undefined values. */
export function toStruct(properties: Properties): Struct {
  return Struct.fromJavaScript(withoutUndefinedInside(properties) as Record<string, JavaScriptValue>);
}

/** The properties of a message, without null values: providers treat null as missing. */
export function fromStruct(message: Struct | undefined): Properties {
  const properties = Object.entries(message?.toJavaScript() ?? {});
  return Object.fromEntries(properties.filter(([, value]) => value !== null));
}

/** The properties of a message without the wrappers of secrets, outputs and references. */
export function plainProperties(message: Struct | undefined): Properties {
  return unwrap(fromStruct(message)).properties;
}

const { DiffChanges } = proto.DiffResponse;
const { Kind } = proto.PropertyDiff;

export function checkResponse(inputs: Properties, failures: readonly CheckFailure[]): proto.CheckResponse {
  return new proto.CheckResponse()
    .setInputs(toStruct(inputs))
    .setFailuresList(
      failures.map(({ property, reason }) => new proto.CheckFailure().setProperty(property).setReason(reason)),
    );
}

export function diffResponse({ changes, changed, replacing, deleteBeforeReplace }: Difference): proto.DiffResponse {
  const response = diffConfigResponse({ changed, replacing })
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  for (const change of changes) {
    response.getDetaileddiffMap().set(change.path, new proto.PropertyDiff().setKind(kindOf(change)).setInputdiff(true));
  }
  return response;
}

export function diffConfigResponse({ changed, replacing }: ConfigDifference): proto.DiffResponse {
  return new proto.DiffResponse()
    .setChanges(changed.length > 0 ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE)
    .setDiffsList([...changed])
    .setReplacesList([...replacing]);
}

function kindOf({ kind, replaces }: Change): proto.PropertyDiff.Kind {
  if (kind === "add") return replaces ? Kind.ADD_REPLACE : Kind.ADD;
  if (kind === "delete") return replaces ? Kind.DELETE_REPLACE : Kind.DELETE;
  return replaces ? Kind.UPDATE_REPLACE : Kind.UPDATE;
}

/** Handles a request. `peer` identifies the provider of the stack that sent it. */
export type Handler<Request, Response> = (request: Request, peer: string) => Response | Promise<Response>;

/** A gRPC method. After a crash of the provider, open calls get no response. */
export function unary<Request extends Message, Response extends Message>(
  handler: Handler<Request, Response>,
  crash: () => void = () => undefined,
): grpc.handleUnaryCall<Request, Response> {
  return (call, respond) => {
    Promise.resolve()
      .then(() => handler(call.request, call.getPeer()))
      .then(
        (response) => respond(null, response),
        (error: unknown) => {
          if (error instanceof ProviderCrash) crash();
          else respond(serviceError(error));
        },
      );
  };
}

/** A gRPC error; for an object that is not ready, its details contain the state of the object. */
function serviceError(error: unknown): Partial<grpc.ServiceError> {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof InitializationError)) return { code: grpc.status.UNKNOWN, details: message };
  const { id, properties, inputs } = error.object;
  const failed = new ErrorResourceInitFailed()
    .setId(id)
    .setProperties(toStruct(properties))
    .setInputs(toStruct(inputs))
    .setReasonsList([error.reason]);
  const details = new Any();
  details.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(grpc.status.UNKNOWN).setMessage(message);
  status.addDetails(details);
  const metadata = new grpc.Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  return { code: grpc.status.UNKNOWN, details: message, metadata };
}
