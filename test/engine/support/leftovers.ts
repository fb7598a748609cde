import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { inject, onTestFinished, vi } from "vitest";
import type { Console } from "../../../commands/core/command";
import { runLeftovers } from "../../../commands/leftovers/leftovers";
import { serveAccount, type Exchange } from "../../../simulation/http/account-server";
import type { TestWorkspace } from "../../support/test-workspace";
import { captured } from "../../support/cli";
import { useAws } from "../../support/aws-environment";

/** Runs `leftovers` on the stack, in the simulated account. */
export async function leftovers({ context }: TestWorkspace, ...args: readonly string[]) {
  for (const [name, value] of Object.entries(context.env)) vi.stubEnv(name, value);
  const cli = inject("pulumi");
  vi.stubEnv("PATH", `${dirname(cli?.command ?? "")}:${process.env["PATH"]}`);
  const timing = { intervalMs: 10, waitMs: 5000 };
  const run = (console: Console) => runLeftovers(["--stack", "gpu-lab", ...args], console, timing);
  const { status, out, err } = await captured(run, { cwd: context.cwd });
  const [, copy] = /^Copy of the old state: (.*)$/m.exec(err) ?? [];
  if (copy !== undefined) rmSync(copy);
  return { status, out, err };
}

/** Serves the simulated account of a stack until the test ends. Returns what it is asked, and calls `onExchange` with each. */
export async function serve(
  { cloud }: TestWorkspace,
  onExchange: (exchange: Exchange) => void = () => undefined,
): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const server = await serveAccount(cloud, (exchange) => {
    exchanges.push(exchange);
    onExchange(exchange);
  });
  onTestFinished(() => server.close());
  useAws(server.endpoint);
  return exchanges;
}
