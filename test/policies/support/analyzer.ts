import {
  AnalyzeRequest,
  AnalyzerPropertyDependencies,
  AnalyzerProviderResource,
  AnalyzerResource,
  AnalyzerResourceOptions,
  AnalyzeStackRequest,
  EnforcementLevel,
  type AnalyzeResponse,
  type RemediateResponse,
} from "@pulumi/pulumi/proto/analyzer_pb";
import type { Policies } from "@pulumi/policy";
import * as server from "@pulumi/policy/server";
import { Struct, type JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import type { AnalyzedResource } from "../../../policies/engine/resource";

/** The handlers of the policy SDK's server, which its types leave out. */
interface Server {
  makeAnalyzeRpcFun: MakeHandler<AnalyzeRequest, AnalyzeResponse>;
  makeAnalyzeStackRpcFun: MakeHandler<AnalyzeStackRequest, AnalyzeResponse>;
  makeRemediateRpcFun: MakeHandler<AnalyzeRequest, RemediateResponse>;
}
type MakeHandler<Request, Response> = (
  pack: string,
  version: string,
  level: string,
  policies: Policies,
) => (call: { request: Request }, callback: (error: Error | null, response: Response) => void) => void;

/** The engine's side of a pack that is served in this process: real requests, the SDK's proxies, no network. */
export function analyzerOf(policies: Policies) {
  const { makeAnalyzeRpcFun, makeAnalyzeStackRpcFun, makeRemediateRpcFun } = server as unknown as Server;
  const client = <Request, Response>(make: MakeHandler<Request, Response>) => {
    const handle = make("test", "1.0.0", "advisory", policies);
    return (request: Request) =>
      new Promise<Response>((resolve, reject) =>
        handle({ request }, (error, response) => (error ? reject(error) : resolve(response))),
      );
  };
  return {
    analyze: client(makeAnalyzeRpcFun),
    analyzeStack: client(makeAnalyzeStackRpcFun),
    remediate: client(makeRemediateRpcFun),
  };
}

/** `Analyze` and `Remediate` of one resource. */
export function analyzeRequest(resource: AnalyzedResource): AnalyzeRequest {
  return fill(new AnalyzeRequest(), resource);
}

/** `AnalyzeStack`. The properties are the outputs of the resources. */
export function stackRequest(resources: readonly AnalyzedResource[]): AnalyzeStackRequest {
  return new AnalyzeStackRequest().setResourcesList(
    resources.map((resource) => {
      const message = fill(new AnalyzerResource(), resource);
      message.setParent(resource.parent ?? "").setDependenciesList([...(resource.dependencies ?? [])]);
      for (const [property, urns] of Object.entries(resource.propertyDependencies ?? {})) {
        const dependencies = new AnalyzerPropertyDependencies().setUrnsList([...urns]);
        message.getPropertydependenciesMap().set(property, dependencies);
      }
      return message;
    }),
  );
}

function fill<Message extends AnalyzeRequest | AnalyzerResource>(
  message: Message,
  resource: AnalyzedResource,
): Message {
  const { urn, type, name, properties, options, parent = "", provider } = resource;
  const settings = new AnalyzerResourceOptions().setIgnorechangesList([...(options?.ignoreChanges ?? [])]);
  message.setUrn(urn).setType(type).setName(name).setOptions(settings.setParent(parent));
  if (provider !== undefined) {
    const [, , providerType = "", providerName = ""] = provider.split("::");
    message.setProvider(
      new AnalyzerProviderResource()
        .setProperties(new Struct())
        .setUrn(provider)
        .setType(providerType)
        .setName(providerName),
    );
  }
  message.setProperties(Struct.fromJavaScript(properties as Record<string, JavaScriptValue>));
  return message;
}

const levels = Object.fromEntries(
  Object.entries(EnforcementLevel).map(([name, number]) => [number, name.toLowerCase()]),
);

/** What a response says: `mandatory shelves: <message>`. */
export function diagnostics(response: AnalyzeResponse): string[] {
  return response
    .getDiagnosticsList()
    .map((d) => `${levels[d.getEnforcementlevel()]} ${d.getPolicyname()}: ${d.getMessage()}`);
}

/** Why policies did not apply, by name. */
export function notApplicable(response: AnalyzeResponse | RemediateResponse): Record<string, string> {
  return Object.fromEntries(response.getNotApplicableList().map((n) => [n.getPolicyName(), n.getReason()]));
}
