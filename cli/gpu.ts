import { accountClients } from "../account/clients";
import { groupPreflight } from "../account/group-preflight";
import { InputError, refuse } from "../components/core/problems";
import { shellText } from "../components/core/text";
import { AwsError } from "../sessions/aws-error";
import { documentOf } from "../sessions/document";
import { down } from "../sessions/down";
import { groupApi } from "../sessions/group-api";
import { groupText, type Group, type GroupReference } from "../sessions/group";
import { readLease, withLease } from "../sessions/lease";
import { preflightProblems, type Preflight } from "../sessions/preflight";
import { renderResult, renderStatus } from "../sessions/report";
import type { Session } from "../sessions/session";
import { readSnapshot, type Readers } from "../sessions/snapshot";
import { raiseMaxOfGroup, up } from "../sessions/up";
import { selectedStack } from "./choose-stack";
import { exitStatus, type Console } from "./command";
import { readGpuOptions, type GpuOptions } from "./gpu-options";
import { nodesReader } from "./gpu-kubernetes";
import { interruptibleCommand } from "./interruptible";
import { requireRegion } from "./region";
import { groupOfStack, leaseAt, stackOutputs, type StackGroup } from "./stack-outputs";
import { requireAccount } from "./stack-account";
import { readStackAccount } from "./stack-state";
import { progressOn, stepsOn, textStyle } from "./terminal";

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
  const options = readGpuOptions(args);
  return interruptibleCommand(
    console,
    "Nothing was requested: the group is unchanged.",
    async (signal, beforeChange) => {
      const progress = progressOn(console);
      const place = await beforeChange(placeOf(options, console, progress));
      try {
        const readers = await beforeChange(readersOf(place, options, console, timing));
        return options.action === "status"
          ? await beforeChange(showStatus(readers, options, console))
          : await changeSize(readers, { options, place, console, timing, signal });
      } catch (error) {
        progress("");
        if (!(error instanceof AwsError)) throw error;
        const { action: path, code: got, why, fix } = error;
        throw new InputError(`node group ${groupText(place)}`, [{ code: "not-allowed", path, got, why, fix }]);
      }
    },
  );
}

/** What the group is read with. @throws AwsError; InputError if the credentials are of another account than the stack */
async function readersOf(place: Place, options: GpuOptions, { cwd }: Console, { now }: Timing): Promise<Readers> {
  if (place.account !== undefined) await requireAccount(place, { stack: options.stack, account: place.account });
  const api = await groupApi(place);
  const lease = await leaseAt(place, place.lease);
  return { api, nodes: nodesReader(api, place, options, cwd), lease, now: now ?? api.now };
}

interface Place extends GroupReference, Partial<Pick<StackGroup, "gpuNodes" | "lease" | "hasCluster">> {
  /** The account of the resources in the state of the stack, or else of the cluster that it uses. */
  readonly account?: string;
}

/** The node group of the command line, or of a stack. */
async function placeOf(options: GpuOptions, { cwd }: Console, progress: (step: string) => void): Promise<Place> {
  const { cluster, nodegroup, stack } = options;
  if (cluster !== undefined && nodegroup !== undefined) {
    return { cluster, group: nodegroup, region: await requireRegion({ option: options.region }) };
  }
  progress("reading the outputs of the stack");
  const reading = readStackAccount(stack, cwd);
  reading.catch(() => undefined); // The outputs fail for the same reason, and are reported.
  const selected = stack === undefined ? selectedStack(cwd) : stack;
  const outputs = await stackOutputs(stack, cwd);
  const name = await selected;
  const found = groupOfStack(name, outputs);
  const { region: ofStack, ...credentials } = await reading;
  progress("");
  const at = { option: options.region, stack: found.region ?? ofStack, profile: credentials.profile };
  const region = await requireRegion(at);
  return { ...found, ...credentials, region, ...(name !== undefined && { stack: name }) };
}

async function showStatus(readers: Readers, { json }: GpuOptions, console: Console): Promise<number> {
  const progress = progressOn(console);
  progress("reading the node group");
  const snapshot = withLease(await readSnapshot(readers), await readLease(readers));
  progress("");
  console.write(json ? jsonText(documentOf("status", snapshot)) : renderStatus(snapshot, textStyle(console)));
  return snapshot.reasons.length > 0 ? exitStatus.rejected : exitStatus.ok;
}

interface Change {
  readonly options: GpuOptions;
  readonly place: Place;
  readonly console: Console;
  readonly timing: Timing;
  readonly signal: AbortSignal;
}

/** Runs `up` or `down`. */
async function changeSize(readers: Readers, { options, place, console, timing, signal }: Change): Promise<number> {
  const { json, dryRun, timeoutMs, nodes = place.gpuNodes ?? 1 } = options;
  const action = options.action === "up" ? "up" : "down";
  const warn = (text: string) => console.warn(`${text}\n`);
  const session: Session = {
    ...{ ...timing, ...readers, signal, timeoutMs, dryRun, warn },
    progress: stepsOn(console),
  };
  const raiseMax = (group: Group, count: number) => raiseCommand(options, place, group, count);
  const renew = (day: string) => renewCommand(options, place, day);
  const upOptions = { nodes, raiseMax, renew, preflight: preflightIn(place) };
  const result = await (action === "down" ? down(session) : up(session, upOptions));
  progressOn(console)("");
  const { snapshot, outcome, preflight } = result;
  const isDone = outcome === "reached" || outcome === "planned";
  if (json) console.write(jsonText(documentOf(action, snapshot, result)));
  else {
    // A refused session ends as any other wrong input does: with its problems on standard error.
    if (preflight) refuse(`node group ${groupText(place)}`, preflightProblems(preflight));
    console.write(renderResult(action, result, textStyle(console)));
  }
  if (outcome === "refused") return exitStatus.wrongInput;
  return isDone ? exitStatus.ok : exitStatus.rejected;
}

function preflightIn({ region, profile }: Place): Preflight {
  return groupPreflight(accountClients({ region, ...(profile !== undefined && { profile }) }));
}

/** The command that raises maxSize: in the configuration of the stack, which would otherwise set it back. */
function raiseCommand({ stack, cluster }: GpuOptions, place: Place, group: Group, nodes: number): string {
  if (cluster !== undefined) return raiseMaxOfGroup(group, nodes);
  const { of, where } = stackWithCluster(stack, place);
  // Without --refresh, the update would send the size in the state, and end a running session.
  return `${where}pulumi config set --path gpuNodes.maxSize ${nodes}${of} && pulumi up --refresh${of}`;
}

/** The command that renews the lease: in the stack that has the cluster. */
function renewCommand({ stack }: GpuOptions, place: Place, day: string): string {
  const { of, where } = stackWithCluster(stack, place);
  return `${where}pulumi config set --path lease.expiresAt ${day}${of} && pulumi up${of}`;
}

/** Only the stack that has the cluster can configure it; this stack may use the cluster of another one. */
function stackWithCluster(stack: string | undefined, { hasCluster }: Place) {
  if (hasCluster !== true) return { of: "", where: "in the stack that has the cluster: " };
  return { of: stack === undefined ? "" : ` --stack ${shellText([stack])}`, where: "" };
}

function jsonText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
