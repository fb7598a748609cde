import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "js-yaml";
import { saySkipped } from "../../support/skips";

const missing = "promtool is not on the PATH: it comes with Debian's package prometheus (apt-get install prometheus)";

/** Whether the tests that need promtool can run. */
export const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool) {
  if (process.env["REQUIRE_PROMTOOL"] === "1") throw new Error(missing);
  saySkipped(`Tests of alerts and queries are skipped: ${missing}`);
}

/** Series by selector, with values as promtool writes them: `1x30`, `0 1 2`, `_x5 1x10`. */
export type Series = Readonly<Record<string, string>>;

export interface ExpectedAlert {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What fires at one moment; every other alert that is named must be silent. */
export interface Moment {
  readonly at: string;
  readonly firing: readonly ExpectedAlert[];
}

/** Runs `promtool test rules` on a minute's raster. Returns what it complains about, or an empty string. */
export function complaintsOf(
  rules: string,
  names: readonly string[],
  series: Series,
  moments: readonly Moment[],
): string {
  return complaints(rules, series, {
    alert_rule_test: moments.flatMap(({ at, firing }) =>
      names.map((alertname) => ({
        eval_time: at,
        alertname,
        exp_alerts: firing
          .filter(({ alert }) => alert === alertname)
          .map(({ labels, annotations }) => ({ exp_labels: labels, exp_annotations: annotations })),
      })),
    ),
  });
}

/** What promtool complains about where an expression has not one value, without labels, ten minutes in. */
export function complaintsOfValue(expr: string, series: Series, value: number): string {
  const wanted = { expr, eval_time: "10m", exp_samples: [{ labels: "{}", value }] };
  return complaints("groups: []", series, { promql_expr_test: [wanted] });
}

function complaints(rules: string, series: Series, tests: object): string {
  const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const file = {
    rule_files: ["rules.yaml"],
    evaluation_interval: "1m",
    tests: [{ interval: "1m", input_series, ...tests }],
  };
  const files = { "rules.yaml": rules, "test.yaml": dump(file, { lineWidth: -1, noRefs: true }) };
  return inFolder(files, (folder) => {
    // It ends in a second, and needs a quarter less of it with fewer collections of garbage.
    const options = { cwd: folder, env: { ...process.env, GOGC: "400" } };
    const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", "test.yaml"], options);
    return status === 0 ? "" : `${stdout.toString()}${stderr.toString()}`;
  });
}

/** What `promtool check rules` says of a rules file; throws where it is wrong. */
export function checkRules(rules: string): string {
  return inFolder({ "rules.yaml": rules }, (folder) =>
    execFileSync("promtool", ["check", "rules", "rules.yaml"], { cwd: folder, stdio: "pipe" }).toString(),
  );
}

function inFolder<Result>(files: Readonly<Record<string, string>>, work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "promtool-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
