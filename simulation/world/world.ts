import { isDeepStrictEqual } from "node:util";
import type { Properties } from "../../components/core/wire";
import type { Clock } from "./clock";
import { instantClock } from "./clock";
import { CloudError, IncompleteError } from "./cloud-error";
import { Faults, refusal, type FaultEffect, type Operation } from "./faults";
import type { Asked, Hold, Kind, Reference, WorldObject } from "./kind";
import { valuesAt } from "./paths";

/** Answers a provider function such as `aws:index/getPartition:getPartition`. */
export type ProviderFunction = (args: Properties, world: World) => Properties;

/** What a world is made of. */
export interface WorldParts {
  readonly kinds: readonly Kind[];
  readonly functions: Readonly<Record<string, ProviderFunction>>;
  /** @default a clock that never makes anyone wait */
  readonly clock?: Clock;
  /** Facts about the account and its region. */
  readonly account: Account;
}

/** Whose world it is. */
export interface Account {
  readonly accountId: string;
  readonly region: string;
  readonly partition: string;
  /** Zone names, e.g. `ap-northeast-2a`. */
  readonly zones: readonly string[];
  /** ARN of whoever calls. */
  readonly caller: string;
  /** vCPUs of running on-demand G and VT instances that the account may have. */
  gpuVcpuQuota: number;
}

/** One thing that happened. */
export interface Happening {
  readonly operation: Operation;
  readonly type: string;
  readonly id: string;
  /** Seconds since the world began. */
  readonly from: number;
  readonly to: number;
}

/** The provider died in the middle of a request. */
export class ProviderCrash extends Error {}

/**
 * A simulated cloud: objects with ids, references between them, the rules of its APIs, time and faults on demand.
 * It knows nothing of Pulumi's engine.
 */
export class World {
  readonly faults = new Faults();
  readonly history: Happening[] = [];
  /** Types and functions that were asked for and that no one has modelled, each once. */
  readonly unmodelled = new Set<string>();
  readonly account: Account;
  private readonly kinds: ReadonlyMap<string, Kind>;
  private readonly functions: Readonly<Record<string, ProviderFunction>>;
  private readonly clock: Clock;
  private readonly store = new Map<string, WorldObject>();
  private serial = 0;

  constructor({ kinds, functions, clock = instantClock(), account }: WorldParts) {
    this.kinds = new Map(kinds.map((kind) => [kind.type, kind]));
    this.functions = functions;
    this.clock = clock;
    this.account = account;
  }

  /** Seconds since the world began. */
  get now(): number {
    return this.clock.now();
  }

  /** Everything there is, oldest first. */
  get objects(): readonly WorldObject[] {
    return [...this.store.values()];
  }

  kindOf(type: string): Kind {
    const kind = this.kinds.get(type);
    if (kind) return kind;
    this.unmodelled.add(type);
    return { type, id: (_, serial) => `${type.split(":").at(-1)}-${serial}` };
  }

  get(type: string, id: string): WorldObject | undefined {
    return this.store.get(keyOf(type, id));
  }

  /** The objects of a type, or those of them that have these properties. */
  find(type: string, having: Properties = {}): WorldObject[] {
    return this.objects.filter(
      (object) =>
        object.type === type && Object.entries(having).every(([key, value]) => propertyOf(object, key) === value),
    );
  }

  call(token: string, args: Properties): Properties {
    const answer = Object.hasOwn(this.functions, token) ? this.functions[token] : undefined;
    if (answer) return answer(args, this);
    this.unmodelled.add(token);
    return {};
  }

  /**
   * Makes an object and comes back when it is ready.
   *
   * @throws CloudError when the API refuses; IncompleteError when it is there and does not become ready; ProviderCrash
   */
  async create(type: string, inputs: Properties, provider: Properties = {}): Promise<WorldObject> {
    const kind = this.kindOf(type);
    throwIf(kind.reach?.({ world: this, operation: "create", provider }));
    const asked: Asked = { world: this, inputs, provider };
    const effect = this.strike("create", type);
    this.refuseMissing(kind, inputs);
    throwIf(kind.create?.(asked));
    this.refuseDuplicate(kind, asked);
    const from = this.now;
    const id = kind.id(asked, (++this.serial).toString(16).padStart(17, "0"));
    const object = this.put({ type, id, inputs, computed: kind.computed?.(asked, id, undefined) ?? {} });
    kind.after?.({ ...asked, object });
    await this.pass("create", object, from, kind.seconds?.create);
    const reason = effect?.effect === "time-out" ? timedOut("create", type) : kind.settle?.({ ...asked, object });
    if (reason !== undefined) throw new IncompleteError(id, reason);
    if (effect?.effect === "crash") throw new ProviderCrash();
    return this.get(type, id) ?? object;
  }

  /**
   * Changes an object and comes back when it is ready.
   *
   * @param known what the caller took the object's inputs for: those it does not change from there are not sent, and
   *   stay as they are, drifted or not
   * @throws CloudError, IncompleteError, ProviderCrash
   */
  async update(
    type: string,
    id: string,
    wanted: Properties,
    provider: Properties = {},
    known?: Properties,
  ): Promise<WorldObject> {
    const kind = this.kindOf(type);
    throwIf(kind.reach?.({ world: this, operation: "update", provider }));
    const old = this.get(type, id);
    if (!old) throw new CloudError("NotFound", `${type} ${id} does not exist`);
    const effect = this.strike("update", type);
    const inputs = known ? withoutUnsent(wanted, known, old.inputs) : wanted;
    const asked: Asked = { world: this, inputs, provider };
    this.refuseMissing(kind, inputs);
    throwIf(kind.update?.({ ...asked, object: old }));
    const from = this.now;
    const object = this.put({ type, id, inputs, computed: kind.computed?.(asked, id, old.computed) ?? {} });
    kind.after?.({ ...asked, object }, old);
    await this.pass("update", object, from, kind.seconds?.update);
    const timeOut = effect?.effect === "time-out";
    const reason = timeOut ? timedOut("update", type) : kind.settleUpdate?.({ ...asked, object }, old);
    if (reason !== undefined) throw new IncompleteError(id, reason);
    if (effect?.effect === "crash") throw new ProviderCrash();
    return this.get(type, id) ?? object;
  }

