import { readNamesakes, type ReadNamesake } from "./namesakes";
import type { OwnObject } from "./own-objects";
import type { CapacityRequest, FixedKind, PreflightFacts, PublishedImage, VcpuUse } from "./preflight-facts";
import { groupFacts, type FoundGroup, type RunningPart } from "./running-group";

/** Reads one fact. It is left out if it cannot be read, or has no value. `what` names it to users. */
export type ReadFact = <Name extends keyof PreflightFacts>(
  name: Name,
  read: () => Promise<PreflightFacts[Name] | undefined>,
  what: string,
) => Promise<Pick<PreflightFacts, Name>>;

/** Asks AWS. A preview has functions of Pulumi's provider; a command has the AWS SDK. */
export interface FactSource {
  /** The zones that EKS supports, without local and wavelength zones, which require an opt-in. */
  readonly zones: () => Promise<readonly string[]>;
  /** The zone of each offer of one of these instance types. */
  readonly offers: (types: string[]) => Promise<readonly { readonly type: string; readonly zone: string }[]>;
  readonly quota: (quotaCode: string) => Promise<number | undefined>;
  readonly image: (name: string) => Promise<PublishedImage>;
  readonly clusterNames: () => Promise<readonly string[] | undefined>;
  /** What the state of the stack has; undefined if it is not known. */
  readonly own: () => Promise<readonly OwnObject[] | undefined>;
  readonly namesakes: (clusterNames: readonly string[]) => Readonly<Record<FixedKind, ReadNamesake>>;
  /** The node groups of the cluster; undefined if they cannot be read. `isOwn`: the cluster is that of the stack. */
  readonly groups: (clusterNames: readonly string[], isOwn: boolean) => Promise<readonly FoundGroup[] | undefined>;
  /** The add-ons of the cluster, where their state can be read. */
  readonly addons?: () => Promise<readonly RunningPart[] | undefined>;
  /** What counts against the quota. Asked once the node groups are read. */
  readonly vcpuUse: () => Promise<VcpuUse | undefined>;
  readonly freeAddresses: (subnetId: string) => Promise<number | undefined>;
}

/** Reads what both a preview and a command know. Each part that cannot be read is left out. */
export async function readFacts(request: CapacityRequest, source: FactSource, read: ReadFact): Promise<PreflightFacts> {
  const { instanceType, systemInstanceType, quotaCode } = request;
  const types = [instanceType, systemInstanceType];
  const parts = await Promise.all([
    clusterFacts(request, source, read),
    read("zones", source.zones, "the availability zones"),
    read("offerings", () => readOfferings(source, types), "the instance type offerings"),
    read("quotaVcpus", async () => (quotaCode === undefined ? undefined : source.quota(quotaCode)), "the vCPU quota"),
    read("images", () => readImages(request, source), "the AMI releases"),
  ]);
  return Object.assign({}, ...parts) as PreflightFacts;
}

/** What the stack has, the names that others have, and the node groups of an existing cluster. */
async function clusterFacts(request: CapacityRequest, source: FactSource, read: ReadFact): Promise<PreflightFacts> {
  const [found, state] = await Promise.all([
    read("clusterNames", source.clusterNames, "the clusters"),
    read("own", source.own, "the state of the stack"),
  ]);
  const { clusterNames } = found;
  // Without the state, a cluster that exists counts as the stack's.
  const isKnown = clusterNames && (state.own !== undefined || !clusterNames.includes(request.clusterName));
  const names = () => readNamesakes(request, state.own, source.namesakes(clusterNames ?? []));
  const known = { ...found, ...state, ...(isKnown && (await read("namesakes", names, "the names that are taken"))) };
  return { ...known, ...(await readCapacity(request, known, source, read)) };
}

/** The node groups, what counts against the quota, and the free addresses of the GPU nodes' subnet. */
async function readCapacity(
  { clusterName, scaledGroups, gpuSubnetId }: CapacityRequest,
  known: PreflightFacts,
  source: FactSource,
  read: ReadFact,
): Promise<PreflightFacts> {
  const isOwn = ownClusters(known).includes(clusterName);
  const groups = await source.groups(known.clusterNames ?? [], isOwn);
  const found: PreflightFacts = isOwn && groups ? groupFacts(clusterName, scaledGroups, groups) : {};
  const addons = found.parts && (await source.addons?.());
  const id = found.runningGroups?.gpuNodes?.subnetIds?.[0] ?? gpuSubnetId;
  const gpuSubnet = async () => {
    const freeAddresses = id === undefined ? undefined : await source.freeAddresses(id);
    return id === undefined || freeAddresses === undefined ? undefined : { id, freeAddresses };
  };
  const [vcpuUse, subnet] = await Promise.all([
    read("vcpuUse", source.vcpuUse, "the running GPU instances"),
    read("gpuSubnet", gpuSubnet, "the subnet of the GPU nodes"),
  ]);
  return { ...found, ...(addons && { parts: { ...found.parts, addons } }), ...vcpuUse, ...subnet };
}

/** The clusters without those that others have. */
export function ownClusters({ clusterNames = [], own, namesakes = [] }: PreflightFacts): string[] {
  return clusterNames.filter((name) => !own || namesakes.every((one) => one.kind !== "cluster" || one.name !== name));
}

/** The zones that offer each instance type. */
export async function readOfferings({ offers }: Pick<FactSource, "offers">, types: readonly string[]) {
  const byType: Record<string, string[]> = Object.fromEntries(types.map((type) => [type, []]));
  for (const { type, zone } of await offers(Object.keys(byType))) byType[type]?.push(zone);
  return byType;
}

/** Whether AWS publishes the AMI releases. */
async function readImages({ images = [] }: CapacityRequest, { image }: FactSource) {
  const names = [...new Set(images.map(({ name }) => name))];
  const found = await Promise.all(names.map(async (name) => [name, await image(name)] as const));
  return names.length > 0 ? Object.fromEntries(found) : undefined;
}
