import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { socketStateMetric, socketStates } from "../../../../components/workloads/socket/socket-metrics";

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "watch-"));
  server = createServer();
  await new Promise<void>((resolve) => server.listen(join(folder, "a.sock"), resolve));
  mkdirSync(join(folder, "b.sock"));
  writeFileSync(join(folder, "c.sock"), "");
  symlinkSync("/nowhere", join(folder, "d.sock"));
  copyFileSync("components/workloads/socket/scripts/socket-metrics.sh", join(folder, "metrics"));
  chmodSync(join(folder, "metrics"), 0o555);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** The answer to a request while these files are watched. */
function answer(...files: string[]): string {
  const watches = files.map((file) => `/run/x/${file}=${folder}/${file}`).join(" ");
  const env = { PATH: "/bin:/usr/bin", WATCHES: watches, NODE_NAME: "node-1" };
  const { stdout, stderr, status } = spawnSync(join(folder, "metrics"), { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("the metrics", () => {
  test("are in the form of Prometheus, with a type that it takes", () => {
    expect(answer("a.sock").split("\n")).toEqual([
      "Content-Type: text/plain; version=0.0.4; charset=utf-8\r",
      "\r",
      "# HELP runtime_socket_state What stands at the path of a socket on the node; 1 for the state it is in.",
      "# TYPE runtime_socket_state gauge",
      'runtime_socket_state{node="node-1",path="/run/x/a.sock",state="socket"} 1',
      'runtime_socket_state{node="node-1",path="/run/x/a.sock",state="directory"} 0',
      'runtime_socket_state{node="node-1",path="/run/x/a.sock",state="other"} 0',
      'runtime_socket_state{node="node-1",path="/run/x/a.sock",state="missing"} 0',
      'runtime_socket_state{node="node-1",path="/run/x/a.sock",state="unreadable"} 0',
      "",
    ]);
  });

  test.for([
    ["a.sock", "socket"],
    ["b.sock", "directory"],
    ["c.sock", "other"],
    ["d.sock", "other"],
    ["e.sock", "missing"],
    ["no-such-directory/f.sock", "unreadable"],
  ] as const)("%s: %s", ([file, state]) => {
    const values = answer(file)
      .split("\n")
      .filter((text) => text.startsWith("runtime_socket"));
    expect(values.map((text) => /^(\w+)\{.*state="(\w+)"/.exec(text)?.slice(1))).toEqual(
      socketStates.map((each) => [socketStateMetric, each]),
    );
    expect(values.filter((text) => text.endsWith(" 1"))).toEqual([expect.stringContaining(`state="${state}"`)]);
  });

  test("several at once, each by its path on the node", () => {
    const found = answer("a.sock", "b.sock")
      .split("\n")
      .filter((text) => text.endsWith(" 1"));
    expect(found).toEqual([
      expect.stringContaining('path="/run/x/a.sock",state="socket"'),
      expect.stringContaining('path="/run/x/b.sock",state="directory"'),
    ]);
  });
});

test("the user nobody finds a socket in a directory that is searchable but not readable, such as containerd's", ({
  skip,
}) => {
  const closed = join(folder, "closed");
  mkdirSync(closed);
  mkdirSync(join(closed, "b.sock"));
  chmodSync(folder, 0o711);
  chmodSync(closed, 0o711);
  const env = { PATH: "/bin:/usr/bin", NODE_NAME: "n", WATCHES: `/run/b.sock=${closed}/b.sock` };
  if (process.getuid?.() !== 0) skip("only root can become nobody");
  const options = { env, encoding: "utf8", uid: 65532, gid: 65532 } as const;
  expect(spawnSync("/bin/sh", [join(folder, "metrics")], options).stdout).toContain('state="directory"} 1');
  chmodSync(closed, 0o700);
  expect(spawnSync("/bin/sh", [join(folder, "metrics")], options).stdout).toContain('state="unreadable"} 1');
});