  /** Takes an object away; one that is not there is gone already. @throws CloudError, ProviderCrash */
  async delete(type: string, id: string, provider: Properties = {}): Promise<void> {
    const kind = this.kindOf(type);
    throwIf(kind.reach?.({ world: this, operation: "delete", provider }));
    const object = this.get(type, id);
    if (!object) return;
    const effect = this.strike("delete", type);
    const asked = { world: this, inputs: object.inputs, provider, object };
    throwIf(kind.remove?.(asked));
    throwIf(this.holdersOf(object).find(({ error }) => error !== "goes-along")?.error as CloudError | undefined);
    const from = this.now;
    await this.pass("delete", object, from, kind.seconds?.delete);
    if (effect?.effect === "time-out") throw new CloudError("Timeout", timedOut("delete", type));
    this.remove(object);
    if (effect?.effect === "crash") throw new ProviderCrash();
  }

  /** What a provider reads of an object; undefined when it is gone. @throws CloudError */
  read(type: string, id: string, provider: Properties = {}): WorldObject | undefined {
    throwIf(this.kindOf(type).reach?.({ world: this, operation: "read", provider }));
    this.strike("read", type);
    return this.get(type, id);
  }

  /** Changes an object behind Pulumi's back. */
  drift(type: string, id: string, change: Properties): void {
    const object = this.get(type, id);
    if (!object) throw new Error(`there is no ${type} ${id}`);
    this.put({ ...object, inputs: { ...object.inputs, ...change } });
  }

  /** Takes an object away behind Pulumi's back, with all that goes along, whatever holds it. */
  lose(type: string, id: string): void {
    const object = this.get(type, id);
    if (object) this.remove(object);
  }

  /** Adds or changes an object that the cloud makes by itself beside another. */
  put(object: WorldObject): WorldObject {
    this.store.set(keyOf(object.type, object.id), object);
    return object;
  }

  private remove(object: WorldObject): void {
    const kind = this.kindOf(object.type);
    const along = this.holdersOf(object).filter(({ error }) => error === "goes-along");
    this.store.delete(keyOf(object.type, object.id));
    for (const { holder } of along) this.remove(holder);
    kind.afterRemove?.({ world: this, inputs: object.inputs, provider: {}, object });
  }

  private strike(operation: Operation, type: string): FaultEffect | undefined {
    const effect = this.faults.strike(operation, type);
    if (effect) throwIf(refusal(effect, operation, type));
    return effect;
  }

  private refuseMissing(kind: Kind, inputs: Properties): void {
    for (const reference of kind.references ?? []) {
      for (const given of valuesAt(inputs, reference.path)) {
        if (!this.find(reference.to).some((other) => matches(reference, given, other))) {
          throw reference.missing(String(given));
        }
      }
    }
  }

  /** Objects that refer to this one in a way that keeps it or that makes them go along. */
  private holdersOf(object: WorldObject): { holder: WorldObject; error: Hold }[] {
    return this.objects.flatMap((holder) =>
      (this.kindOf(holder.type).references ?? []).flatMap((reference) => {
        if (reference.to !== object.type || reference.held === undefined) return [];
        if (!valuesAt(holder.inputs, reference.path).some((given) => matches(reference, given, object))) return [];
        const error = typeof reference.held === "function" ? reference.held(object, holder) : reference.held;
        return error === undefined ? [] : [{ holder, error }];
      }),
    );
  }

  private refuseDuplicate(kind: Kind, asked: Asked): void {
    const wanted = kind.unique?.(asked.inputs, asked);
    if (!wanted) return;
    const taken = this.find(kind.type).some(
      ({ inputs }) => kind.unique?.(inputs, { ...asked, inputs })?.key === wanted.key,
    );
    if (taken) throw wanted.error;
  }

  private async pass(operation: Operation, object: WorldObject, from: number, seconds = 1): Promise<void> {
    await this.clock.wait(seconds);
    this.history.push({ operation, type: object.type, id: object.id, from, to: this.now });
  }
}

/** A property of an object, whether it was asked for or added. */
export function propertyOf(object: WorldObject, key: string): unknown {
  if (key === "id") return object.id;
  return Object.hasOwn(object.computed, key) ? object.computed[key] : object.inputs[key];
}

function keyOf(type: string, id: string): string {
  return `${type} ${id}`;
}

function matches({ by = "id" }: Reference, given: unknown, other: WorldObject): boolean {
  return propertyOf(other, by) === given;
}

function timedOut(operation: Operation, type: string): string {
  return `timeout while waiting for ${operation} of ${type} to finish (timeout: 40m0s)`;
}

/** What is wanted, with the values of the object itself where the caller wants no other than it knew. */
function withoutUnsent(wanted: Properties, known: Properties, actual: Properties): Properties {
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(actual)])];
  const values = keys.map((key) => [key, isDeepStrictEqual(wanted[key], known[key]) ? actual[key] : wanted[key]]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Properties;
}

function throwIf(error: CloudError | undefined): void {
  if (error) throw error;
}
