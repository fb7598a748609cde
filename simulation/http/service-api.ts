import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";

export interface ApiRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The API of one service. */
export interface ServiceApi {
  /** @throws CloudError when AWS rejects the request */
  answer(request: ApiRequest): ApiResponse | Promise<ApiResponse>;
  /** The answer to a request that AWS rejects. */
  reject(error: CloudError): ApiResponse;
}

/** A response with a JSON body. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

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
