import type * as grpc from "@grpc/grpc-js";
import type { Message } from "google-protobuf";
import { ProviderCrash } from "../../world/world";
import { serviceError } from "./errors";

/** Answers one kind of request. `peer` is the same for all requests of one provider of a stack. */
export type Answer<Request, Response> = (request: Request, peer: string) => Response | Promise<Response>;

/** A handler of such requests. When the provider dies in the middle of one, nobody gets an answer. */
export function unary<Request extends Message, Response extends Message>(
  answer: Answer<Request, Response>,
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
