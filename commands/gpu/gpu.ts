import { groupPreflight } from "./group-preflight";
import { awsClients } from "../../aws/clients";
import { refuse, type Problem } from "../../components/core/problems";
import { shellText } from "../../components/core/text";
import { down } from "./down";
import { groupApi } from "./group-api";
import { subjectOf, type Group, type GroupReference } from "./group";
import { readLease, withLease } from "./lease";
import { preflightProblems } from "./preflight";
import { documentOf, renderResult, renderStatus } from "./report";
import type { Session } from "./session";
import { readSnapshot, type Readers } from "./snapshot";
import { raiseMaxOfGroup, up } from "./up";
import { selectedStack } from "../stack/choose-stack";
import { exitStatus, type Console } from "../core/command";
import { gpuCommand, type GpuOptions } from "./gpu-options";
import { clusterCaller, nodesReader } from "./nodes";
import { poolApi } from "./pool-api";
import { poolLeaseEnds } from "./pool-lease";
import { askingAws, interruptibleCommand } from "../core/interruptible";
import { requireRegion, requireAccount } from "../stack/account";
import { stackOutputs } from "../stack/pulumi-cli";
import { groupOfStack, leaseAt } from "./stack-group";
import { readStackAccount } from "../stack/stack-state";
import { jsonText, progressOn, stepsOn, textStyle } from "../core/terminal";

/** Between two readings: EC2 takes minutes, and AWS throttles. */
const intervalMs = 10_000;

/** The time between two readings, and the date of the account unless it is that of this machine. */
type Timing = Pick<Session, "intervalMs" | "now">;

/** `eks-gpu-lab gpu`: starts, ends and shows a session of GPU nodes. */
export async function runGpu(
  args: readonly string[],
  console: Console,
  timing: Timing = { intervalMs },
): Promise<number> {
  const options = gpuCommand.read(args);
  const unchanged = "Nothing was requested: the group is unchanged.";
  return interruptibleCommand(console, unchanged, async (signal, beforeChange) => {
    const place = await beforeChange(placeOf(options, console));
    if (place.isPool) refuse("the command line", countProblems(options));
    return askingAws(console, subjectOf(place), async () => {
      const readers = await beforeChange(readersOf(place, options, console, timing));
      if (options.action === "status") return beforeChange(showStatus(readers, options, console));
      const { timeout, dryRun } = options;
      const warn = (text: string) => console.warn(`${text}\n`);
      const work = { ...timing, ...readers, signal, beforeChange, timeoutMs: timeout * 1000, dryRun };
      return changeSize({ ...work, warn, progress: stepsOn(console) }, options, place, console);
    });
  });
}

/** Pods decide how many nodes of a NodePool start. */
function countProblems({ nodes }: GpuOptions): Problem[] {
  if (nodes === undefined) return [];
  const why = "The nodes belong to a NodePool, which starts them for pods, up to the limit of the stack.";
  const fix = "remove the number; to change the limit, set gpuNodes.maxSize and run pulumi up";
  return [{ code: "not-allowed", path: "gpu up", got: nodes, why, fix }];
}

/** What the group is read with. @throws AwsError; InputError if the credentials are of another account than the stack */
async function readersOf(place: Place, options: GpuOptions, { cwd }: Console, { now }: Timing): Promise<Readers> {
  if (place.account !== undefined) await requireAccount(place, { stack: options.stack, account: place.account });
  const ofGroup = await groupApi(place);
  const caller = clusterCaller(ofGroup, place, options, cwd);
  const clock = { ...ofGroup, now: now ?? ofGroup.now };
  const { isPool, lease: stated } = place;
  const api = isPool ? poolApi(clock, place, caller, place.gpuNodes ?? 0) : ofGroup;
  const ofPool = stated && { ...stated, ends: poolLeaseEnds(place, caller, stated.text) };
  const lease = isPool ? ofPool : leaseAt(place, stated);
  return { api, nodes: nodesReader(caller, place, options), lease, now: clock.now };
}

type Place = GroupReference & Partial<ReturnType<typeof groupOfStack>>;

/** The node group of the command line, or of a stack. */
async function placeOf(options: GpuOptions, console: Console): Promise<Place> {
  const { cluster, nodegroup, stack } = options;
  if (cluster !== undefined && nodegroup !== undefined) {
    return { cluster, group: nodegroup, region: await requireRegion({ option: options.region }) };
  }
  const progress = progressOn(console);
  progress("reading the outputs of the stack");
  const reading = readStackAccount(stack, console.cwd);
  reading.catch(() => undefined); // The outputs fail for the same reason, and are reported.
  const selected = stack === undefined ? selectedStack(console.cwd) : stack;
  const outputs = await stackOutputs(stack, console.cwd);
  const name = await selected;
  const found = groupOfStack(name, outputs);
  const { region: ofStack, ...credentials } = await reading;
  progress("");
  const at = { option: options.region, stack: found.region ?? ofStack, profile: credentials.profile };
  const region = await requireRegion(at);
  return { ...found, ...credentials, region, stack: name };
}

async function showStatus(readers: Readers, { json }: GpuOptions, console: Console): Promise<number> {
  const progress = progressOn(console);
  progress("reading the GPU nodes");
  const snapshot = withLease(await readSnapshot(readers), await readLease(readers));
  progress("");
  console.write(json ? jsonText(documentOf("status", snapshot)) : renderStatus(snapshot, textStyle(console)));
  return snapshot.reasons.length > 0 ? exitStatus.rejected : exitStatus.ok;
}

/** Runs `up` or `down`. */
async function changeSize(session: Session, options: GpuOptions, place: Place, console: Console): Promise<number> {
  const { action, json, nodes = place.gpuNodes ?? 1 } = options;
  const command = action === "up" ? "up" : "down";
  const upOptions = { nodes, ...configureCommands(options, place), preflight: groupPreflight(awsClients(place)) };
  const result = command === "down" ? await down(session) : await up(session, upOptions);
  progressOn(console)("");
  if (json) console.write(jsonText(documentOf(command, result.snapshot, result)));
  else {
    // A refused session ends as any other wrong input does: with its problems on standard error.
    if (result.preflight) refuse(subjectOf(place), preflightProblems(result.preflight));
    console.write(renderResult(command, result, textStyle(console)));
  }
  if (result.outcome === "refused") return exitStatus.wrongInput;
  return result.outcome === "reached" || result.outcome === "planned" ? exitStatus.ok : exitStatus.rejected;
}

/** The commands that configure the stack which has the cluster. This stack may use the cluster of another one. */
function configureCommands({ stack, cluster }: GpuOptions, { hasCluster }: Place) {
  const where = hasCluster === true ? "" : "in the stack that has the cluster: ";
  const of = stack === undefined || hasCluster !== true ? "" : ` --stack ${shellText([stack])}`;
  const set = (setting: string, update: string) => `${where}pulumi config set --path ${setting}${of} && ${update}${of}`;
  return {
    // Without --refresh, the update would send the size in the state, and end a running session.
    raiseMax: (group: Group, nodes: number) =>
      cluster === undefined ? set(`gpuNodes.maxSize ${nodes}`, "pulumi up --refresh") : raiseMaxOfGroup(group, nodes),
    renew: (day: string) => set(`lease.expiresAt ${day}`, "pulumi up"),
  };
}
