import * as grpc from "@grpc/grpc-js";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Unfinished } from "../resources/failures";
import { toStruct } from "./struct";

/** An error as the engine takes it: of a request that changed nothing, or with the object that is there and not ready. */
export function serviceError(error: unknown): Partial<grpc.ServiceError> {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Unfinished)) return { code: grpc.status.UNKNOWN, details: message };
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
