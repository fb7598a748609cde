import { Addon, getAddonVersionOutput, type AddonArgs } from "@pulumi/aws/eks";
import * as pulumi from "@pulumi/pulumi";
import { deepMerge } from "../../core/reader/records";
import { childOptions } from "../../core/options";
import { resolveArgs } from "../../core/schema";
import { idTag } from "../../core/stack-tags";
import { named, token } from "../../core/tokens";
import { transformed } from "../../core/transform";
import { unpinnedAddons } from "./addon-plan";
import { clusterAddonsSchema, type AddonSpec, type ClusterAddonsArgs } from "./addons-schema";

/**
 * Installs EKS add-ons, all at the same time. A cluster has two of these: one that the nodes wait for and one that
 * waits for the system nodes; `addonsOfPhase` selects the add-ons of each.
 *
 * An add-on that calls AWS needs a {@link WorkloadIdentity} that exists before its pods: external-dns and the CSI
 * drivers.
 *
 * @cost Nothing by itself; amazon-cloudwatch-observability sends metrics and logs that CloudWatch charges for.
 * @throws InputError with every problem of the arguments, before any resource is created
 */
export class ClusterAddons extends pulumi.ComponentResource {
  /** By add-on name. */
  readonly addons: Readonly<Record<string, Addon>>;
  /** The installed versions, by add-on name: what to pin. */
  readonly versions: Readonly<Record<string, pulumi.Output<string>>>;

  constructor(name: string, args: ClusterAddonsArgs, opts?: pulumi.ComponentResourceOptions) {
    const { transform = {}, ...settings } = resolveArgs(`ClusterAddons "${name}"`, clusterAddonsSchema, args);
    super(token("ClusterAddons"), name, settings, opts);
    warnOfUnpinned(name, settings, this);
    const options = childOptions(this, opts);

    this.addons = mapValues(settings.addons, (spec, addonName) => {
      const addonArgs = addonArgsOf(addonName, spec, settings, this);
      return new Addon(...transformed(transform.addon, `${name}-${addonName}`, addonArgs, options));
    });
    this.versions = mapValues(this.addons, (addon) => addon.addonVersion);
    this.registerOutputs({ versions: this.versions });
  }
}

function addonArgsOf(
  addonName: string,
  { version, configuration }: AddonSpec,
  { clusterName, kubernetesVersion, tags }: ClusterAddonsArgs,
  parent: pulumi.Resource,
): AddonArgs {
  const defaultVersion = () =>
    getAddonVersionOutput({ addonName, kubernetesVersion, mostRecent: false }, { parent }).version;
  return {
    clusterName,
    addonName,
    addonVersion: version ?? defaultVersion(),
    ...configurationOf(addonName, configuration, tags),
    // An add-on that is removed from the program keeps running, unmanaged: without vpc-cni the nodes would lose their
    // network.
    preserve: true,
    // Lets such an add-on be managed again. A new cluster has nothing to overwrite.
    resolveConflictsOnCreate: "OVERWRITE",
    resolveConflictsOnUpdate: "OVERWRITE",
    tags: named(addonName, tags),
  };
}

type Configuration = (tags: NonNullable<ClusterAddonsArgs["tags"]>) => object | undefined;

/**
 * How add-ons tag what they create: volumes of PersistentVolumeClaims, and network interfaces of nodes. Those have only the id,
 * because another value restarts the network plugin on all nodes.
 *
 * @see https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/tagging.md
 * @see https://github.com/aws/amazon-vpc-cni-k8s#additional_eni_tags-v160
 */
const tagging: Readonly<Record<string, Configuration>> = {
  "aws-ebs-csi-driver": (extraVolumeTags) => ({ controller: { extraVolumeTags } }),
  "vpc-cni": ({ [idTag]: id }) =>
    id === undefined ? undefined : { env: { ADDITIONAL_ENI_TAGS: pulumi.jsonStringify({ [idTag]: id }) } },
};

/** The tags of the add-on are those of what it creates. Tags in the configuration take precedence. */
function configurationOf(
  addonName: string,
  configuration: object | undefined,
  tags: ClusterAddonsArgs["tags"] = {},
): Pick<AddonArgs, "configurationValues"> {
  const tagged = Object.keys(tags).length > 0 ? tagging[addonName]?.(tags) : undefined;
  const values = tagged ? deepMerge(tagged, configuration ?? {}) : configuration;
  return values ? { configurationValues: pulumi.jsonStringify(values) } : {};
}

function warnOfUnpinned(name: string, args: ClusterAddonsArgs, resource: pulumi.Resource): void {
  const unpinned = unpinnedAddons(args.addons);
  if (unpinned.length === 0) return;
  void pulumi.log.warn(
    `ClusterAddons "${name}": no version is pinned for ${unpinned.join(", ")}. EKS's default for Kubernetes ` +
      `${args.kubernetesVersion} is used, and a later update may use a different version. Pin the versions that this preview shows.`,
    resource,
  );
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, map: (value: A, key: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
