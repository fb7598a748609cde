import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type Command, commandLine, type CommandOptions } from "../../../simulation/pulumi/command";

const bare = ["--non-interactive", "--json"];

test.each<[string, Command, CommandOptions, string[]]>([
  ["a preview asks nothing anyway", "preview", {}, ["preview", ...bare]],
  ["an update previews nothing first", "up", {}, ["up", ...bare, "--yes", "--skip-preview"]],
  [
    "a preview of drift",
    "preview",
    { refresh: true, expectNoChanges: true },
    ["preview", ...bare, "--expect-no-changes", "--refresh"],
  ],
  ["what is off says nothing", "preview", { refresh: false, continueOnError: false }, ["preview", ...bare]],
  [
    "after a failure",
    "up",
    { continueOnError: true, parallel: 1 },
    ["up", ...bare, "--yes", "--skip-preview", "--continue-on-error", "--parallel", "1"],
  ],
  [
    "packs by their full path",
    "preview",
    { policyPacks: ["packs/lab"] },
    ["preview", ...bare, "--policy-pack", resolve("packs/lab")],
  ],
  [
    "after a kill",
    "refresh",
    { clearPendingCreates: true },
    ["refresh", ...bare, "--yes", "--skip-preview", "--clear-pending-creates"],
  ],
])("%s", (_, command, options, expected) => expect(commandLine(command, options)).toEqual(expected));
