import type { Inputs } from "@pulumi/pulumi";
import type { LocalStore, PulumiRuntime } from "../program/pulumi-runtime";
import { optional, recorded, type RecordedResource } from "./recorded-resource";
import { unwrap, type Properties } from "../../components/core/wire";

export type { RecordedOptions, RecordedResource } from "./recorded-resource";

/** A message of the program: `pulumi.log.info`, `warn` or `error`. */
export interface Diagnostic {
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  readonly urn?: string;
}

export interface Recording {
  readonly project: string;
  readonly stack: string;
  readonly resources: readonly RecordedResource[];
  /** The stack's outputs; unknown ones are {@link unknownSentinel}. */
  readonly outputs: Properties;
  readonly secretOutputs: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What the cloud would answer. A plan asks it instead of a provider. */
export interface World {
  /** Outputs that are known before the update, beside the inputs; everything else stays unknown. */
  outputsOf(resource: { type: string; name: string; inputs: Properties }): Properties;
  /** Answers a provider function such as `aws:index/getAvailabilityZones:getAvailabilityZones`. */
  call(token: string, args: Properties): Properties;
}

export interface RecordOptions {
  readonly project: string;
  readonly stack: string;
  /** Full keys (`eks-gpu-lab:nccl`) to values as the CLI stores them: texts, or JSON for structured values. */
  readonly config: Readonly<Record<string, string>>;
  readonly world: World;
}

const stackType = "pulumi:pulumi:Stack";

/** Two resources of one program have the same type, parent and name; the engine would refuse the second. */
class DuplicateUrnError extends Error {
  constructor(readonly urn: string) {
    super(`duplicate resource URN ${urn}: give one of the two resources another name`);
  }
}

/** By the number the SDK sends; debug messages, number 0, are not kept. */
const severities = [undefined, "info", "warning", "error"] as const;

/**
 * Runs a Pulumi program as a first preview would, without engine, providers or network, and records what it
 * registers. Ids and outputs stay unknown unless the world knows them.
 *
 * @throws whatever the program throws, also from inside an `apply`.
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
    await pulumi.mocks.setMocks(mocksOf(options.world), options.project, options.stack, true, "organization");
    pulumi.config.setAllConfig(options.config);
    const store = pulumi.state.getStore();
    observe(store, options, resources, (stackOutputs) => (outputs = stackOutputs));
    store.settings.engine = engineThatKeeps(diagnostics);
    // The SDK's stack resource would reject several promises of its own for one failed program.
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

  await failingOnStrayRejections(() => pulumi.state.withLocalStorage(run));
  const { properties, secretPaths } = unwrap(outputs);
  const { project, stack } = options;
  return { project, stack, resources, outputs: properties, secretOutputs: secretPaths, diagnostics };
}

function mocksOf(world: World) {
  return {
    newResource: ({ type, name, inputs }: { type: string; name: string; inputs: Properties }) => ({
      id: undefined,
      state: { ...inputs, ...world.outputsOf({ type, name, inputs }) },
    }),
    call: ({ token, inputs }: { token: string; inputs: Properties }) => world.call(token, inputs),
  };
}

/** Mock callbacks see neither parents nor dependencies nor unknowns; the requests to the monitor hold all three. */
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
  const seen = new Set<string>();
  monitor.registerResource = (request, callback) =>
    register(request, (error, response) => {
      if (error) return callback(error, response);
      const urn = (response as { getUrn(): string }).getUrn();
      if (seen.has(urn)) return callback(new DuplicateUrnError(urn), undefined);
      seen.add(urn);
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

/** The SDK shows the `details` of a failed call, which only errors that came over gRPC have. */
function asRpcError(error: unknown): unknown {
  return error instanceof Error ? Object.assign(error, { details: error.message }) : error;
}

/** A URN as the engine makes it: it holds every parent's type, but not the stack's, which the SDK's mock adds. */
function engineUrn(options: RecordOptions, parent: string, type: string, name: string): string {
  const parentType = parent.split("::")[2];
  const qualified = parentType && parentType !== stackType ? `${parentType}$${type}` : type;
  return ["urn:pulumi:" + options.stack, options.project, qualified, name].join("::");
}

function engineThatKeeps(diagnostics: Diagnostic[]): object {
  interface LogRequest {
    getSeverity(): number;
    getMessage(): string;
    getUrn(): string;
  }
  const done = (_: unknown, callback: (error: null, response: object) => void) => callback(null, {});
  return {
    log(request: LogRequest, callback: (error: null, response: object) => void) {
      const severity = severities[request.getSeverity()];
      if (severity) diagnostics.push({ severity, message: request.getMessage(), ...optional("urn", request.getUrn()) });
      callback(null, {});
    },
    setRootResource: done,
  };
}

/**
 * An error inside an `apply` surfaces as a rejection that nobody awaits. A real run fails on it, and so does this, at
 * once: what waits for the failed value would wait for ever.
 */
async function failingOnStrayRejections<T>(body: () => Promise<T>): Promise<T> {
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
