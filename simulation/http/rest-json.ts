import { parseJson } from "../../components/core/json-text";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import { json, type ApiRequest, type ServiceApi } from "./service-api";

/** What a request is about: the labels of its path, and its query. */
export type Labels = Readonly<Record<string, string>>;

interface Operation {
  readonly method: string;
  /** With labels, such as `/clusters/{name}`. */
  readonly path: string;
  readonly answer: (labels: Labels, body: Properties) => object | Promise<object>;
}

export function operation(method: string, path: string, answer: Operation["answer"]): Operation {
  return { method, path, answer };
}

/** HTTP status by an error that several services have. */
const commonStatuses: Readonly<Record<string, number>> = {
  ResourceNotFoundException: 404,
  UnknownOperationException: 404,
  ThrottlingException: 429,
  InternalFailure: 500,
};

/**
 * The API of a service with paths and JSON.
 *
 * @param statuses HTTP status by the error of the service; 400 for the others
 * @see https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html
 */
export function restJson(statuses: Readonly<Record<string, number>>, operations: readonly Operation[]): ServiceApi {
  return {
    answer: async (request) => json(200, await answerOf(operations, request)),
    reject: ({ code, explanation }) => {
      const status = statuses[code] ?? commonStatuses[code] ?? 400;
      return json(status, { message: explanation }, { "x-amzn-errortype": code });
    },
  };
}

function answerOf(operations: readonly Operation[], { method, url, body }: ApiRequest): object | Promise<object> {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  for (const each of operations) {
    const labels = each.method === method ? labelsIn(each.path, pathname) : undefined;
    const read = body === "" ? {} : parseJson(body);
    if (labels) return each.answer({ ...Object.fromEntries(searchParams), ...labels }, isRecord(read) ? read : {});
  }
  throw new CloudError("UnknownOperationException", `The simulated account does not answer ${method} ${pathname}`);
}

/** The labels of a path, or undefined if it has another form. */
function labelsIn(form: string, path: string): Labels | undefined {
  const pattern = form.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  const match = new RegExp(`^${pattern}$`).exec(path);
  if (!match) return undefined;
  const entries = Object.entries(match.groups ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, decodeURIComponent(value)]));
}
