import { afterAll, beforeAll, vi } from "vitest";
import type { Console } from "../../../commands/core/command";
import { runGpu } from "../../../commands/gpu/gpu";
import { instancesOf } from "../../../simulation/aws/eks/nodes/instances";
import { passTime, type ScheduledRun } from "../../../simulation/aws/schedule-runs";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { serveAccount, type AccountServer } from "../../../simulation/http/account-server";
import type { TestWorkspace } from "../../support/test-workspace";
import { useAws } from "../../support/aws-environment";
import { captured, onText, type CliResult } from "../../support/cli";
import { Bill } from "./bill";
import { ownAddress, sharedWorkspace, succeeding } from "./engine";
import { gpuNodes } from "./gpu-nodes";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const seoulMs = 9 * hourMs;

/** A month of one stack in a simulated account whose date the test moves. */
export interface Month {
  readonly workspace: TestWorkspace;
  readonly cloud: SimulatedCloud;
  readonly bill: Bill;
  /** Moves the date to a day of the month and a time in Seoul, such as `14:30`, and runs what is due until then. */
  at(day: number, time: string): ScheduledRun[];
  /** A day of the month in UTC, such as `2026-12-01`. */
  day(day: number): string;
  /** Runs `eks-gpu-lab gpu` on the stack. */
  gpu(...args: readonly string[]): Promise<CliResult>;
  /** The same, with Ctrl-C as soon as it has printed a text. */
  gpuInterrupted(text: string, ...args: readonly string[]): Promise<CliResult>;
  /** The number of GPU instances. */
  running(): number;
  /** Sets the stack's configuration, in addition to the address, and updates the stack. */
  up(...config: readonly string[]): ReturnType<typeof succeeding>;
}

/** The month of a test file. Its first day is tomorrow in Seoul. */
export function sharedMonth(): { readonly current: Month } {
  const shared = sharedWorkspace();
  let server: AccountServer;
  let month: Month;
  beforeAll(async () => {
    const workspace = shared.current;
    const { cloud } = workspace;
    server = await serveAccount(cloud);
    const bill = new Bill(cloud);
    const midnight = Math.ceil((cloud.date.getTime() + seoulMs) / dayMs) * dayMs - seoulMs;
    month = {
      ...{ workspace, cloud, bill },
      at: (day, time) => {
        const [hours = 0, minutes = 0] = time.split(":").map(Number);
        return passTime(cloud, new Date(midnight + (day - 1) * dayMs + hours * hourMs + minutes * 60_000));
      },
      day: (day) => new Date(midnight + (day - 1) * dayMs + seoulMs).toISOString().slice(0, 10),
      gpu: (...args) => runCommand(workspace, server, args),
      gpuInterrupted: (text, ...args) =>
        runCommand(workspace, server, args, (console) => onText(console, text, () => process.emit("SIGINT"))),
      running: () => instancesOf(cloud, gpuNodes(cloud)).length,
      up: (...config) => {
        workspace.configure([ownAddress, ...config]);
        return succeeding(workspace.up());
      },
    };
  });
  afterAll(() => server.close());
  return {
    get current() {
      return month;
    },
  };
}

/** Runs `gpu`, which reads the stack with the CLI of the workspace, and asks the server instead of AWS. */
async function runCommand(
  { context, cloud }: TestWorkspace,
  { endpoint }: AccountServer,
  args: readonly string[],
  watched: (console: Console) => Console = (console) => console,
) {
  useAws(endpoint);
  for (const [name, value] of Object.entries(context.env)) vi.stubEnv(name, value);
  const timing = { intervalMs: 20, now: () => cloud.date };
  const result = await captured((console) => runGpu([...args, "--stack", "gpu-lab"], watched(console), timing), {
    cwd: context.cwd,
  });
  vi.unstubAllEnvs();
  return result;
}
