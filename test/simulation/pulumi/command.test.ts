import { resolve } from "node:path";
import { expect, test } from "vitest";
import { cleanEnvironment } from "../../../simulation/pulumi/command";
import { type Command, commandLine, type CommandOptions } from "../../support/test-workspace";

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
    "a replacement of one resource",
    "up",
    { targetReplace: ["urn:a"] },
    ["up", ...bare, "--yes", "--skip-preview", "--target-replace", "urn:a"],
  ],
  [
    "after a kill",
    "refresh",
    { clearPendingCreates: true },
    ["refresh", ...bare, "--yes", "--skip-preview", "--clear-pending-creates"],
  ],
])("%s", (_, command, options, expected) => expect(commandLine(command, options)).toEqual(expected));

test("the environment inherits only PATH and the temporary folder", () => {
  const env = cleanEnvironment("/t", "aws:1", {
    PATH: "/bin",
    TMPDIR: "/tmp",
    HOME: "/home/me",
    AWS_PROFILE: "production",
    AWS_ACCESS_KEY_ID: "AKIA",
    KUBECONFIG: "/home/me/.kube/config",
    HTTPS_PROXY: "http://proxy",
    PULUMI_BACKEND_URL: "s3://state",
    PULUMI_ACCESS_TOKEN: "pul-1",
    NODE_OPTIONS: "--inspect",
  });
  expect(env).toEqual({
    PATH: "/bin",
    TMPDIR: "/tmp",
    HOME: "/t",
    USERPROFILE: "/t",
    PULUMI_HOME: "/t/.pulumi",
    PULUMI_BACKEND_URL: "file:///t/state",
    PULUMI_CONFIG_PASSPHRASE: "simulation",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_DEBUG_PROVIDERS: "aws:1",
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    NO_PROXY: "127.0.0.1,localhost",
    AWS_EC2_METADATA_DISABLED: "true",
  });
});
