import { parsedOrString } from "../../components/core/json-text";
import { Reader } from "../../components/core/reader/reader";
import { isRecord, plainValue } from "../../components/core/reader/records";
import { hasUnknown } from "../../components/core/wire";

/** Resources that exist only after the update, or outside of the plan, and that no rule can see. */
export interface Unseen {
  /** Why they are not seen, as a clause. */
  readonly why: string;
  /** How to judge them. */
  readonly fix: string;
  /** How their types start. @default any, unless a rule reads the type of what creates them */
  readonly types?: readonly string[];
}

/**
 * A resource as plain data: its inputs without wire wrappers. A value that is known only after the update is one of
 * the engine's sentinel strings.
 */
export interface AnalyzedResource {
  readonly urn: string;
  /** The type token, e.g. `aws:eks/nodeGroup:NodeGroup`. */
  readonly type: string;
  /** The logical name. */
  readonly name: string;
  readonly properties: Record<string, unknown>;
  /** True for a component whose provider creates its children, with the inputs of the program. @default not known */
  readonly remote?: boolean;
  readonly options?: { readonly ignoreChanges?: readonly string[] };
  /** URN of the parent. */
  readonly parent?: string;
  /** URN of the provider, or a reference to it: the URN, `::` and its id. */
  readonly provider?: string;
  /** URNs. */
  readonly dependencies?: readonly string[];
  /** URNs by property. */
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
  /** True under the engine: the provider has checked the inputs, and may have changed them. @default those of the program */
  readonly isChecked?: boolean;
  /** The file that describes it, if it is not the program. */
  readonly file?: string;
  /** What it creates that rules cannot see. @default nothing */
  readonly unseen?: readonly Unseen[];
}

/** The types in a URN: those of the ancestors, and its own. */
export function typesIn(urn: string): readonly string[] {
  return urn.split("::")[2]?.split("$") ?? [];
}

/** A type, and the one with which @pulumi/kubernetes patches an object of it that something else created. */
export function withPatch(type: string): string[] {
  return [type, `${type}Patch`];
}

type Matcher = (type: string) => boolean;

const matches = new WeakMap<readonly string[], Matcher>();
/** By the types of a list. The lists of the rules are few. */
const matchersByList = new Map<string, Matcher>();

/** Whether a type is in a list, or begins as an entry that ends with `*`. */
export function isOneOf(types: readonly string[], type: string): boolean {
  const matcher = matches.get(types) ?? matcherOf(types);
  matches.set(types, matcher);
  return matcher(type);
}

function matcherOf(types: readonly string[]): Matcher {
  const exact = new Set(types);
  const starts = types.flatMap((one) => (one.endsWith("*") ? one.slice(0, -1) : []));
  return (type) => exact.has(type) || starts.some((start) => type.startsWith(start));
}

/** What completes another object, or is completed: a patch, a TrainJob and its runtime, a model, and tasks and runs of Tekton. */
const completing =
  /^kubernetes:(.+Patch|trainer\.kubeflow\.org\/\w+:TrainJob|(tekton\.dev|kubeai\.org|production-stack\.vllm\.ai)\/.+)$/;

/** Whether a value that it omits can be set elsewhere. Name and namespace identify the object. */
function isSetElsewhere(path: string): boolean {
  return path !== "metadata.name" && path !== "metadata.namespace";
}

/** A resource as a rule gets it: a {@link Reader} of its inputs that also knows its place in the stack. */
export class Resource extends Reader {
  readonly urn: string;
  readonly type: string;
  readonly name: string;

  /**
   * @param inputs what to read, if it is a part of the inputs @default all inputs
   * @param path of that part
   */
  constructor(
    private readonly analyzed: AnalyzedResource,
    inputs: unknown = analyzed.properties,
    path = "",
  ) {
    super(inputs, path, undefined, completing.test(analyzed.type) ? isSetElsewhere : undefined);
    this.urn = analyzed.urn;
    this.type = analyzed.type;
    this.name = analyzed.name;
  }

  /**
   * Whether there are no inputs at all. This is so for components whose provider registers them without inputs, and
   * for every component when the program runs with PULUMI_NODEJS_SKIP_COMPONENT_INPUTS.
   */
  get isEmpty(): boolean {
    return Object.keys(this.analyzed.properties).length === 0 && this.analyzed.remote !== true;
  }

  /** Whether the provider may have replaced inputs. Providers leave inputs with unknown values as they are. */
  get isChecked(): boolean {
    return this.analyzed.isChecked === true && !hasUnknown(this.analyzed.properties);
  }

  /** The same resource with a part of its inputs, such as the node group that a cluster contains. */
  view(inputs: unknown, path: string): Resource {
    return new Resource(this.analyzed, inputs, path);
  }

  /** The same with the block below some keys. */
  within(...keys: readonly string[]): Resource {
    const inner = (value: unknown, key: string) => (isRecord(value) ? plainValue(value, key) : value);
    return this.view(keys.reduce(inner, this.analyzed.properties), keys.join("."));
  }

