import {
  all,
  type ComponentResource,
  type ComponentResourceOptions,
  DependencyResource,
  type Inputs,
  type ProviderResource,
  Resource,
} from "@pulumi/pulumi";
import type { ConstructResult, Provider } from "@pulumi/pulumi/provider";
import type { PackageSchema } from "./package-schema";

/** A component's class, as components/index.ts exports it. */
type ComponentClass = new (name: string, args: Inputs, opts: ComponentResourceOptions) => ComponentResource;

/** What the provider serves: the schema of the package, its version, and its classes, which load when one is needed. */
interface ServedPackage {
  readonly schema: PackageSchema;
  readonly version: string;
  readonly classes: () => Promise<Readonly<Record<string, unknown>>>;
}

/** Creates the components of this package for programs in any language. */
export class ComponentProvider implements Provider {
  readonly version: string;

  constructor(private readonly served: ServedPackage) {
    this.version = served.version;
  }

  getSchema(): Promise<string> {
    const { schema, version } = this.served;
    return Promise.resolve(JSON.stringify({ ...schema, version }));
  }

  /**
   * Creates a component.
   *
   * @throws InputError with every problem of the arguments, before any resource is created
   */
  async construct(
    name: string,
    type: string,
    inputs: Inputs,
    opts: ComponentResourceOptions,
  ): Promise<ConstructResult> {
    const { schema, classes } = this.served;
    const resource = schema.resources[type];
    if (!resource)
      throw new Error(`${schema.name} has no component ${type}. Use a type of \`pulumi package get-schema\`.`);
    const className = type.split(":")[2] as string;
    const Component = (await classes())[className] as ComponentClass;
    const deletedWith = await deletedWithOf(opts);
    const component = new Component(name, inputs, { ...opts, ...(deletedWith && { deletedWith }) });
    return { urn: component.urn, state: outputsOf(component, Object.keys(resource.properties)) };
  }
}

/** The outputs of a component. A GpuEnvironment has them in one field. */
function outputsOf(component: ComponentResource, keys: readonly string[]): Inputs {
  const fields = { ...component, ...(component as { outputs?: Inputs }).outputs };
  return Object.fromEntries(keys.map((key) => [key, (fields as Inputs)[key]]));
}

/** `urn:pulumi:stack::project::type::name` */
const urnParts = 4;

/**
 * The option deletedWith as a resource. The SDK reads its URN as the reference to a provider, `URN::id`: the name of the
 * resource becomes the id.
 * @see https://github.com/pulumi/pulumi/blob/v3.248.0/sdk/nodejs/provider/server.ts
 */
async function deletedWithOf({ deletedWith }: ComponentResourceOptions): Promise<Resource | undefined> {
  if (!Resource.isInstance(deletedWith)) return undefined;
  const { urn, id } = deletedWith as ProviderResource;
  const [start, name] = await new Promise<string[]>((resolve) => all([urn, id]).apply(resolve));
  const isWhole = start?.split("::").length === urnParts;
  return isWhole ? deletedWith : new DependencyResource(`${start}::${name}`);
}
