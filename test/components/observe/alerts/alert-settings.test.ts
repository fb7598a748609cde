import { output } from "@pulumi/pulumi";
import fc from "fast-check";
import { load } from "js-yaml";
import { describe, expect, test } from "vitest";
import { checksForAbsence, checksForZero } from "../../../../policies/facts/alerts";
import type { AlertRule } from "../../../../components/observe/alerts/alert-rule";
import { rulesFileProblems, type GpuAlertSettings } from "../../../../components/observe/alerts/alert-settings";
import { gpuAlertGroups, prometheusGroups, rulesFile } from "../../../../components/observe/alerts/gpu-alert-rules";
import { wording } from "../../../support/wording";
import { checkRules, hasPromtool } from "../promtool";

const found = (settings: object, at?: string) =>
  rulesFileProblems(settings, at).map(({ path, code, got }) => [path, code, got]);
const rules = gpuAlertGroups().flatMap((group) => group.rules);

describe("settings", () => {
  test.for<[string, object]>([
    ["none", {}],
    ["an explicit undefined", { startupMinutes: undefined, runbookBaseUrl: undefined }],
    ["an address", { runbookBaseUrl: "https://example.com:8443/a/b~c" }],
    ["the minima", { startupMinutes: 1, newNodeMinutes: 2, longestNodeHours: 1, idleMinutes: 10, pendingMinutes: 1 }],
    ["the upper ends", { startupMinutes: 120, newNodeMinutes: 1440, longestNodeHours: 720, idlePercent: 100 }],
  ])("valid: %s", ([, settings]) => expect(found(settings)).toEqual([]));

  const wrong: [settings: object, path: string, code: string, got: unknown][] = [
    [{ operatorNamespace: 'a"} or vector(1)' }, "operatorNamespace", "not-allowed", 'a"} or vector(1)'],
    [{ operatorNamespace: output("a") }, "operatorNamespace", "wrong-type", "an Output"],
    [{ startupMinutes: 0 }, "startupMinutes", "out-of-range", 0],
    [{ startupMinutes: "10" }, "startupMinutes", "wrong-type", "10"],
    [{ startupMinutes: 30, newNodeMinutes: 30 }, "newNodeMinutes", "conflict", 30],
    [{ idleMinutes: 1441 }, "idleMinutes", "out-of-range", 1441],
    [{ idlePercent: 0 }, "idlePercent", "out-of-range", 0],
    [{ restartsPerHour: 1.5 }, "restartsPerHour", "wrong-type", 1.5],
    [{ runbookBaseUrl: "http://example.com" }, "runbookBaseUrl", "not-allowed", "http://example.com"],
    [{ runbookBaseUrl: "docs" }, "runbookBaseUrl", "not-allowed", "docs"],
    [{ runbookBaseUrl: "https://example.com/" }, "runbookBaseUrl", "not-allowed", "https://example.com/"],
    [{ runbookBaseUrl: "{{ $externalURL }}" }, "runbookBaseUrl", "not-allowed", "{{ $externalURL }}"],
    [{ runbookBaseUrl: null }, "runbookBaseUrl", "wrong-type", null],
    [{ restarts: 5 }, "restarts", "unknown-key", 5],
  ];
  test.for(wrong)("wrong: %j", ([settings, path, code, got]) => {
    expect(found(settings)).toEqual([[path, code, got]]);
    expect(found(settings, "alerts")).toEqual([[`alerts.${path}`, code, got]]);
  });

  test("wording", () => {
    expect(wording(wrong.flatMap(([settings]) => rulesFileProblems(settings)))).toMatchInlineSnapshot(`
      "operatorNamespace: Must be 1 to 63 lowercase letters, digits and dashes, beginning and ending with a letter or digit. | set operatorNamespace to a name such as "gpu-operator"
      operatorNamespace: Must be known when the program starts, so that it can be checked. | set operatorNamespace to a plain value
      startupMinutes: Must be from 1 to 120 minutes. | set startupMinutes to a whole number of minutes, from 1 to 120
      startupMinutes: Must be a number, not a string. | set startupMinutes to 10, without quotes
      newNodeMinutes: Alerts ignore a node until it is 30 minutes old (startupMinutes), so no node would ever count as new. | set newNodeMinutes to more than 30
      idleMinutes: Must be from 10 to 1440 minutes. | set idleMinutes to a whole number of minutes, from 10 to 1440
      idlePercent: Must be from 1 to 100 percent. | set idlePercent to a whole number of percent, from 1 to 100
      restartsPerHour: Must be a whole number. | set restartsPerHour to a whole number, from 1 to 60
      runbookBaseUrl: Must be an https:// address without blanks, quotes or braces, and without a slash at the end. | set runbookBaseUrl to an address such as "https://example.com/eks-gpu-lab/docs"
      runbookBaseUrl: Must be an https:// address without blanks, quotes or braces, and without a slash at the end. | set runbookBaseUrl to an address such as "https://example.com/eks-gpu-lab/docs"
      runbookBaseUrl: Must be an https:// address without blanks, quotes or braces, and without a slash at the end. | set runbookBaseUrl to an address such as "https://example.com/eks-gpu-lab/docs"
      runbookBaseUrl: Must be an https:// address without blanks, quotes or braces, and without a slash at the end. | set runbookBaseUrl to an address such as "https://example.com/eks-gpu-lab/docs"
      runbookBaseUrl: Must be a string. | set runbookBaseUrl to an address such as "https://example.com/eks-gpu-lab/docs"
      restarts: Unknown key. | use one of operatorNamespace, startupMinutes, newNodeMinutes, longestNodeHours, idleMinutes, idlePercent, restartsPerHour, pendingMinutes, runbookBaseUrl"
    `);
  });

  test("garbage gives a problem, never a TypeError", () => {
    fc.assert(
      fc.property(fc.anything(), (garbage) => {
        expect(() => rulesFileProblems(garbage as GpuAlertSettings)).not.toThrow();
      }),
    );
    for (const build of [rulesFile, gpuAlertGroups, prometheusGroups]) {
      expect(() => build({ idlePercent: 0 })).toThrow("1 problem with GPU alerts:");
    }
  });
});

