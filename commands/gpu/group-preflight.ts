import { instanceType, type InstanceType } from "../../components/nodes/machine/instance-types";
import { nodeNeeds } from "../../components/preflight/preflight-request";
import type { NodeRequest, PreflightFacts } from "../../components/preflight/preflight-facts";
import { readOfferings } from "../../components/preflight/read-facts";
import { sessionChecks } from "../../components/preflight/preflight-checks";
import { nodesOf, type Group } from "./group";
import type { Preflight } from "./preflight";
import { resultsOf, type CheckResult } from "../../aws/account/check-result";
import type { Aws } from "../../aws/clients";
import { FactReader } from "../../aws/account/facts";
import { readIdentity, readPermissions } from "../../aws/account/caller";
import {
  groupsThatMayStart,
  poolNotes,
  readClusters,
  readNodeGroups,
  readOffers,
  readQuota,
  readRunningVcpus,
  readSubnets,
} from "../../aws/account/region";

/** A session waits at most this long for a check: it can go on without. */
const readSeconds = 10;

/** Checks with the rules of `preflight` whether the account can start the nodes of a group. */
export function groupPreflight(clients: Aws): Preflight {
  return async (group, wanted) => {
    const unknown = group.instanceTypes.filter((name) => instanceType(name) === undefined);
    const types = group.instanceTypes.flatMap((name) => instanceType(name) ?? []);
    if (unknown.length > 0 || types.length === 0) {
      const which = unknown.length > 0 ? `does not know ${unknown.join(", ")}` : "cannot read the instance type";
      return { checks: [], notes: [`Not checked: the account. This tool ${which}.`] };
    }
    const reader = new FactReader({ fatal: [], seconds: readSeconds });
    const [shared, byType] = await Promise.all([
      sharedFacts(reader, clients, group),
      Promise.all(types.map((type) => quotaFacts(reader, clients, requestOf(group, type, wanted)))),
    ]);
    const running = { name: group.group, desiredSize: wanted.running, minSize: 0, maxSize: group.sizes.max };
    const results = types.map((type, index) => {
      const facts = { ...shared, ...byType[index], runningGroups: { gpuNodes: running } };
      const request = inZone(requestOf(group, type, wanted), facts);
      // Of a NodePool, the API server decides who may change it.
      const checks = sessionChecks.filter(({ id }) => id !== "permissions" || !group.isPool);
      return resultsOf(checks, request, facts, reader);
    });
    return { checks: easiest(results), notes: [...new Set(reader.notes)] };
  };
}

/** EC2 chooses among the types of a group: nodes can start if one type can. */
function easiest(results: readonly CheckResult[][]): CheckResult[] {
  const problems = (checks: readonly CheckResult[]) => checks.flatMap((check) => check.problems).length;
  return results.reduce((best, next) => (problems(next) < problems(best) ? next : best), results[0] ?? []);
}

function requestOf(group: Group, type: InstanceType, { nodes }: Parameters<Preflight>[1]): NodeRequest {
  const maxSize = nodesOf(group, type.name, nodes);
  const named = group.isPool ? { nodePool: group.group } : { command: "gpu up", nodeGroupName: group.group };
  return { ...named, clusterName: group.cluster, azIndex: 0, maxSize, ...nodeNeeds(type, group) };
}

/** In a zone that offers the type, if one of the group does. */
function inZone(request: NodeRequest, { zones = [], offerings = {} }: PreflightFacts): NodeRequest {
  const offered = zones.findIndex((zone) => offerings[request.instanceType]?.includes(zone));
  return { ...request, zones, azIndex: Math.max(0, offered) };
}

/** What does not depend on the instance type. */
async function sharedFacts(reader: FactReader, clients: Aws, group: Group): Promise<PreflightFacts> {
  const offers = (types: string[]) => readOffers(clients, types);
  const parts = await Promise.all([
    subnetFacts(reader, clients, group.subnetIds),
    reader.read("offerings", () => readOfferings({ offers }, group.instanceTypes)),
    group.isPool
      ? {}
      : reader.read("permissions", async () =>
          readPermissions(clients, await readIdentity(clients), ["eks:UpdateNodegroupConfig"], group.arn),
        ),
  ]);
  return Object.assign({ region: clients.region }, ...parts);
}

async function subnetFacts(reader: FactReader, clients: Aws, ids: readonly string[]): Promise<PreflightFacts> {
  const found = ids.length === 0 ? { value: [] } : await reader.attempt(() => readSubnets(clients, [...ids]));
  if ("why" in found) {
    reader.miss(["zones", "gpuSubnet"], found.why);
    return {};
  }
  if (found.value.length === 0) return {};
  const free = found.value.reduce((sum, { freeAddresses }) => sum + freeAddresses, 0);
  return {
    zones: [...new Set(found.value.map(({ zone }) => zone))],
    gpuSubnet: { id: found.value.map(({ id }) => id).join(", "), freeAddresses: free },
  };
}

/** The quota of a type, and what counts against it. */
async function quotaFacts(reader: FactReader, clients: Aws, request: NodeRequest): Promise<PreflightFacts> {
  const { quotaCode } = request;
  if (quotaCode === undefined) return {};
  const [quota, { vcpuUse }, mayStart] = await Promise.all([
    reader.read("quotaVcpus", () => readQuota(clients, quotaCode)),
    reader.read("vcpuUse", async () => ({ running: await readRunningVcpus(clients, request) })),
    readMayStart(reader, clients, request),
  ]);
  return { ...quota, ...(vcpuUse && { vcpuUse: { ...vcpuUse, mayStart } }) };
}

/** The nodes that other groups of the region may start, as far as they can be read. */
async function readMayStart(reader: FactReader, clients: Aws, request: NodeRequest) {
  const clusters = await reader.attempt(() => readClusters(clients));
  const names = "value" in clusters ? clusters.value : [];
  const { clusterName, nodeGroupName } = request;
  const groupsOf = (name: string) => readNodeGroups(clients, name, name === clusterName ? nodeGroupName : undefined);
  const found = await Promise.all(names.map((name) => reader.attempt(() => groupsOf(name))));
  const why = [clusters, ...found].flatMap((one) => ("why" in one ? one.why : []));
  reader.notes.push(...poolNotes(names, clusterName));
  if (why[0] !== undefined) reader.notes.push(`Not checked: the instances that other node groups may start. ${why[0]}`);
  return groupsThatMayStart(
    found.flatMap((one) => ("value" in one ? one.value : [])),
    request,
  );
}
