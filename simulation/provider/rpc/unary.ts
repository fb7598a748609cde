
import * as grpc from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import type { Message } from "google-protobuf";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { ProviderCrash } from "../../cloud/errors";
import { InitializationError } from "../resources/resources";
import { toStruct } from "./messages";

/** Answers one kind of request. `peer` is the same for all requests of one provider of a stack. */
export type Handler<Request, Response> = (request: Request, peer: string) => Response | Promise<Response>;

/** A handler of such requests. When the provider dies in the middle of one, nobody gets an answer. */
export function unary<Request extends Message, Response extends Message>(
  answer: Handler<Request, Response>,
  crash: () => void = () => undefined,
): grpc.handleUnaryCall<Request, Response> {
  return (call, respond) => {
    Promise.resolve()
      .then(() => answer(call.request, call.getPeer()))
      .then(
        (response) => respond(null, response),
        (error: unknown) => {
          if (error instanceof ProviderCrash) crash();
          else respond(serviceError(error));
        },
      );
  };
}

/** An error as the engine takes it: of a request that changed nothing, or with the object that is there and not ready. */
export function serviceError(error: unknown): Partial<grpc.ServiceError> {
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
