import { isFirstChange } from "./first-change";

/** `runtime/rpc` of the SDK. */
export interface Rpc {
  /** Gives the resource an Output for each key, and returns the functions that resolve them. */
  transferProperties: Transfer;
}

type Transfer = (resource: object, label: string, properties: Readonly<Record<string, unknown>>) => Resolvers;
type Resolvers = Record<string, (...result: readonly unknown[]) => void>;

/**
 * Makes the output of a property when the program first reads it. A program reads few properties of its resources, and the
 * SDK makes some twenty promises for each.
 */
export function makeOutputsOnFirstUse(rpc: Rpc): void {
  if (isFirstChange(rpc, "late-outputs")) rpc.transferProperties = lateOutputs(rpc.transferProperties);
}

/** Makes the output of a key of a resource, and returns it. */
const makers = new WeakMap<object, (key: string) => unknown>();

/** By key. All resources share them. */
const accessors = new Map<string, PropertyDescriptor>();

function accessorOf(key: string): PropertyDescriptor {
  const known = accessors.get(key);
  if (known) return known;
  const accessor: PropertyDescriptor & ThisType<object> = {
    configurable: true,
    enumerable: true,
    get() {
      return makers.get(this)?.(key);
    },
    set(value: unknown) {
      Object.defineProperty(this, key, { configurable: true, enumerable: true, writable: true, value });
    },
  };
  accessors.set(key, accessor);
  return accessor;
}

function lateOutputs(transfer: Transfer): Transfer {
  return (resource, label, properties) => {
    const results = new Map<string, readonly unknown[]>();
    const made: Resolvers = {};
    const make = (key: string): void => {
      Object.assign(made, transfer(resource, label, { [key]: properties[key] }));
    };
    makers.set(resource, (key) => {
      Reflect.deleteProperty(resource, key);
      make(key);
      const result = results.get(key);
      if (result) made[key]?.(...result);
      return Reflect.get(resource, key) as unknown;
    });

    const resolvers: Resolvers = {};
    for (const key of Object.keys(properties)) {
      // The SDK has its own way for `id` and `urn`, and rejects a property that exists.
      if (key === "id" || key === "urn" || Object.hasOwn(resource, key)) make(key);
      else {
        Object.defineProperty(resource, key, accessorOf(key));
        resolvers[key] = (...result) => void (made[key] ? made[key](...result) : results.set(key, result));
      }
    }
    return resolvers;
  };
}
