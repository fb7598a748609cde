import { createRequire } from "node:module";
import type { Policies } from "@pulumi/policy";
import type { AnalyzeRequest, AnalyzeResponse, PolicyNotApplicable } from "@pulumi/pulumi/proto/analyzer_pb";
import type { Pack } from "./policy-config";

type Deserialize = (properties: object, proxySecrets: boolean) => object;

/**
 * Lets the policies of a pack share the deserialised properties of a request. The SDK makes them anew for each policy, also
 * for those that have nothing to say about the type: with forty policies that is most of the time of an analysis. The rules
 * here only read what they are given.
 *
 * Does nothing where the SDK has no such function: an analysis is then slower, and says the same.
 *
 * @see https://github.com/pulumi/pulumi-policy/blob/v1.21.0/sdk/nodejs/policy/server.ts makeAnalyzeRpcFun
 */
export function shareDeserialisedProperties(): void {
  const sdk = createRequire(__filename)("@pulumi/policy/deserialize") as { deserializeProperties?: Deserialize };
  const deserialise = sdk.deserializeProperties;
  if (typeof deserialise !== "function") return;
  const made = new WeakMap<object, object>();
  sdk.deserializeProperties = (properties, proxySecrets) => {
    // A remediation changes what it is given.
    if (proxySecrets) return deserialise(properties, proxySecrets);
    const known = made.get(properties) ?? deserialise(properties, proxySecrets);
    made.set(properties, known);
    return known;
  };
}

/** Answers one kind of request of the engine. */
type Handler<Request, Response> = (
  call: { readonly request: Request },
  answer: (error: unknown, response?: Response) => void,
) => void;

interface ConfigureRequest {
  getPolicyconfigMap(): {
    entries(): Iterable<[string, { getProperties(): { toJavaScript(): Record<string, unknown> } }]>;
  };
}

/** The handlers of the SDK's server that a pack changes. */
export interface Handlers {
  readonly configure: Handler<ConfigureRequest, object>;
  readonly analyze: Handler<AnalyzeRequest, AnalyzeResponse>;
}

interface Server {
  addService: (this: Server, service: unknown, handlers: Handlers) => void;
}

/** Loads what the SDK itself would load, where several copies are installed. */
const ofSdk = () => createRequire(createRequire(__filename).resolve("@pulumi/policy"));

/** Puts other handlers in the place of those that the SDK is about to serve. */
export function changeHandlers(change: (handlers: Handlers) => Handlers): void {
  const { Server } = ofSdk()("@grpc/grpc-js") as { Server: { prototype: Server } };
  const addService = Server.prototype.addService;
  Server.prototype.addService = function (service, handlers) {
    addService.call(this, service, change(handlers));
  };
}

/**
 * Lets a pack refuse a configuration that its rules cannot follow: the engine hands on what no schema forbids, and SDK
 * and rules would leave it aside in silence.
 *
 * @param check throws what is wrong with the parameters of the rules, by rule
 */
export function checkedConfiguration(
  configure: Handlers["configure"],
  check: (config: Record<string, Record<string, unknown>>) => void,
): Handlers["configure"] {
  return (call, answer) => {
    try {
      const given = [...call.request.getPolicyconfigMap().entries()];
      check(Object.fromEntries(given.map(([rule, entry]) => [rule, entry.getProperties().toJavaScript()])));
    } catch (error) {
      return answer({ code: invalidArgument, details: (error as Error).message });
    }
    configure(call, answer);
  };
}

/** @see https://grpc.io/docs/guides/status-codes/ */
const invalidArgument = 3;

type MakeAnalyze = (pack: string, version: string, level: string, policies: Policies) => Handlers["analyze"];

/** A pack, and its policies in the order of its rules. */
interface Served {
  readonly pack: Pack;
  readonly policies: Policies;
}

/**
 * Asks about a resource only those policies that read its type. The SDK asks every policy of the pack, and where one
 * reads several types it finds out by an error that the policy throws. Those that are not asked are told to the
 * engine as not applicable, as before. `undefined` where the SDK cannot make such a handler.
 *
 * @see https://github.com/pulumi/pulumi-policy/blob/v1.21.0/sdk/nodejs/policy/server.ts makeAnalyzeRpcFun
 */
export function analysisByType({ pack, policies }: Served): Handlers["analyze"] | undefined {
  const { makeAnalyzeRpcFun: make } = ofSdk()("@pulumi/policy/server") as { makeAnalyzeRpcFun?: MakeAnalyze };
  if (typeof make !== "function") return undefined;
  const notApplicable = policies.map(({ name }) => isNotApplicable(name));
  const forType = (type: string) => {
    const reads = (index: number) => pack.rules[index]?.rule.types.includes(type) ?? true;
    const asked = policies.filter((_, index) => reads(index));
    const others = notApplicable.filter((_, index) => !reads(index));
    return { handle: make(pack.name, pack.version, "advisory", asked), others };
  };
  const byType = new Map<string, ReturnType<typeof forType>>();
  return (call, answer) => {
    const type = call.request.getType();
    const { handle, others } = byType.get(type) ?? forType(type);
    byType.set(type, { handle, others });
    handle(call, (error, response) => {
      response?.setNotApplicableList([...response.getNotApplicableList(), ...others]);
      answer(error, response);
    });
  };
}

function isNotApplicable(policy: string): PolicyNotApplicable {
  const messages = ofSdk()("@pulumi/pulumi/proto/analyzer_pb") as {
    PolicyNotApplicable: new () => PolicyNotApplicable;
  };
  return new messages.PolicyNotApplicable().setPolicyName(policy).setReason("it judges resources of other types");
}
