import { Role } from "@pulumi/aws/iam";
import { ComponentResource, interpolate, log } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { accountIdOf, partitionOf, regionOf } from "../../../components/core/lookups";
import { unknownSentinel } from "../../../components/core/wire";
import { offlineCloud } from "../../../planner/record/offline-cloud";
import { only, plan } from "../../support/plan";

/** A component that uses every lookup, and sends a message about what waits for them. */
class Office extends ComponentResource {
  constructor(name: string) {
    super("test:index:Office", name);
    const { partition, dnsSuffix } = partitionOf(this);
    const description = interpolate`${partition} ${dnsSuffix} ${regionOf(this)} ${accountIdOf(this)}`;
    const role = new Role(name, { assumeRolePolicy: "{}", path: "/fixed/", description }, { parent: this });
    void log.debug("a message", role);
  }
}

const offline = offlineCloud("ap-northeast-2");
const failing = (...functions: readonly string[]) => ({
  ...offline,
  call: (token: string, args: Record<string, unknown>) => {
    if (functions.some((name) => token.endsWith(`:${name}`))) throw new Error("Missing region configuration");
    return offline.call(token, args);
  },
});

test("lookups are known", async () => {
  const recording = await plan(() => new Office("known"));
  expect(only(recording, "aws:iam/role:Role").inputs["path"]).toBe("/fixed/");
  expect(recording.diagnostics).toEqual([]);
});

test.for([
  ["getPartition", "the partition"],
  ["getRegion", "the region"],
  ["getCallerIdentity", "the account id"],
] as const)("a preview goes on without %s", async ([name, what]) => {
  const recording = await plan(() => new Office("office"), { cloud: failing(name) });
  const { description, path } = only(recording, "aws:iam/role:Role").inputs;
  expect([description, path]).toEqual([unknownSentinel, "/fixed/"]);
  const [warning] = recording.diagnostics;
  expect(warning?.severity).toBe("warning");
  expect(warning?.message).toContain(`Cannot read ${what}: `);
  expect(warning?.message).toContain("Missing region configuration");
});