describe("what the settings change", () => {
  const expressions = (settings: GpuAlertSettings) =>
    new Map<string, AlertRule>(
      gpuAlertGroups(settings).flatMap((group) => group.rules.map((rule) => [rule.name, rule] as const)),
    );

  test.for<[GpuAlertSettings, string, string]>([
    [{ operatorNamespace: "nvidia" }, "DevicePluginDaemonSetMissing", 'namespace="nvidia"'],
    [{ operatorNamespace: "nvidia" }, "GpuOperatorPodRestarting", 'namespace="nvidia"'],
    [{ startupMinutes: 3 }, "GpuAllocatableZeroOnGpuNode", "< 180)"],
    [{ newNodeMinutes: 30 }, "GpuMissingOnNewNode", "< 1800)"],
    [{ longestNodeHours: 24 }, "GpuNodeUpTooLong", "> 24"],
    [{ idleMinutes: 30 }, "GpuNodeIdle", "[30m]"],
    [{ idlePercent: 20 }, "GpuNodeIdle", "< 20"],
    [{ restartsPerHour: 9 }, "GpuOperatorPodRestarting", "> 9"],
  ])("%j is in %s", ([settings, name, text]) => {
    expect(expressions(settings).get(name)?.expr).toContain(text);
    expect(expressions({}).get(name)?.expr).not.toContain(text);
  });

  test("how long a pod may wait", () => {
    expect(expressions({ pendingMinutes: 3 }).get("GpuPodUnschedulable")?.for).toBe("3m");
  });

  test("an alert leads to its documentation where that is published, and nowhere else", () => {
    const urls = (settings: GpuAlertSettings) =>
      prometheusGroups(settings).flatMap((group) => group.rules.map(({ annotations }) => annotations["runbook_url"]));
    expect(urls({ runbookBaseUrl: "https://example.com/docs" })).toEqual(
      rules.map(({ name }) => `https://example.com/docs/alerts.md#${name.toLowerCase()}`),
    );
    for (const { annotations } of prometheusGroups().flatMap((group) => group.rules)) {
      expect(Object.keys(annotations)).toEqual(["summary", "description"]);
    }
  });
});

describe("every alert", () => {
  test("has a name of its own, and so has every group", () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
    const groups = gpuAlertGroups().map(({ name }) => name);
    expect(new Set(groups).size).toBe(groups.length);
  });

  test("waits, looks for no absence, and joins by sets, so that nothing is many-to-many", () => {
    for (const { expr, name } of rules) {
      expect(checksForAbsence(expr), name).toBe(false);
      expect(expr, name).not.toMatch(/group_right|ignoring|group_left \([^)]/);
    }
    expect(rules.filter(({ expr }) => checksForZero(expr)).map(({ name }) => name)).toEqual([
      "GpuAllocatableZeroOnGpuNode",
    ]);
    expect(rules.find(({ name }) => name === "GpuAllocatableZeroOnGpuNode")?.for).toBe("2m");
  });

  test("says what to do, and ends its sentences", () => {
    for (const { name, summary, description, steps } of rules) {
      expect(steps.length, name).toBeGreaterThan(0);
      expect(description, name).toMatch(/\.$/);
      expect(summary, name).not.toMatch(/\.$/);
    }
  });

  test("comes back from the rules file as it is", () => {
    expect(load(rulesFile())).toEqual({ groups: prometheusGroups() });
  });

  test.skipIf(!hasPromtool)("is accepted by promtool, whatever the settings", () => {
    expect(checkRules(rulesFile())).toContain(`${rules.length} rules found`);
    const other = {
      operatorNamespace: "a",
      startupMinutes: 1,
      newNodeMinutes: 1440,
      idleMinutes: 1440,
      pendingMinutes: 1,
    };
    expect(checkRules(rulesFile(other))).toContain(`${rules.length} rules found`);
  });
});
