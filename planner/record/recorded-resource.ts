import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import type { AnalyzedResource, Unseen } from "../../policies/engine/resource";
import { optionalProperty } from "../../components/core/reader/records";
import { unwrap, type Properties } from "../../components/core/wire";

export const stackType = "pulumi:pulumi:Stack";

/** A resource as the program registered it, before a provider processes it. */
export interface RecordedResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  /** False for a component. */
  readonly custom: boolean;
  /** True for a component whose provider creates its children: only those of YAML are part of a recording. */
  readonly remote: boolean;
  readonly parent?: string;
  /** A value that is known only after the update is {@link unknownSentinel}. */
  readonly inputs: Properties;
  readonly secretPaths: readonly string[];
  readonly provider?: string;
  /** Of a remote component: the provider of the AWS resources that it creates. */
  readonly awsProvider?: string;
  readonly dependencies: readonly string[];
  readonly propertyDependencies: Readonly<Record<string, readonly string[]>>;
  readonly options: RecordedOptions;
  /** The file that describes it, if it is not the program. */
  readonly file?: string;
  /** What it creates that is not part of a recording. @default nothing */
  readonly unseen?: readonly Unseen[];
}

export interface RecordedOptions {
  readonly ignoreChanges: readonly string[];
  readonly protect: boolean;
  readonly deletedWith?: string;
  readonly deleteBeforeReplace: boolean;
  readonly retainOnDelete: boolean;
  readonly customTimeouts?: { readonly create?: string; readonly update?: string; readonly delete?: string };
}

/** The resource in the form that policies judge. */
export function asAnalyzed({ inputs, ...rest }: RecordedResource): AnalyzedResource {
  return { ...rest, properties: inputs };
}

/** The resource of a registration request, whose properties are given in wire form. */
export function recorded(urn: string, request: RegisterResourceRequest, wire: Properties): RecordedResource {
  const { properties, secretPaths } = unwrap(wire);
  const timeouts = request.getCustomtimeouts()?.toObject();
  return {
    urn,
    type: request.getType(),
    name: request.getName(),
    custom: request.getCustom(),
    remote: request.getRemote(),
    ...optionalProperty("parent", request.getParent()),
    inputs: properties,
    secretPaths,
    ...optionalProperty("provider", request.getProvider()),
    ...(request.getRemote() && optionalProperty("awsProvider", request.getProvidersMap().get("aws"))),
    dependencies: request.getDependenciesList(),
    propertyDependencies: Object.fromEntries(
      request
        .getPropertydependenciesMap()
        .toArray()
        .map(([key, urns]) => [key, dependencyUrns(urns)]),
    ),
    options: {
      ignoreChanges: request.getIgnorechangesList(),
      protect: request.getProtect() ?? false,
      ...optionalProperty("deletedWith", request.getDeletedwith()),
      deleteBeforeReplace: request.getDeletebeforereplace(),
      retainOnDelete: request.getRetainondelete() ?? false,
      ...(timeouts && {
        customTimeouts: {
          ...optionalProperty("create", timeouts.create),
          ...optionalProperty("update", timeouts.update),
          ...optionalProperty("delete", timeouts.pb_delete),
        },
      }),
    },
  };
}

/** In the SDK's array form, a message is the list of its fields. The only field is the list of URNs. */
function dependencyUrns(message: unknown): string[] {
  return Array.isArray(message) ? ((message[0] as string[] | undefined) ?? []) : [];
}
