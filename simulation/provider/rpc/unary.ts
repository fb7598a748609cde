import * as grpc from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Message } from "google-protobuf";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { ProviderCrash } from "../../cloud/errors";
import { InitializationError } from "../resources/resources";
import { toStruct } from "./messages";

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
