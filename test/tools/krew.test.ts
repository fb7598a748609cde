import { existsSync, readFileSync } from "node:fs";
import { load } from "js-yaml";
import * as semver from "semver";
import { expect, test } from "vitest";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly Platform[];
  };
}

interface Platform {
  readonly uri: string;
  readonly sha256: string;
  readonly bin: string;
  readonly selector: { readonly matchExpressions: readonly { readonly key: string }[] };
}

/**
 * What krew rejects.
 * @see https://github.com/kubernetes-sigs/krew/blob/master/internal/index/validation/validate.go
 */
function problemsOf({ apiVersion, kind, metadata, spec }: Manifest): string[] {
  const rules: readonly (readonly [string, boolean])[] = [
    ["apiVersion", apiVersion === "krew.googlecontainertools.github.com/v1alpha2"],
    ["kind", kind === "Plugin"],
    ["name", /^[\w-]+$/.test(metadata.name)],
    ["shortDescription", /^.+$/.test(spec.shortDescription)],
    ["version", spec.version.startsWith("v") && semver.valid(spec.version) !== null],
    ["platforms", spec.platforms.length > 0],
    ["uri", spec.platforms.every(({ uri }) => uri.startsWith("https://"))],
    ["sha256", spec.platforms.every(({ sha256 }) => /^[a-f0-9]{64}$/.test(sha256))],
    ["bin", spec.platforms.every(({ bin }) => bin !== "" && !bin.includes(".."))],
    [
      "selector",
      spec.platforms.every(
        ({ selector: { matchExpressions: all } }) =>
          all.length > 0 && all.every(({ key }) => key === "os" || key === "arch"),
      ),
    ],
  ];
  return rules.flatMap(([name, holds]) => (holds ? [] : [name]));
}

const text = readFileSync("tools/krew.yaml", "utf8");
const read = (yaml: string) => load(yaml) as Manifest;
const released = text.replace("CHECKSUM", "a".repeat(64));

test("krew accepts the manifest once a release fills in the checksum, and only then", () => {
  expect(problemsOf(read(released))).toEqual([]);
  expect(problemsOf(read(text))).toEqual(["sha256"]);
});

test.for([
  ["version: v0.1.0", "version: 0.1.0", "version"],
  ["key: os", "key: system", "selector"],
  ["name: gpu-lab", "name: gpu.lab", "name"],
  ["kind: Plugin", "kind: Plug", "kind"],
] as const)("krew rejects the manifest with %s as %s", ([before, after, problem]) => {
  expect(released).toContain(before);
  expect(problemsOf(read(released.replace(before, after)))).toEqual([problem]);
});

test("the manifest has the version, and the file of the command, of the package", () => {
  const { version, bin } = JSON.parse(readFileSync("package.json", "utf8")) as {
    version: string;
    bin: Record<string, string>;
  };
  const { metadata, spec } = read(text);
  const file = bin[`kubectl-${metadata.name.replaceAll("-", "_")}`];
  expect(spec.version).toBe(`v${version}`);
  expect(spec.platforms.map((platform) => platform.bin)).toEqual([file]);
  expect(spec.platforms.every(({ uri }) => uri.includes(`/v${version}/`))).toBe(true);
  expect(existsSync(file ?? "")).toBe(true);
});
