import { isDeepStrictEqual } from "node:util";
import { ownValue } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { CloudError, IncompleteError, ProviderCrash } from "./errors";
import { Faults, rejectionOf, timeoutMessage, type FaultEffect, type Operation, type RequestKind } from "./faults";
import {
  propertyOf,
  referrersOf,
  requireReferences,
  requireUnique,
  type Account,
  type CloudEvent,
  type CloudObject,
  type CloudState,
  type ObjectRequest,
  type Place,
  type ProviderFunction,
  type Request,
  type ResourceModel,
} from "./model";

interface SimulatedCloudArgs {
  readonly models: readonly ResourceModel[];
  readonly functions: Readonly<Record<string, ProviderFunction>>;
  readonly account: Account;
  /** What another region has. @default the zones and the partition of the account's region */
  readonly placeOf?: (region: string) => Omit<Place, "region">;
  /** Whether objects of a type exist in all regions. @default none does */
  readonly isGlobal?: (type: string) => boolean;
}

/** What the regions of an account have in common. */
class Shared {
  readonly faults = new Faults();
  readonly history: CloudEvent[] = [];
  readonly unsimulated = new Set<string>();
  readonly store = new Map<string, { readonly region: string | undefined; readonly object: CloudObject }>();
  readonly created = new Map<string, Date>();
  readonly regions = new Map<string, SimulatedCloud>();
  serial = 0;
  seconds = 0;
  skippedMs = 0;
}

/**
 * A simulated cloud, seen from one region of its account: objects with ids, references between them, API rules, time and injected faults. It is independent
 * of Pulumi's engine.
 */
export class SimulatedCloud implements CloudState {
  readonly faults: Faults;
  readonly history: CloudEvent[];
  /** Requested types and functions that have no model. */
  readonly unsimulated: Set<string>;
  readonly account: Account;
  private readonly models: ReadonlyMap<string, ResourceModel>;

  constructor(
    private readonly args: SimulatedCloudArgs,
    private readonly shared = new Shared(),
  ) {
    this.models = new Map(args.models.map((model) => [model.type, model]));
    this.account = args.account;
    ({ faults: this.faults, history: this.history, unsimulated: this.unsimulated } = shared);
    shared.regions.set(this.account.region, this);
  }

  /** The cloud, seen from another region of the account. */
  in(region: string): SimulatedCloud {
    const { account, shared, args } = this;
    const place = { region, ...args.placeOf?.(region) };
    return shared.regions.get(region) ?? new SimulatedCloud({ ...args, account: { ...account, ...place } }, shared);
  }

  /** Seconds since the cloud was created. They pass at once: nothing takes real time. */
  get now(): number {
    return this.shared.seconds;
  }

  get date(): Date {
    return new Date(Date.now() + this.shared.skippedMs);
  }

  /** Moves the date forward. Nothing runs meanwhile. */
  skip(milliseconds: number): void {
    this.shared.skippedMs += milliseconds;
  }

  /** Lets time pass. */
  pause(seconds: number): Promise<void> {
    this.shared.seconds += seconds;
    return Promise.resolve();
  }

  get objects(): readonly CloudObject[] {
    const { region: here } = this.account;
    return [...this.shared.store.values()].flatMap(({ region = here, object }) => (region === here ? [object] : []));
  }

  modelOf(type: string): ResourceModel {
    const model = this.models.get(type);
    if (model) return model;
    this.unsimulated.add(type);
    return { type, id: (_, serial) => `${type.split(":").at(-1)}-${serial}` };
  }

  /** When an object was created. */
  createdAt({ type, id }: Pick<CloudObject, "type" | "id">): Date {
    return this.shared.created.get(this.keyOf(type, id)) ?? this.date;
  }

  get(type: string, id: string): CloudObject | undefined {
    return this.shared.store.get(this.keyOf(type, id))?.object;
  }

  find(type: string, properties: Properties = {}): CloudObject[] {
    return this.objects.filter(
      (object) =>
        object.type === type && Object.entries(properties).every(([key, value]) => propertyOf(object, key) === value),
    );
  }

  /** Calls a provider function. @throws CloudError */
  call(token: string, args: Properties): Properties {
    this.inject("invoke", token);
    const providerFunction = ownValue(this.args.functions, token);
    if (providerFunction) return providerFunction(args, this);
    this.unsimulated.add(token);
    return {};
  }

  /**
   * Creates an object and waits until it is ready.
   *
   * @throws CloudError when the API rejects the request
   * @throws IncompleteError when the object exists and does not become ready
   * @throws ProviderCrash
   */
  async create(type: string, inputs: Properties, provider: Properties = {}): Promise<CloudObject> {
    const model = this.modelOf(type);
    throwIf(model.connect?.({ cloud: this, operation: "create", provider }));
    const request: Request = { cloud: this, inputs, provider };
    const effect = this.inject("create", type);
    requireReferences(model.references ?? [], request);
    throwIf(model.validateCreate?.(request));
    requireUnique(model, request);
    const from = this.now;
    const id = model.id(request, (++this.shared.serial).toString(16).padStart(17, "0"));
    const object = this.put({ type, id, inputs, computed: model.computed?.(request, id, undefined) ?? {} });
    model.afterChange?.({ ...request, object });
    await this.wait("create", object, from);
    return this.finish("create", object, effect, () => model.createFailure?.({ ...request, object }));
  }

