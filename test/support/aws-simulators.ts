import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, type TestContext } from "vitest";
import { cacheFolder } from "../cluster/support/go";
import { awsPython } from "./aws-python";
import { freePort } from "./free-ports";
import { pythonEnvironment, type Python } from "./python-environment";
import { saySkipped } from "./skips";

/** Simulators of AWS that others wrote and maintain, as servers on loopback. */

interface Program {
  readonly name: string;
  readonly python: () => Python;
  readonly args: (port: number) => readonly string[];
  readonly env?: (port: number) => Readonly<Record<string, string>>;
  /** The path that answers once the server runs. */
  readonly ready: string;
}

const programs = {
  /** @see https://docs.getmoto.org/en/latest/docs/server_mode.html */
  moto: {
    name: "moto",
    python: awsPython,
    args: (port) => [join(__dirname, "moto_server.py"), "-H", "127.0.0.1", "-p", String(port)],
    ready: "/moto-api/data.json",
  },
  /** It simulates IAM policies. @see https://pypi.org/project/ministack/ */
  ministack: {
    name: "ministack",
    python: () => pythonEnvironment(["ministack==1.5.33"]),
    args: () => ["-m", "ministack"],
    env: (port) => ({ GATEWAY_PORT: String(port) }),
    ready: "/",
  },
} satisfies Readonly<Record<string, Program>>;

type Simulator = { readonly endpoint: string; readonly stop: () => Promise<void> } | { readonly why: string };

/**
 * Starts a simulator for the tests of a file, and stops it after them.
 *
 * @param subject what the tests are about, for the message that they are skipped
 * @returns a function to call in a test: its result is the endpoint, or it skips the test
 */
export function simulator(program: keyof typeof programs, subject: string): (context: Skip) => string {
  let started: Simulator = { why: "it did not start" };
  beforeAll(async () => {
    started = await start(programs[program]);
    if ("why" in started) saySkipped(`Tests of ${subject} with ${program} are skipped: ${started.why}`);
  }, 400_000);
  afterAll(async () => {
    if (!("why" in started)) await started.stop();
  });
  return ({ skip }) => ("why" in started ? skip(started.why) : started.endpoint);
}

type Skip = Pick<TestContext, "skip">;

async function start({ name, python, args, env, ready }: Program): Promise<Simulator> {
  const found = python();
  if ("why" in found) return found;
  const port = await freePort();
  const options = { stdio: "ignore", env: { ...process.env, ...env?.(port) }, cwd: cacheFolder() } as const;
  const server = spawn(found.python, args(port), options);
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const stop = async () => {
    server.kill();
    await ended;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  for (const since = Date.now(); Date.now() - since < 60_000;) {
    if (server.exitCode !== null) return { why: `the server of ${name} ends with ${server.exitCode}` };
    const answer = await fetch(`${endpoint}${ready}`).catch(() => undefined);
    if (answer?.ok) return { endpoint, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  return { why: `the server of ${name} does not answer` };
}
