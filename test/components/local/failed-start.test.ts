import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failedStart } from "../../../components/local/failed-start";
import { knownError, recognizedLines } from "../../../triage/snapshot/logs/known-errors";

test.each([
  ["kvCache", "kv-cache-too-small", "kv-cache-too-small"],
  ["context", "context-above-model", "context-above-model"],
  ["tensorParallel", "heads-not-divisible", "tensor-parallel-not-divisible"],
] as const)("a container replays %s: unchanged lines of the recording, in order, and status 1", (start, file, id) => {
  const { data, mountPath, command, args } = failedStart(start);
  const folder = mkdtempSync(join(tmpdir(), "failed-start-"));
  for (const [name, text] of Object.entries(data)) writeFileSync(join(folder, name), text);
  const [program = "", ...rest] = command.map((word) => word.replaceAll(mountPath, folder));
  const { status, stdout, stderr } = spawnSync(program, [...rest, ...args], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: Object.values(data).join("") });

  const whole = readFileSync(join(__dirname, "../../triage/recordings", `${file}.log`), "utf8").split("\n");
  const replayed = stderr.trimEnd().split("\n");
  const places = replayed.map((line, at) => whole.indexOf(line, at === 0 ? 0 : whole.indexOf(replayed[at - 1] ?? "")));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((one, other) => one - other));
  expect(recognizedLines(stderr).map(knownError)).toEqual([id]);
});

test.each([
  ["kvCache", /'max_model_len': 2097152/],
  ["context", /'max_model_len': 4096/],
  ["tensorParallel", /'tensor_parallel_size': 3/],
] as const)("the arguments of %s are those that the recording names", (start, named) => {
  const { args, data } = failedStart(start);
  const [, key = "", value = ""] = /'(\w+)': (\d+)/.exec(named.source) ?? [];
  expect(args).toContain(`--${key.replaceAll("_", "-")}=${value}`);
  expect(Object.values(data).join("")).toMatch(named);
});