  /**
   * Updates an object and waits until it is ready.
   *
   * @param known the inputs that the caller has on record. Inputs that do not differ from them are not sent, so that
   *   the object keeps its own values, drifted or not.
   * @throws CloudError, IncompleteError, ProviderCrash
   */
  async update(
    type: string,
    id: string,
    wanted: Properties,
    provider: Properties = {},
    known?: Properties,
  ): Promise<CloudObject> {
    const model = this.modelOf(type);
    throwIf(model.connect?.({ cloud: this, operation: "update", provider }));
    const old = this.get(type, id);
    if (!old) throw new CloudError("NotFound", `${type} ${id} does not exist`);
    const effect = this.inject("update", type);
    const inputs = known ? withoutUnsent(wanted, known, old.inputs) : wanted;
    const request: Request = { cloud: this, inputs, provider };
    requireReferences(model.references ?? [], request);
    throwIf(model.validateUpdate?.({ ...request, object: old }));
    const from = this.now;
    const object = this.put({ type, id, inputs, computed: model.computed?.(request, id, old.computed) ?? {} });
    model.afterChange?.({ ...request, object }, old);
    await this.wait("update", object, from);
    return this.finish("update", object, effect, () => model.updateFailure?.({ ...request, object }, old));
  }

  /** Validates an update that a preview plans, and changes nothing. @throws CloudError */
  previewUpdate(type: string, id: string, inputs: Properties, provider: Properties = {}): void {
    const model = this.modelOf(type);
    const object = this.get(type, id);
    if (!object || model.connect?.({ cloud: this, operation: "update", provider })) return;
    throwIf(model.validatePreview?.({ cloud: this, inputs, provider, object }));
  }

  /** Deletes an object, if it exists. @throws CloudError, ProviderCrash */
  async delete(type: string, id: string, provider: Properties = {}): Promise<void> {
    const model = this.modelOf(type);
    throwIf(model.connect?.({ cloud: this, operation: "delete", provider }));
    const object = this.get(type, id);
    if (!object) return;
    const effect = this.inject("delete", type);
    const request: ObjectRequest = { cloud: this, inputs: object.inputs, provider, object };
    throwIf(model.validateDelete?.(request));
    for (const { policy } of referrersOf(this, object)) if (policy !== "cascade") throw policy;
    await this.wait("delete", object, this.now);
    if (effect?.effect === "time-out") throw new CloudError("Timeout", timeoutMessage("delete", type));
    this.removeObject(object);
    if (effect?.effect === "crash") throw new ProviderCrash();
  }

  /** The object as the API returns it; undefined when it does not exist. @throws CloudError */
  read(type: string, id: string, provider: Properties = {}): CloudObject | undefined {
    throwIf(this.modelOf(type).connect?.({ cloud: this, operation: "read", provider }));
    this.inject("read", type);
    return this.get(type, id);
  }

  drift(type: string, id: string, change: Properties): void {
    const object = this.get(type, id);
    if (!object) throw new Error(`${type} ${id} does not exist`);
    this.put({ ...object, inputs: { ...object.inputs, ...change } });
  }

  remove(type: string, id: string): void {
    const object = this.get(type, id);
    if (object) this.removeObject(object);
  }

  put(object: CloudObject): CloudObject {
    const { store, created } = this.shared;
    const key = this.keyOf(object.type, object.id);
    if (!store.has(key)) created.set(key, this.date);
    store.set(key, { region: this.regionOf(object.type), object });
    return object;
  }

  private regionOf(type: string): string | undefined {
    return this.args.isGlobal?.(type) === true ? undefined : this.account.region;
  }

  private keyOf(type: string, id: string): string {
    return `${this.regionOf(type) ?? ""} ${type} ${id}`;
  }

  private removeObject(object: CloudObject): void {
    const dependents = referrersOf(this, object).filter(({ policy }) => policy === "cascade");
    this.shared.store.delete(this.keyOf(object.type, object.id));
    for (const dependent of dependents) this.removeObject(dependent.object);
    this.modelOf(object.type).afterDelete?.({ cloud: this, inputs: object.inputs, provider: {}, object });
  }

  private inject(operation: RequestKind, type: string): FaultEffect | undefined {
    const effect = this.faults.inject(operation, type);
    if (effect) throwIf(rejectionOf(effect, operation, type));
    return effect;
  }

  private async wait(operation: "create" | "update" | "delete", { type, id }: CloudObject, from: number) {
    await this.pause(this.modelOf(type).seconds?.[operation] ?? 1);
    this.history.push({ operation, type, id, from, to: this.now });
  }

  /** The object after its change, unless the change failed. */
  private finish(
    operation: Operation,
    object: CloudObject,
    effect: FaultEffect | undefined,
    failure: () => string | undefined,
  ): CloudObject {
    const { type, id } = object;
    const reason = effect?.effect === "time-out" ? timeoutMessage(operation, type) : failure();
    if (reason !== undefined) throw new IncompleteError(id, reason);
    if (effect?.effect === "crash") throw new ProviderCrash();
    return this.get(type, id) ?? object;
  }
}

/** The wanted inputs, with the object's own value for each input that does not differ from the known one. */
function withoutUnsent(wanted: Properties, known: Properties, actual: Properties): Properties {
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(actual)])];
  const values = keys.map((key) => [key, isDeepStrictEqual(wanted[key], known[key]) ? actual[key] : wanted[key]]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Properties;
}

function throwIf(error: CloudError | undefined): void {
  if (error) throw error;
}
