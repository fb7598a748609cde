import { expect, test } from "vitest";
import { gpuAlertGroups } from "../../components/observe/alerts/gpu-alert-rules";
import { failures, type Failure } from "../../tools/failures";
import { lab } from "../../policies/packs/lab/rules";
import { labs } from "../../stacks/labs";
import { failurePages } from "../../tools/failure-docs";
import { sourceTitle } from "../../tools/policy-docs";
import { conclusionIds } from "../../triage/conclusions";

const rows: readonly Failure[] = Object.values(failures).flat();
const alerts = gpuAlertGroups().flatMap(({ rules }) => rules);

const everything: readonly (readonly [Exclude<keyof Failure, "what">, readonly string[]])[] = [
  ["labs", Object.keys(labs)],
  ["rules", lab.rules.map(({ rule }) => rule.id)],
  ["alerts", alerts.map(({ name }) => name)],
];

test.each(everything)("the page lists the %s that no failure names", (column, names) => {
  const [page] = Object.values(failurePages({ "A pod waits": [{ what: "It waits", [column]: [names[0]] }] }));
  const other = page?.slice(page.indexOf("## Other"));
  expect(other).not.toMatch(entryWith(names[0]));
  for (const name of names.slice(1)) expect(other).toMatch(entryWith(name));
});

test("the page has no such section while a failure names everything", () => {
  const all = Object.fromEntries(everything) as unknown as Failure;
  expect(failurePages({ "A pod waits": [{ ...all, what: "It waits" }] })["docs/accidents.md"]).not.toContain(
    "## Other",
  );
});

test("the page of the conclusions lists each of them once", () => {
  const ids = [...(failurePages()["docs/conclusions.md"] ?? "").matchAll(/^- <a id="([\w-]+)"><\/a>`\1`/gm)].map(
    ([, id]) => id,
  );
  expect(ids.sort()).toEqual([...conclusionIds].sort());
});

test("a failure has links to its conclusions", () => {
  expect(failurePages()["docs/accidents.md"]).toContain("Triage: [rollout-deadlock](conclusions.md#rollout-deadlock).");
});

test.each([
  [
    "https://kubernetes.io/docs/concepts/storage/volumes/#hostpath-volume-types",
    "kubernetes.io: volumes, hostpath volume types",
  ],
  ["https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html", "aws.amazon.com: Nodegroup"],
  ["https://github.com/NVIDIA/gpu-operator/issues/397", "NVIDIA/gpu-operator #397"],
  [
    "https://github.com/NVIDIA/gpu-operator/blob/v26.3.1/controllers/state_manager.go#L1",
    "NVIDIA/gpu-operator: state_manager.go#L1",
  ],
  ["https://github.com/NVIDIA/k8s-device-plugin#deployment-via-helm", "NVIDIA/k8s-device-plugin"],
])("the source %s has the title %s", (address, title) => {
  expect(sourceTitle(address)).toBe(title);
});

/** An entry of the list with just this name. */
function entryWith(name = ""): RegExp {
  return new RegExp(`(Lab|Rule|Alert): \\[${name}\\]\\(\\S+\\)\\.$`, "m");
}

test("an alert that names a lab is in a row with that lab", () => {
  const apart = alerts.filter(
    ({ name, lab }) =>
      lab && !rows.some((row) => row.labs?.some((one) => one === lab) && row.alerts?.some((one) => one === name)),
  );
  expect(apart.map(({ name }) => name)).toEqual([]);
});

test("each failure is described once, and each has a lab, a rule, an alert or a conclusion", () => {
  expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length);
  for (const row of rows) expect(Object.keys(row).length, row.what).toBeGreaterThan(1);
});
