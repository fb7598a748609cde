import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clusterWrites } from "../support/cluster-writes";

const rooms = ["docs", "examples", "aws", "commands", "components", "planner", "policies"];
const files = [...rooms, "stacks", "triage"].flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(md|ts|sh)$/.test(file) && !/node_modules|\.test\./.test(file))
    .map((file) => join(room, file)),
);

const verbs =
  "annotate|apply|autoscale|cordon|create|delete|drain|edit|expose|label|patch|replace|" +
  "rollout (?:restart|undo|pause|resume)|run|scale|set|taint|uncordon";
const options = String.raw`(?: --?[\w-]+[= ](?:\$\{[^}]*\}|[^\s\x60]+))*`;
const words = String.raw`(?: (?:-[ln] [^\s\x60]+|(?!-)(?:\$\{[^}]*\}|[^\s\x60"\\;&|#,])+))*`;
const write = new RegExp(`(?:kubectl|\\$\\{kubectl(?:For\\(cluster\\))?\\})${options} ((?:${verbs})${words})`, "g");

/** The commands of a text, with `…` for what a program fills in. */
function writesOf(file: string): string[] {
  const text = readFileSync(file, "utf8").replaceAll("patchCommand(`", "`kubectl patch ");
  return [...text.matchAll(write)].map(([, command = ""]) =>
    command
      .replaceAll(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}?/g, "…")
      .replaceAll(/\{\w+\}/g, "…")
      .trim(),
  );
}

test("every command that changes a cluster has a row, and every row a command", () => {
  const found = ["README.md", ...files].flatMap(writesOf);
  expect([...new Set(found)].sort()).toEqual(Object.keys(clusterWrites).sort());
});
