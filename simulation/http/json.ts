import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import { json, type ServiceApi } from "./account-server";

/** Answers a request with this body. */
type Operation = (body: Properties) => object | Promise<object>;

/**
 * The API of a service with JSON, whose header x-amz-target names the operation.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
export function jsonApi(operations: Readonly<Record<string, Operation>>): ServiceApi {
  const type = { "content-type": "application/x-amz-json-1.1" };
  return {
    answer: async ({ headers, body }) => {
      const name = headers["x-amz-target"]?.split(".").at(-1) ?? "";
      const operation = operations[name];
      if (!operation) {
        throw new CloudError("UnknownOperationException", `The simulated account does not answer ${name}`);
      }
      const read = parseJson(body);
      return json(200, await operation(isRecord(read) ? read : {}), type);
    },
    reject: ({ code, explanation }) =>
      json(code === "InternalFailure" ? 500 : 400, { __type: code, message: explanation }, type),
  };
}
