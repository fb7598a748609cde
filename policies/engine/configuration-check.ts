import { createRequire } from "node:module";

/** The parameters of the rules, by rule. */
type Configuration = Record<string, Record<string, unknown>>;

type Method = (this: unknown, ...args: unknown[]) => unknown;

type ProblemIn = (configuration: Configuration) => string | undefined;

/** Whether the SDK registered a handler that the check is part of. */
interface ConfigurationCheck {
  isActive: boolean;
}

/**
 * Rejects a policy configuration that the rules cannot follow. The engine passes on parameters that no schema forbids,
 * and the SDK ignores them; its public API has no hook for the configuration. So this wraps the handlers that the SDK
 * registers with its gRPC server. An SDK that works in another way is left as it is: `isActive` then stays false.
 *
 * Call it before the policy pack is created.
 *
 * @param problemIn what is wrong with a configuration, if anything
 * @see https://github.com/pulumi/pulumi-policy/blob/v1.21.0/sdk/nodejs/policy/server.ts configure
 */
export function checkConfiguration(problemIn: ProblemIn): ConfigurationCheck {
  const check = { isActive: false };
  const server = serverOfSdk();
  const addService = server?.addService;
  if (!server || typeof addService !== "function") return check;
  server.addService = function (service, handlers, ...rest) {
    return addService.call(this, service, withCheck(handlers as object, problemIn, check), ...rest);
  };
  return check;
}

/** The prototype of the gRPC server that the SDK uses, also where several copies of the package are installed. */
function serverOfSdk(): { addService?: Method } | undefined {
  try {
    const requireAsSdk = createRequire(createRequire(__filename).resolve("@pulumi/policy"));
    return (requireAsSdk("@grpc/grpc-js") as { Server?: { prototype: object } }).Server?.prototype;
  } catch {
    return undefined;
  }
}

function withCheck(handlers: object, problemIn: ProblemIn, check: ConfigurationCheck): object {
  const { configure } = Object(handlers) as { configure?: Method };
  if (typeof configure !== "function") return handlers;
  check.isActive = true;
  const checked: Method = function (...args) {
    const [call, callback] = args;
    const configuration = configurationIn(call);
    const details = configuration && problemIn(configuration);
    if (details === undefined || typeof callback !== "function") return configure.apply(this, args);
    return (callback as Method)({ code: invalidArgument, details });
  };
  return Object.create(handlers, { configure: { value: checked, enumerable: true } }) as object;
}

/** @see https://grpc.io/docs/guides/status-codes/ */
const invalidArgument = 3;

interface ConfigureCall {
  request: { getPolicyconfigMap(): Map<string, { getProperties(): { toJavaScript(): Record<string, unknown> } }> };
}

/** The configuration in a request of the engine; `undefined` for a message of another form. */
function configurationIn(call: unknown): Configuration | undefined {
  try {
    const entries = [...(call as ConfigureCall).request.getPolicyconfigMap().entries()];
    return Object.fromEntries(entries.map(([rule, entry]) => [rule, entry.getProperties().toJavaScript()]));
  } catch {
    return undefined;
  }
}
