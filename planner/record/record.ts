import type { Inputs } from "@pulumi/pulumi";
import { optionalProperty } from "../../components/core/reader/records";
import { unwrap, type Properties } from "../../components/core/wire";
import { failOnStray } from "./stray";
import { withOwnStore } from "./own-store";
import type { PulumiRuntime } from "../program/pulumi-runtime";
import { offlineMonitor, type Cloud } from "./offline-monitor";
import type { RecordedResource } from "./recorded-resource";

export type { Cloud } from "./offline-monitor";
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

export interface RecordOptions {
  readonly project: string;
  readonly stack: string;
  /** Full keys (`eks-gpu-lab:nccl`) to values as the CLI stores them: strings, or JSON for structured values. */
  readonly config: Readonly<Record<string, string>>;
  readonly cloud: Cloud;
}

/** By the number that the SDK sends. Debug messages (0) are dropped. */
const severities = [undefined, "info", "warning", "error"] as const;

/**
 * Runs a Pulumi program like a first preview, without engine, providers or network, and records the resources that it
 * registers. Ids and outputs are unknown unless the cloud knows them.
 *
 * @throws any error of the program, including one inside an `apply`.
 * @throws Error when two resources have the same URN.
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
    await pulumi.mocks.setMocks(noMocks, options.project, options.stack, true, "organization");
    pulumi.config.setAllConfig(options.config);
    const store = pulumi.state.getStore();
    const monitor = offlineMonitor(pulumi, {
      ...options,
      onResource: (resource) => void resources.push(resource),
      onStackOutputs: (stackOutputs) => (outputs = stackOutputs),
    });
    if (!store.settings.monitor) throw new Error("the Pulumi SDK did not install its mock monitor");
    Object.assign(store.settings.monitor, monitor);
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

  await withOwnStore(pulumi, (own) => failOnStray(pulumi, own, run));
  const { properties, secretPaths } = unwrap(outputs);
  const { project, stack } = options;
  return { project, stack, resources, outputs: properties, secretOutputs: secretPaths, diagnostics };
}

/** The SDK's mock monitor, whose methods are replaced, requires them. */
const noMocks = {
  newResource: ({ inputs }: { inputs: Properties }) => ({ id: undefined, state: inputs }),
  call: () => ({}),
};

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
