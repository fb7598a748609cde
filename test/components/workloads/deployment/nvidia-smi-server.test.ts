import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nvidiaSmiServer } from "../../../../components/workloads/deployment/gpu-deployment";
import { freePort } from "../../../support/free-ports";
import { has } from "../../../support/programs";

const runs = has("perl", "-MIO::Socket::INET", "-e", "1");

describe.runIf(runs)("the small server, with a stand-in for nvidia-smi", () => {
  let folder: string;
  let server: ChildProcess;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "smi-"));
  });
  afterEach(() => {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  /** Starts it on a port of the system's choice that is free, and gives its address. */
  async function start(nvidiaSmi: string): Promise<string> {
    const smi = join(folder, "nvidia-smi");
    writeFileSync(smi, `#!/bin/sh\n${nvidiaSmi}\n`);
    chmodSync(smi, 0o755);
    const port = String(await freePort());
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}`, PORT: port, REVISION: "r2" };
    server = spawn("perl", ["-e", nvidiaSmiServer()], { env, stdio: ["ignore", "pipe", "inherit"] });
    await until(server, `serving on port ${port}`);
    return `http://127.0.0.1:${port}/`;
  }

  test("it lists the GPUs and its revision, time and again", async () => {
    const address = await start("echo 'GPU 0: NVIDIA A10G'");
    for (let i = 0; i < 3; i++) {
      const response = await fetch(address);
      expect([response.status, await response.text()]).toEqual([200, "revision: r2\nGPU 0: NVIDIA A10G\n"]);
    }
  });

  test("without a GPU it is not ready, and says why", async () => {
    const address = await start("echo 'No devices were found'; exit 6");
    const response = await fetch(address);
    expect([response.status, await response.text()]).toEqual([503, "revision: r2\nNo devices were found\n"]);
  });

  test("a client that disconnects or sends nothing does not block other clients for long", async () => {
    const address = await start("echo GPU");
    const { port } = new URL(address);
    const silent = connect(Number(port), "127.0.0.1");
    connect(Number(port), "127.0.0.1").end();
    expect((await fetch(address)).status).toBe(200);
    silent.destroy();
  });

  test("the signal that ends a pod ends it at once", async () => {
    await start("echo GPU");
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
});

function until(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve) => {
    let seen = "";
    child.stdout?.on("data", (data: Buffer) => {
      seen += data.toString();
      if (seen.includes(text)) resolve();
    });
  });
}
