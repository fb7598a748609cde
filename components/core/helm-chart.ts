import * as semver from "semver";
import * as v from "valibot";
import type { Problem } from "./problems";
import { check, text, wholeNumber } from "./schema";

/** A chart as components/core/versions.ts pins it. */
export interface Chart {
  readonly name: string;
  readonly version: string;
  readonly repository: string;
}

/** One exact version of a chart. */
export function chartVersion(chart: Chart) {
  const fix = `set {path} to one exact version, such as "${chart.version}"`;
  return v.pipe(
    text(`${fix}, in quotes`),
    check((got: string, path) => {
      if (semver.valid(got) !== null) return [];
      const why = "Must be an exact version: a range installs different charts over time.";
      return [{ code: "version", path, got, why, fix: fix.replace("{path}", path) }];
    }),
  );
}

/** An https chart repository, or also an OCI registry if `oci` is set. The URL must not contain a login. */
export function chartRepository(chart: Chart, { oci = false }: { oci?: boolean } = {}) {
  const fix = `set {path} to an https:// repository such as "${chart.repository}"${oci ? ", or to an oci:// registry" : ""}`;
  return v.pipe(
    text(fix),
    check((got: string, path) => urlProblems(got, path, oci, fix.replace("{path}", path))),
  );
}

function urlProblems(got: string, path: string, oci: boolean, fix: string): Problem[] {
  const refused = (why: string, remedy = fix, shown = got): Problem[] => [
    { code: "not-allowed", path, got: shown, why, fix: remedy },
  ];
  const url = URL.canParse(got) ? new URL(got) : undefined;
  if (!url || url.host === "") return refused("Must be the URL of a chart repository.");
  if (url.username !== "" || url.password !== "") {
    const remedy = `remove the login from ${path}, and pass it as secrets with transform.release`;
    return refused(
      "Must not contain a login, which every plan and the state would show.",
      remedy,
      got.replace(/\/\/.*@/, "//***@"),
    );
  }
  if (url.protocol !== "https:" && !(oci && url.protocol === "oci:")) {
    return refused("A chart creates privileged objects, so it must come over an encrypted, authenticated connection.");
  }
  if (url.protocol === "https:" || !/[:@]/.test(url.pathname)) return [];
  return refused(
    "Must not contain a tag or digest: chartVersion sets the version.",
    `remove it from ${path}, and set chartVersion`,
  );
}

/** How long Helm waits for a chart's pods. */
export function installTimeout() {
  return wholeNumber({ min: 60, max: 3600, unit: "seconds" });
}

/**
 * The chart of a Release: a name inside `repositoryOpts.repo`, or the full reference in an OCI registry, which has no
 * index, so the reference ends with the chart's name.
 */
export function chartSource(repository: string, name: string) {
  const base = repository.replace(/\/+$/, "");
  if (!base.startsWith("oci://")) return { chart: name, repositoryOpts: { repo: base } };
  return { chart: base.endsWith(`/${name}`) ? base : `${base}/${name}` };
}
