import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endOf } from "../../components/core/faults";

const folder = "docs/labs";
const pages = readdirSync(folder).filter((file) => file.endsWith(".md"));
const textOf = (page: string) => readFileSync(join(folder, page), "utf8");
/** Commands of a page, block by block. */
const blocksOf = (page: string) =>
  [...textOf(page).matchAll(/^ *```sh\n([^]*?)^ *```/gm)].map(([, block = ""]) => block);
/** The place of each pattern in the text. The patterns are in the right order when the places rise. */
const placesOf = (text: string, patterns: readonly string[]) => patterns.map((pattern) => text.indexOf(pattern));
const rising = (places: readonly number[]) => [...places].sort((a, b) => a - b);

const bash = (script: string) => spawnSync("bash", ["-c", script], { encoding: "utf8", timeout: 10_000 });
const hasJq = bash("jq --version").status === 0;

describe.each(pages)("the commands of %s", (page) => {
  const blocks = blocksOf(page);
  const typed = blocks.join("");

  test("set the region of the AWS CLI first", () => {
    const [first] = /\baws (ec2|eks|ssm) /.exec(typed) ?? [];
    if (first === undefined) return;
    const places = placesOf(typed, ['export AWS_REGION="$(pulumi config get aws:region)"', first]);
    expect(places[0]).toBeGreaterThanOrEqual(0);
    expect(places).toEqual(rising(places));
  });

  test("become root in a session on a node", () => {
    for (const block of blocks.filter((text) => /\b(journalctl|systemctl) /.test(text))) {
      expect(block).toMatch(/sudo -i[^]*?\b(journalctl|systemctl) /);
    }
  });

  test.skipIf(!hasJq)("set an end of the fault that lies after the session, at any time of the day", () => {
    const ends = [...typed.matchAll(/pulumi config set expires ("\$\(.+?\)")/g)].map(([, end = ""]) => end);
    for (const end of ends) {
      const { stdout } = bash(`echo ${end}`);
      const { begins = 0, ends: ended = 0 } = endOf(stdout) ?? {};
      // A day would end at 09:00 in Seoul.
      expect(begins).toBe(ended);
      expect((ended - Date.now()) / 3_600_000).toBeGreaterThan(3);
    }
    if (/config set fault on/.test(typed)) expect(ends).not.toEqual([]);
  });
});

test("node-health reads the log after the injection is complete", () => {
  const text = blocksOf("node-health.md").join("");
  const places = placesOf(text, ["config set fault on", "jq -r .injected", "jq -r .logs)", "jq -r .condition"]);
  // Baseline reads the log of the probe.
  places[2] = text.indexOf("injection --json | jq -r .logs)");
  expect(Math.min(...places)).toBeGreaterThan(0);
  expect(places).toEqual(rising(places));
});

test("node-health expects both conditions, and a reason that does not name the fault", () => {
  expect(textOf("node-health.md")).toContain("`True`, `True` and a reason on the GPU node");
});

test("runtime-socket checks the path after each step of the repair", () => {
  const text = blocksOf("runtime-socket.md").join("");
  const places = placesOf(text, ["jq -r .restore", "config set remedy typed", "config rm remedy"]);
  const looks = places.slice(0, 2).map((place, index) => text.slice(place, places[index + 1]));
  for (const part of looks) expect(part).toMatch(/^look\b/m);
});

describe("gpu-rollout", () => {
  const blocks = blocksOf("gpu-rollout.md");

  test("sets the current node each time it injects the fault", () => {
    const injections = blocks.filter((block) => block.includes("config set fault on"));
    expect(injections).toHaveLength(2);
    for (const block of injections) expect(block).toMatch(/config set node "\$\([^]*config set fault on/);
  });

  test("starts a port-forward for each answer and stops it afterwards", () => {
    const [, define = ""] = /^(answer\(\)[^]*?^\))$/m.exec(blocks.join("")) ?? [];
    const stubs = `kubectl() { trap "echo gone; exit" TERM; while :; do sleep 0.1; done; }
      curl() { sleep 0.3; echo "curl $*"; }`;
    // The page discards the output of the port-forward; the test reads it.
    const { stdout, stderr, status } = bash(`${stubs}\n${define.replace(">/dev/null", ">&3")}\n{ answer; } 3>&1`);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toMatch(/^curl .*--retry-connrefused localhost:8080\ngone\n$/);
  });
});
