import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Config from "@pulumi/pulumi/runtime/config";
import type * as Mocks from "@pulumi/pulumi/runtime/mocks";
import type * as Stack from "@pulumi/pulumi/runtime/stack";

/** The modules of the Pulumi SDK that a recording uses, from the copy that the planned program loads. */
export interface PulumiRuntime {
  readonly mocks: typeof Mocks;
  readonly config: typeof Config;
  readonly stack: typeof Stack;
  readonly settings: { waitForRPCs(): Promise<void> };
  readonly state: { withLocalStorage<T>(body: () => T): T; getStore(): LocalStore };
}

/** The state of one program run. The SDK keeps it per async context, so that recordings are isolated. */
export interface LocalStore {
  settings: { monitor?: ResourceMonitor; engine?: object };
}

type Callback = (error: unknown, response: unknown) => void;

/** The resource monitor that the SDK calls; in a real run it is the gRPC client of the engine. */
export interface ResourceMonitor {
  newUrn(parent: string, type: string, name: string): string;
  registerResource(request: RegisterResourceRequest, callback: Callback): Promise<void>;
  registerResourceOutputs(request: RegisterResourceOutputsRequest, callback: Callback): void;
  invoke(request: unknown, callback: Callback): Promise<void>;
}

/** `pulumirpc.RegisterResourceOutputsRequest`: the outputs of a component or of the whole stack. */
export interface RegisterResourceOutputsRequest {
  getUrn(): string;
  getOutputs(): { toJavaScript(): Record<string, unknown> } | undefined;
}

/** The parts of `pulumirpc.RegisterResourceRequest` that a plan shows. */
export interface RegisterResourceRequest {
  getType(): string;
  getName(): string;
  getParent(): string;
  getCustom(): boolean;
  getRemote(): boolean;
  getObject(): { toJavaScript(): Record<string, unknown> } | undefined;
  getProvider(): string;
  getProvidersMap(): { toArray(): [string, string][] };
  getDependenciesList(): string[];
  getPropertydependenciesMap(): { toArray(): [string, unknown][] };
  getIgnorechangesList(): string[];
  getProtect(): boolean | undefined;
  getDeletedwith(): string;
  getDeletebeforereplace(): boolean;
  getRetainondelete(): boolean | undefined;
  getCustomtimeouts(): { toObject(): { create: string; update: string; pb_delete: string } } | undefined;
}

/**
 * Loads the SDK that is installed in a project's folder.
 *
 * @throws Error of Node.js when @pulumi/pulumi is not installed.
 */
export function loadPulumiRuntime(projectDir: string): PulumiRuntime {
  const load = createRequire(join(projectDir, "package.json"));
  dropPromiseStacks(load("@pulumi/pulumi/runtime/debuggable") as Debuggable);
  return {
    mocks: load("@pulumi/pulumi/runtime/mocks") as typeof Mocks,
    config: load("@pulumi/pulumi/runtime/config") as typeof Config,
    stack: load("@pulumi/pulumi/runtime/stack") as typeof Stack,
    settings: load("@pulumi/pulumi/runtime/settings") as PulumiRuntime["settings"],
    state: load("@pulumi/pulumi/runtime/state") as PulumiRuntime["state"],
  };
}

/** `runtime/debuggable` of the SDK. */
interface Debuggable {
  debuggablePromise: <T>(promise: Promise<T>, context: unknown) => Promise<T>;
}

/**
 * Turns off the SDK's search for promises that never settle, which takes a part of a plan's time and memory: each promise
 * gets a stack trace. A plan that does not finish has a separate message. Errors keep their stack traces.
 */
function dropPromiseStacks(debuggable: Debuggable): void {
  // The SDK adds two steps to each promise. Without them, resources would be registered in another order.
  debuggable.debuggablePromise = (promise) => promise.then().then();
}
