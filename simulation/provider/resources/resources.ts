import { hasUnknown, type Properties } from "../../../components/core/wire";
import { CloudError, IncompleteError } from "../../cloud/errors";
import type { RequestKind } from "../../cloud/faults";
import type { SimulatedCloud } from "../../cloud/simulated-cloud";
import type { Plugin } from "../plugins";
import { checkInputs, difference, type CheckResult, type Difference, type DiffRequest } from "./inputs";
import { outputsOf, plannedCreate, plannedUpdate, withSecrets } from "./outputs";

/** The resource that a request is about. */
export interface ResourceIdentity {
  readonly urn: string;
  readonly type: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** The configuration of its provider. */
  readonly config: Properties;
}

interface UpdateRequest {
  readonly id: string;
  readonly inputs: Properties;
  readonly oldInputs: Properties;
  readonly oldOutputs: Properties;
  readonly ignoreChanges: readonly string[];
  readonly preview: boolean;
}

export interface CreatedObject {
  readonly id: string;
  readonly properties: Properties;
}

/** The current state of an object. */
interface ObjectState extends CreatedObject {
  readonly inputs: Properties;
}

/** The provider's error for a request that changed nothing. */
class RequestError extends Error {}

/** The provider's error for an object that was created or updated and is not ready. */
export class InitializationError extends Error {
  constructor(
    readonly object: ObjectState,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** The resources and functions of a provider. All values are plain; unknown ones are the sentinel of the wire format. */
export class Resources {
  constructor(
    private readonly cloud: SimulatedCloud,
    private readonly plugin: Plugin,
  ) {}

  /** @throws RequestError */
  invoke(token: string, args: Properties, config: Properties = {}): Promise<Properties> {
    return this.withProviderErrors("invoke", { urn: token, type: token, config }, () => this.cloud.call(token, args));
  }

  check({ type, name }: ResourceIdentity, news: Properties, olds: Properties, seed: Uint8Array): CheckResult {
    const { suffixLength } = this.plugin;
    return checkInputs(this.cloud.modelOf(type), news, olds, { name, seed, suffixLength });
  }

  diff({ type, name, config }: ResourceIdentity, compared: Omit<DiffRequest, "config">): Difference {
    const { suffixLength } = this.plugin;
    return difference(this.cloud.modelOf(type), { ...compared, config }, { name, suffixLength });
  }

  /** @throws RequestError, InitializationError, ProviderCrash */
  async create(subject: ResourceIdentity, inputs: Properties, preview: boolean): Promise<CreatedObject> {
    const { type, config } = subject;
    const { cloud } = this;
    if (preview) return { id: "", properties: plannedCreate(cloud.modelOf(type), { cloud, inputs, provider: config }) };
    return this.withProviderErrors("create", subject, async () => {
      const { id } = await cloud.create(type, inputs, config);
      return this.stateOf(type, id);
    });
  }

  /** @throws RequestError, InitializationError, ProviderCrash */
  async update(subject: ResourceIdentity, wanted: UpdateRequest): Promise<Properties> {
    const { type, config } = subject;
    const { id, inputs, oldInputs, ignoreChanges, preview } = wanted;
    return this.withProviderErrors("update", subject, async () => {
      if (preview) {
        if (!hasUnknown(inputs)) this.cloud.previewUpdate(type, id, inputs, config);
        const { changed } = this.diff(subject, { olds: oldInputs, news: inputs, ignoreChanges });
        const request = { ...wanted, cloud: this.cloud, provider: config };
        return plannedUpdate(this.cloud.modelOf(type), request, changed);
      }
      await this.cloud.update(type, id, inputs, config, oldInputs);
      return this.stateOf(type, id).properties;
    });
  }

  /**
   * The state of an object; undefined when it does not exist.
   *
   * @param isImport whether the state has no outputs: the provider then imports the object
   * @throws RequestError
   */
  read(subject: ResourceIdentity, given: string, isImport: boolean): Promise<ObjectState | undefined> {
    const { type, config } = subject;
    const id = isImport ? this.imported(type, given) : given;
    return this.withProviderErrors("read", subject, () => this.cloud.read(type, id, config) && this.stateOf(type, id));
  }

  private imported(type: string, given: string): string {
    const { importId } = this.cloud.modelOf(type);
    if (!importId) return given;
    return this.cloud.find(type).find((object) => importId(object) === given)?.id ?? "";
  }

  /** @throws RequestError, ProviderCrash */
  delete(subject: ResourceIdentity, id: string): Promise<void> {
    const { type, config } = subject;
    return this.withProviderErrors("delete", subject, () => this.cloud.delete(type, id, config));
  }

  private stateOf(type: string, id: string): ObjectState {
    const object = this.cloud.get(type, id);
    if (!object) throw new CloudError("NotFound", `${type} ${id} no longer exists`);
    const model = this.cloud.modelOf(type);
    const read = { ...model.derivedOutputs?.(object, this.cloud), ...outputsOf(object) };
    return { id, inputs: object.inputs, properties: withSecrets(model, read) };
  }

  /** Runs a request, and turns errors of the cloud into those of the provider. */
  private async withProviderErrors<T>(
    operation: RequestKind,
    { urn, type, config }: Omit<ResourceIdentity, "name">,
    act: () => T | Promise<T>,
  ): Promise<T> {
    const retries = Number(config["maxRetries"] ?? this.plugin.maxRetries ?? 0);
    try {
      return await withRetries(this.cloud, retries, act);
    } catch (error) {
      if (error instanceof CloudError) throw new RequestError(this.plugin.errorMessage(operation, urn, error));
      if (error instanceof IncompleteError) throw new InitializationError(this.stateOf(type, error.id), error.reason);
      throw error;
    }
  }
}

/**
 * The codes of throttled requests.
 * @see https://github.com/aws/aws-sdk-go-v2/blob/main/aws/retry/standard.go DefaultThrottleErrorCodes
 */
const throttled: ReadonlySet<string> = new Set([
  ...["Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException", "RequestThrottled"],
  ...["TooManyRequestsException", "ProvisionedThroughputExceededException", "TransactionInProgressException"],
  ...["RequestLimitExceeded", "BandwidthLimitExceeded", "LimitExceededException", "SlowDown"],
  ...["PriorRequestNotComplete", "EC2ThrottledException"],
]);

/** The longest time between two attempts, in seconds. @see https://pkg.go.dev/github.com/aws/aws-sdk-go-v2/aws/retry */
const longestPause = 20;

/** Repeats a request while the API throttles it, after longer and longer pauses, as the SDK of AWS does. */
async function withRetries<T>(cloud: SimulatedCloud, most: number, act: () => T | Promise<T>): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CloudError) || !throttled.has(error.code) || retries >= most) throw error;
      await cloud.pause(Math.min(2 ** retries, longestPause));
    }
  }
}
