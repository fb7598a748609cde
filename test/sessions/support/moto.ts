import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { awsPython } from "../../support/aws-python";

/**
 * moto, a simulator of AWS that others wrote and maintain.
 *
 * @see https://docs.getmoto.org/en/latest/docs/server_mode.html
 */
export type Moto = { readonly endpoint: string; readonly stop: () => Promise<void> } | { readonly why: string };

/** Starts moto's server on loopback; or says why it cannot run. */
export async function startMoto(): Promise<Moto> {
  const found = awsPython();
  if ("why" in found) return found;
  const port = await freePort();
  const server = spawn(found.python, ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const stop = async () => {
    server.kill();
    await ended;
  };
  const endpoint = `http://127.0.0.1:${port}`;
  for (const start = Date.now(); Date.now() - start < 60_000;) {
    if (server.exitCode !== null) return { why: `the server of moto ends with ${server.exitCode}` };
    const answer = await fetch(`${endpoint}/moto-api/data.json`).catch(() => undefined);
    if (answer?.ok) return { endpoint, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  return { why: "the server of moto does not answer" };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
