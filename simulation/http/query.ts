import { isRecord } from "../../components/core/reader/records";
import { CloudError } from "../cloud/errors";
import type { ApiResponse, ServiceApi } from "./service-api";

/** Answers a request with these parameters. */
export type Action = (form: URLSearchParams) => object | Promise<object>;

/** The answers by the name of the operation. */
export type Actions = Readonly<Record<string, Action>>;

const requestId = "00000000-0000-4000-8000-000000000000";

/**
 * The API of a service with forms and XML.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export function queryApi(namespace: string, actions: Actions): ServiceApi {
  return {
    answer: async ({ body }) => {
      const [name, result] = await answerOf(actions, body);
      const answer = { [`${name}Result`]: result, ResponseMetadata: { RequestId: requestId } };
      return response(200, xml(`${name}Response`, answer, namespace));
    },
    reject: ({ code, explanation }) => {
      const error = { Error: { Type: "Sender", Code: code, Message: explanation }, RequestId: requestId };
      return response(code === "InternalFailure" ? 500 : 400, xml("ErrorResponse", error, namespace));
    },
  };
}

/**
 * The API of EC2.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-ec2-query-protocol.html
 */
export function ec2QueryApi(namespace: string, actions: Actions): ServiceApi {
  return {
    answer: async ({ body }) => {
      const [name, result] = await answerOf(actions, body);
      return response(200, xml(`${name}Response`, { requestId, ...result }, namespace, "item"));
    },
    reject: ({ code, explanation }) => {
      const answer = { Errors: { Error: { Code: code, Message: explanation } }, RequestID: requestId };
      return response(code === "InternalFailure" ? 500 : 400, xml("Response", answer, namespace));
    },
  };
}

async function answerOf(actions: Actions, body: string): Promise<readonly [name: string, result: object]> {
  const form = new URLSearchParams(body);
  const name = form.get("Action") ?? "";
  const action = actions[name];
  if (!action) throw new CloudError("InvalidAction", `The simulated account does not answer ${name}`);
  return [name, await action(form)];
}

function response(status: number, body: string): ApiResponse {
  return { status, headers: { "content-type": "text/xml" }, body };
}

/**
 * XML of the query protocols.
 *
 * @param item the name of the elements of a list: `member` in the query protocol, `item` in that of EC2
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export function xml(root: string, value: unknown, namespace: string, item = "member"): string {
  return `<${root} xmlns="${namespace}">${content(value, item)}</${root}>`;
}

function content(value: unknown, item: string): string {
  const element = (name: string, inner: unknown) => `<${name}>${content(inner, item)}</${name}>`;
  if (Array.isArray(value)) return value.map((one) => element(item, one)).join("");
  if (isRecord(value)) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return entries.map(([name, inner]) => element(name, inner)).join("");
  }
  return String(value).replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A list of a form: the values of `VpcId.1`, `VpcId.2`… */
export function listIn(form: URLSearchParams, name: string): string[] {
  return [...form].filter(([key]) => new RegExp(`^${name}\\.\\d+$`).test(key)).map(([, value]) => value);
}

/** A filter of EC2. */
export interface Filter {
  readonly name: string;
  readonly values: readonly string[];
}

export function filtersIn(form: URLSearchParams): Filter[] {
  const names = [...form].flatMap(([key, name]) => {
    const [, at] = /^Filter\.(\d+)\.Name$/.exec(key) ?? [];
    return at === undefined ? [] : [{ at, name }];
  });
  return names.map(({ at, name }) => ({ name, values: listIn(form, `Filter\\.${at}\\.Value`) }));
}
