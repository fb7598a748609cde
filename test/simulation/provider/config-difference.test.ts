import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unknownSentinel as unknown } from "../../../components/core/wire";
import { kubernetesConfigDifference } from "../../../simulation/provider/plugins";

const config = (server: string, user = "aws") => ({
  clusters: [
    { name: "one", cluster: { server } },
    { name: "two", cluster: { server: "https://two" } },
  ],
  contexts: [
    { name: "one", context: { cluster: "one", user } },
    { name: "two", context: { cluster: "two", user } },
  ],
  "current-context": "one",
});
const a = JSON.stringify(config("https://a"));
const otherUser = JSON.stringify(config("https://a", "other"));
const b = JSON.stringify(config("https://b"));

test.for([
  ["nothing changed", { kubeconfig: a }, { kubeconfig: a }, [], []],
  ["another user of the same cluster", { kubeconfig: a }, { kubeconfig: otherUser }, ["kubeconfig"], []],
  ["another cluster", { kubeconfig: a }, { kubeconfig: b }, ["kubeconfig"], ["kubeconfig"]],
  ["another context", { kubeconfig: a }, { kubeconfig: a, context: "two" }, ["context"], ["context"]],
  ["another cluster of the file", { kubeconfig: a }, { kubeconfig: a, cluster: "two" }, ["cluster"], ["cluster"]],
  ["a context that is not there", { kubeconfig: a }, { kubeconfig: a, context: "three" }, ["context"], []],
  ["no kubeconfig before", {}, { kubeconfig: a }, ["kubeconfig"], []],
  ["it becomes unknown", { kubeconfig: a }, { kubeconfig: unknown }, ["kubeconfig"], ["kubeconfig"]],
  ["the context becomes unknown", { context: "one" }, { context: unknown }, ["context"], ["context"]],
  [
    "unknown, and the identifier stays",
    { kubeconfig: a, clusterIdentifier: "x" },
    { kubeconfig: unknown, clusterIdentifier: "x" },
    ["kubeconfig"],
    [],
  ],
  [
    "another cluster, and the identifier stays",
    { kubeconfig: a, clusterIdentifier: "x" },
    { kubeconfig: b, clusterIdentifier: "x" },
    ["kubeconfig"],
    [],
  ],
  [
    "another identifier",
    { kubeconfig: a, clusterIdentifier: "x" },
    { kubeconfig: a, clusterIdentifier: "y" },
    ["clusterIdentifier"],
    ["clusterIdentifier"],
  ],
  [
    "another identifier, unknown",
    { kubeconfig: a, clusterIdentifier: "x" },
    { kubeconfig: unknown, clusterIdentifier: "y" },
    ["kubeconfig"],
    ["clusterIdentifier", "kubeconfig"],
  ],
  ["an identifier is added", { kubeconfig: a }, { kubeconfig: a, clusterIdentifier: "y" }, ["clusterIdentifier"], []],
  [
    "manifests go elsewhere",
    { renderYamlToDirectory: "a" },
    { renderYamlToDirectory: "b" },
    ["renderYamlToDirectory"],
    ["renderYamlToDirectory"],
  ],
] as const)("%s", ([, olds, news, changed, replacing]) => {
  expect(kubernetesConfigDifference(olds, news)).toEqual({ changed, replacing });
});

test("a kubeconfig can be YAML, an object, or a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubeconfig-"));
  const file = join(folder, "config");
  writeFileSync(file, b);
  const yaml = [
    "current-context: one",
    "contexts: [{ name: one, context: { cluster: one } }]",
    "clusters: [{ name: one, cluster: { server: https://b } }]",
  ].join("\n");
  const isSame = (kubeconfig: unknown) =>
    kubernetesConfigDifference({ kubeconfig: b }, { kubeconfig }).replacing.length === 0;
  expect([yaml, config("https://b"), file].map(isSame)).toEqual([true, true, true]);
  expect([yaml.replace("//b", "//c"), config("https://c")].map(isSame)).toEqual([false, false]);
  rmSync(folder, { recursive: true });
});