  /** An object inside, as a resource of its own type. */
  inner(type: string, properties: Record<string, unknown>, path: string): Resource {
    return new Resource({ ...this.analyzed, type, properties }, properties, path);
  }

  /** The inputs at a key, for {@link view}. */
  inputs(key: string): unknown {
    return plainValue(this.analyzed.properties, key);
  }

  /** Whether a component of this type is among its ancestors. */
  isInside(type: string): boolean {
    return typesIn(this.urn).slice(0, -1).includes(type);
  }

  /**
   * Whether `ignoreChanges` covers a property. For an existing resource the engine then passes the value of the last
   * update instead of the program's value. A new resource gets the program's value.
   */
  ignores(path: string): boolean {
    const keys = path.split(".");
    return (this.analyzed.options?.ignoreChanges ?? []).some((ignored) => {
      const parts = ignored.split(/[.[\]"]+/).filter((part) => part !== "");
      return (
        parts.length > 0 &&
        parts.length <= keys.length &&
        parts.every((part, index) => part === "*" || part === keys[index])
      );
    });
  }

  /** The file that describes it; undefined for the program. */
  get file(): string | undefined {
    return this.analyzed.file;
  }

  /** URN of the parent; undefined at the root. */
  get parent(): string | undefined {
    return this.analyzed.parent;
  }

  /** URN of the provider; undefined for a component. */
  get provider(): string | undefined {
    return this.analyzed.provider?.split("::").slice(0, 4).join("::");
  }

  /** URNs of the resources whose outputs are used in a property. */
  dependenciesOf(property: string): readonly string[] {
    return this.analyzed.propertyDependencies?.[property] ?? [];
  }
}

/** The resources of a stack, for a rule that judges them together. */
export class Stack {
  private byUrn: ReadonlyMap<string, Resource> | undefined;
  private readonly byTypes = new Map<string, readonly Resource[]>();
  private readonly byUse = new Map<string, ReadonlyMap<Resource | undefined, readonly Resource[]>>();

  constructor(readonly resources: readonly Resource[]) {}

  ofType(...types: readonly string[]): readonly Resource[] {
    const key = types.join();
    const known = this.byTypes.get(key);
    if (known) return known;
    const matcher = matchersByList.get(key) ?? matcherOf(types);
    matchersByList.set(key, matcher);
    const found = this.resources.filter(({ type }) => matcher(type));
    this.byTypes.set(key, found);
    return found;
  }

  /** The resources of a type whose outputs are used in a property, such as the launch template of a node group. */
  behind(resource: Resource, property: string, type: string): Resource[] {
    const byUrn = (this.byUrn ??= new Map(this.resources.flatMap((one) => (one.path === "" ? [[one.urn, one]] : []))));
    const found = resource.dependenciesOf(property).map((urn) => byUrn.get(urn));
    return found.filter((candidate) => candidate?.type === type) as Resource[];
  }

  /** The resources of a type with an output of `used` in a property, and those with an output of no resource like `used`. */
  users(used: Resource, type: string, property: string): readonly Resource[] {
    const key = [used.type, type, property].join();
    const index = this.byUse.get(key) ?? this.usersByUsed(used.type, type, property);
    this.byUse.set(key, index);
    return [...(index.get(used) ?? []), ...(index.get(undefined) ?? [])];
  }

  private usersByUsed(usedType: string, type: string, property: string): Map<Resource | undefined, Resource[]> {
    const index = new Map<Resource | undefined, Resource[]>();
    for (const one of this.ofType(type)) {
      const found = new Set<Resource | undefined>(this.behind(one, property, usedType));
      for (const used of found.size === 0 ? [undefined] : found) {
        const users = index.get(used);
        if (users) users.push(one);
        else index.set(used, [one]);
      }
    }
    return index;
  }
}

/** The project, the stack and its configuration: what a rule gets in addition to resources. */
export interface Surroundings {
  readonly project: string;
  readonly stack: string;
  /** The stack's configuration by full key, e.g. `eks-gpu-lab:gpuOperator`; structured values are objects. */
  readonly config: Reader;
  readonly now: Date;
}

/** The input of {@link surroundings}. Everything is empty by default. */
export interface SurroundingFacts {
  readonly project?: string;
  readonly stack?: string;
  /** Values by full key, as the CLI stores them: strings, or JSON for structured values. */
  readonly config?: Readonly<Record<string, string>>;
  /** @default the time of the call */
  readonly now?: Date;
}

export function surroundings({
  project = "",
  stack = "",
  config = {},
  now = new Date(),
}: SurroundingFacts): Surroundings {
  const values = Object.entries(config).map(([key, value]) => [key, parsedOrString(value)]);
  return { project, stack, config: new Reader(Object.fromEntries(values)), now };
}
