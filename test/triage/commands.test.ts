import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What only root may do, or see, on a node; as it is typed, not as it is spoken of. */
const asRoot =
  /\b(?:journalctl -|systemctl (?:start|stop|restart|status) |rmdir [/$]|dmesg -|nodeadm init|cp \/etc\/)/g;
const sources = readdirSync("triage", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const files = [
  ...sources.map((file) => join("triage", file)),
  "commands/triage/triage.ts",
  "commands/triage/triage-options.ts",
  "docs/triage.md",
];

test("no command lists Jobs by their successes: an Indexed Job can fail although some of its indexes succeeded", () => {
  const pages = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
  const texts = [...files, ...pages.map((page) => join("docs", page))];
  expect(texts.filter((file) => readFileSync(file, "utf8").includes("status.successful"))).toEqual([]);
});

test("commands for a shell on a node use sudo where they need it", () => {
  const typed = files.flatMap((file) => {
    const text = readFileSync(file, "utf8");
    return [...text.matchAll(asRoot)].map(({ 0: command, index }) => ({
      file,
      command: `${text.slice(0, index).endsWith("sudo ") ? "sudo " : ""}${command}`,
    }));
  });
  for (const name of ["journalctl", "systemctl", "rmdir", "dmesg", "nodeadm"]) {
    expect(typed.map(({ command }) => command).join()).toContain(name);
  }
  expect(typed.filter(({ command }) => !command.startsWith("sudo "))).toEqual([]);
});
