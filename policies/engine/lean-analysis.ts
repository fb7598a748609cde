import type { Policies } from "@pulumi/policy";
import type {
  AnalyzerResource,
  AnalyzeResponse,
  AnalyzeStackRequest,
  PolicyNotApplicable,
} from "@pulumi/pulumi/proto/analyzer_pb";
import { ofSdk, type Handlers } from "./lean-sdk";
import type { Pack } from "./policy-config";

type Make<Method extends keyof Handlers> = (
  pack: string,
  version: string,
  level: string,
  policies: Policies,
) => Handlers[Method];

interface SdkServer {
  readonly makeAnalyzeRpcFun?: Make<"analyze">;
  readonly makeAnalyzeStackRpcFun?: Make<"analyzeStack">;
}

/** A pack, and its policies in the order of its rules. */
interface Served {
  readonly pack: Pack;
  readonly policies: Policies;
}

/**
 * Asks about a resource only those policies that judge it by itself. The SDK asks every policy of the pack, and where one
 * reads several types it finds out by an error that the policy throws. Those that are not asked are told to the
 * engine as not applicable, as before. `undefined` where the SDK cannot make such a handler.
 *
 * @see https://github.com/pulumi/pulumi-policy/blob/v1.21.0/sdk/nodejs/policy/server.ts makeAnalyzeRpcFun
 */
export function analysisByType({ pack, policies }: Served): Handlers["analyze"] | undefined {
  const { makeAnalyzeRpcFun: make } = ofSdk("@pulumi/policy/server") as SdkServer;
  if (typeof make !== "function") return undefined;
  const forType = (type: string) => {
    const asked: Policies = [];
    const others: PolicyNotApplicable[] = [];
    for (const [index, policy] of policies.entries()) {
      const rule = pack.rules[index]?.rule;
      if (!rule?.types.includes(type)) others.push(notApplicable(policy.name, otherType));
      else if (rule.scope === "stack") others.push(notApplicable(policy.name, withStack));
      else asked.push(policy);
    }
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

/**
 * Shows each policy on the whole stack the resources of the types that it reads. The SDK makes all of them anew for
 * every policy. `undefined` where the SDK cannot make such a handler, or no policy is on the stack.
 */
export function stackAnalysisByType({ pack, policies }: Served): Handlers["analyzeStack"] | undefined {
  const { makeAnalyzeStackRpcFun: make } = ofSdk("@pulumi/policy/server") as SdkServer;
  if (typeof make !== "function") return undefined;
  const asked = policies.flatMap((policy, index) => {
    const rule = pack.rules[index]?.rule;
    if (rule?.scope !== "stack") return [];
    return [{ types: new Set(rule.types), handle: make(pack.name, pack.version, "advisory", [policy]) }];
  });
  if (asked.length === 0) return undefined;
  return (call, answer) => {
    const all = call.request.getResourcesList();
    const answers = asked.map(
      ({ types, handle }) =>
        new Promise<AnalyzeResponse>((resolve, reject) =>
          handle({ request: showing(call.request, all, types) }, (error, response) =>
            response ? resolve(response) : reject(error instanceof Error ? error : new Error(String(error))),
          ),
        ),
    );
    Promise.all(answers).then((responses) => answer(undefined, together(responses)), answer);
  };
}

function showing(
  request: AnalyzeStackRequest,
  all: readonly AnalyzerResource[],
  types: ReadonlySet<string>,
): AnalyzeStackRequest {
  const shown = all.filter((resource) => types.has(resource.getType()));
  return Object.create(request, { getResourcesList: { value: () => shown } }) as AnalyzeStackRequest;
}

function together([first, ...others]: readonly AnalyzeResponse[]): AnalyzeResponse | undefined {
  for (const response of others) {
    for (const diagnostic of response.getDiagnosticsList()) first?.addDiagnostics(diagnostic);
    for (const policy of response.getNotApplicableList()) first?.addNotApplicable(policy);
  }
  return first;
}

/** Why a policy says nothing of a resource. */
export const otherType = "it judges resources of other types";
export const withStack = "judged with the whole stack";

function notApplicable(policy: string, reason: string): PolicyNotApplicable {
  const messages = ofSdk("@pulumi/pulumi/proto/analyzer_pb") as {
    PolicyNotApplicable: new () => PolicyNotApplicable;
  };
  return new messages.PolicyNotApplicable().setPolicyName(policy).setReason(reason);
}
