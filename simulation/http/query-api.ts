import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ApiResponse, ServiceApi } from "./account-server";
import { xml } from "./xml";

/** A service with AWS's query protocol: forms in, XML out. */
export interface QueryService {
  readonly namespace: string;
  readonly actions: Readonly<Record<string, (cloud: SimulatedCloud, form: URLSearchParams) => object>>;
}

/** The API of a service with the query protocol. */
export function queryApi(cloud: SimulatedCloud, { namespace, actions }: QueryService): ServiceApi {
  return {
    answer: ({ body }) => {
      const form = new URLSearchParams(body);
      const name = form.get("Action") ?? "";
      const action = actions[name];
      if (!action) throw new CloudError("InvalidAction", `The simulated account does not answer ${name}`);
      const answer = { [`${name}Result`]: action(cloud, form), ResponseMetadata: { RequestId: requestId } };
      return response(200, xml(`${name}Response`, answer, namespace));
    },
    reject: ({ code, explanation }) => {
      const error = { Error: { Type: "Sender", Code: code, Message: explanation }, RequestId: requestId };
      return response(code === "InternalFailure" ? 500 : 400, xml("ErrorResponse", error, namespace));
    },
  };
}

const requestId = "00000000-0000-4000-8000-000000000000";

function response(status: number, body: string): ApiResponse {
  return { status, headers: { "content-type": "text/xml" }, body };
}
