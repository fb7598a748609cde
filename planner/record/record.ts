import type { Inputs } from "@pulumi/pulumi";
import { optionalProperty } from "../../components/core/reader/records";
import type { LocalStore, PulumiRuntime } from "../program/pulumi-runtime";
import { recorded, type RecordedResource } from "./recorded-resource";
import { asRpcError, unwrap, type Properties } from "../../components/core/wire";

export type { RecordedOptions, RecordedResource } from "./recorded-resource";

/** A message that the program logged with `pulumi.log.info`, `warn` or `error`. */
export interface Diagnostic {
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  readonly urn?: string;
}

export interface Recording {
  readonly project: string;
  readonly stack: string;
  readonly resources: readonly RecordedResource[];
  /** The stack's outputs. An unknown value is {@link unknownSentinel}. */
  readonly outputs: Properties;
  readonly secretOutputs: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The answers of the cloud. A plan uses them instead of a provider. */
export interface Cloud {
  /** Outputs other than inputs that are known before the update, e.g. `id`. All other outputs are unknown. */
  outputsOf(resource: { type: string; name: string; inputs: Properties }): Properties;
  /** The result of a provider function such as `aws:index/getAvailabilityZones:getAvailabilityZones`. */
  call(token: string, args: Properties): Properties;
}

export interface RecordOptions {
  readonly project: string;
  readonly stack: string;
  /** Full keys (`eks-gpu-lab:nccl`) to values as the CLI stores them: strings, or JSON for structured values. */
  readonly config: Readonly<Record<string, string>>;
  readonly cloud: Cloud;
}

const stackType = "pulumi:pulumi:Stack";

/** Two resources have the same type, parent and name. The engine rejects the second one. */
class DuplicateUrnError extends Error {
  constructor(readonly urn: string) {
    super(`duplicate resource URN ${urn}: rename one of the two resources`);
  }
}

/** By the number that the SDK sends. Debug messages (0) are dropped. */
const severities = [undefined, "info", "warning", "error"] as const;

/**
 * Runs a Pulumi program like a first preview, without engine, providers or network, and records the resources that it
 * registers. Ids and outputs are unknown unless the cloud knows them.
 *
 * @throws any error of the program, including one inside an `apply`.
 * @throws DuplicateUrnError
 */
export async function record(
  pulumi: PulumiRuntime,
  program: () => unknown,
  options: RecordOptions,
): Promise<Recording> {
  const resources: RecordedResource[] = [];
  const diagnostics: Diagnostic[] = [];

  let outputs: Properties = {};

  const run = async (): Promise<void> => {
    await pulumi.mocks.setMocks(mocksOf(options.cloud), options.project, options.stack, true, "organization");
    pulumi.config.setAllConfig(options.config);
    const store = pulumi.state.getStore();
    observe(store, options, resources, (stackOutputs) => (outputs = stackOutputs));
    store.settings.engine = engineThatCollects(diagnostics);
    // Without this, the SDK's stack resource rejects several promises for one failed program.
    let failure: { error: unknown } | undefined;
    await pulumi.stack.runInPulumiStack(async () => {
      try {
        return (await program()) as Inputs;
      } catch (error) {
        failure = { error };
        return {};
      }
    });
    if (failure) throw failure.error;
    await pulumi.settings.waitForRPCs();
  };

  await failOnStrayRejection(() => pulumi.state.withLocalStorage(run));
  const { properties, secretPaths } = unwrap(outputs);
  const { project, stack } = options;
  return { project, stack, resources, outputs: properties, secretOutputs: secretPaths, diagnostics };
}

function mocksOf(cloud: Cloud) {
  return {
    newResource: ({ type, name, inputs }: { type: string; name: string; inputs: Properties }) => {
      const { id, ...outputs } = cloud.outputsOf({ type, name, inputs });
      return { id: typeof id === "string" ? id : undefined, state: { ...inputs, ...outputs } };
    },
    call: ({ token, inputs }: { token: string; inputs: Properties }) => cloud.call(token, inputs),
  };
}

/** The requests to the monitor contain parents, dependencies and unknown values; the mock callbacks get none of them. */
function observe(
  store: LocalStore,
  options: RecordOptions,
  resources: RecordedResource[],
  keepOutputs: (outputs: Properties) => void,
): void {
  const monitor = store.settings.monitor;
  if (!monitor) throw new Error("the Pulumi SDK did not install its mock monitor");
  const register = monitor.registerResource.bind(monitor);
  monitor.newUrn = (parent, type, name) => engineUrn(options, parent, type, name);
  const registered = new Set<string>();
  monitor.registerResource = (request, callback) =>
    register(request, (error, response) => {
      if (error) return callback(error, response);
      const urn = (response as { getUrn(): string }).getUrn();
      if (registered.has(urn)) return callback(new DuplicateUrnError(urn), undefined);
      registered.add(urn);
      resources.push(recorded(urn, request));
      callback(null, response);
    });
  const invoke = monitor.invoke.bind(monitor);
  monitor.invoke = (request, callback) => invoke(request, (error, response) => callback(asRpcError(error), response));
  const registerOutputs = monitor.registerResourceOutputs.bind(monitor);
  monitor.registerResourceOutputs = (request, callback) => {
    if (request.getUrn().split("::")[2] === stackType) keepOutputs(request.getOutputs()?.toJavaScript() ?? {});
    registerOutputs(request, callback);
  };
}

/** A URN as the engine builds it: with the type of every parent except the stack, which the SDK's mock adds. */
function engineUrn(options: RecordOptions, parent: string, type: string, name: string): string {
  const parentType = parent.split("::")[2];
  const qualified = parentType && parentType !== stackType ? `${parentType}$${type}` : type;
  return ["urn:pulumi:" + options.stack, options.project, qualified, name].join("::");
}

function engineThatCollects(diagnostics: Diagnostic[]): object {
  interface LogRequest {
    getSeverity(): number;
    getMessage(): string;
    getUrn(): string;
  }
  const done = (_: unknown, callback: (error: null, response: object) => void) => callback(null, {});
  return {
    log(request: LogRequest, callback: (error: null, response: object) => void) {
      const severity = severities[request.getSeverity()];
      if (severity)
        diagnostics.push({ severity, message: request.getMessage(), ...optionalProperty("urn", request.getUrn()) });
      callback(null, {});
    },
    setRootResource: done,
  };
}

/**
 * Fails on an error inside an `apply`, which surfaces as an unhandled rejection. A real run fails on it, too. Values
 * that depend on the failed one never resolve.
 */
async function failOnStrayRejection<T>(body: () => Promise<T>): Promise<T> {
  let keep: (reason: unknown) => void = () => undefined;
  const stray = new Promise<never>((_, reject) => (keep = reject));
  stray.catch(() => undefined);
  process.on("unhandledRejection", keep);
  try {
    const result = await Promise.race([body(), stray]);
    await Promise.race([new Promise((resolve) => setImmediate(resolve)), stray]);
    return result;
  } finally {
    process.off("unhandledRejection", keep);
  }
}
