import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildSync } from "esbuild";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { freePorts } from "../support/free-ports";
import { describeCluster } from "./support/cluster";
import { eventually } from "./support/eventually";
import { findControlPlane } from "./support/find-control-plane";

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describeCluster("the program with the parts of a control plane", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "control-plane-test-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("a part ends when the process that started it is killed", async () => {
    const found = findControlPlane();
    if ("why" in found) throw new Error(found.why);
    const bundle = join(folder, "control-plane.cjs");
    buildSync({
      ...{ entryPoints: [join(__dirname, "support/control-plane.ts")], outfile: bundle },
      ...{ bundle: true, platform: "node", format: "cjs" },
    });
    const [module, binary, data] = [bundle, found.path, folder].map((path) => JSON.stringify(path));
    const ports = JSON.stringify(await freePorts(2));
    const script = `
      const { Parts, etcdFlags } = require(${module});
      console.log(new Parts(${binary}, ${data}).start("etcd", etcdFlags(${data}, ${ports})));`;
    const parent = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = await new Promise<number>((done) =>
      createInterface(parent.stdout).once("line", (line) => done(Number(line))),
    );
    await eventually(
      "etcd, ready",
      () => readFileSync(join(folder, "etcd.log"), "utf8").includes("ready") || undefined,
    );
    expect(isRunning(pid)).toBe(true);
    parent.kill("SIGKILL");
    await eventually("the end of etcd", () => !isRunning(pid) || undefined, { seconds: 10 });
  });

  test("without a module proxy, the reason says what to do", () => {
    vi.stubEnv("XDG_CACHE_HOME", folder);
    vi.stubEnv("GOMODCACHE", join(folder, "modules"));
    vi.stubEnv("GOFLAGS", "-modcacherw");
    vi.stubEnv("GOPROXY", "off");
    const found = findControlPlane();
    vi.unstubAllEnvs();
    expect(found).toEqual({
      why: expect.stringContaining("Set GOPROXY to one that this machine can reach") as unknown,
    });
    expect(found).toEqual({ why: expect.stringContaining("module lookup disabled by GOPROXY=off") as unknown });
  });
});
