import { isOutput, requirePlainValue } from "../../core/outputs";
import type { Problem } from "../../core/problems";
import { gpuOperatorChart } from "../../core/versions";

/** Where Helm finds the chart, in the two forms a Release takes. */
export interface ChartSource {
  /** A name inside `repositoryOpts.repo`, or the full reference in an OCI registry. */
  readonly chart: string;
  readonly repositoryOpts?: { readonly repo: string };
}

/** An OCI registry has no index: the chart's name belongs to the reference. It is added unless it is there. */
export function chartSource(repository: string): ChartSource {
  const { name } = gpuOperatorChart;
  const base = repository.replace(/\/+$/, "");
  if (!base.startsWith("oci://")) return { chart: name, repositoryOpts: { repo: base } };
  return { chart: base.endsWith(`/${name}`) ? base : `${base}/${name}` };
}

/** Everything that is wrong with the address of a chart repository: NVIDIA's own or a mirror. */
export function repositoryProblems(got: unknown, path: string): Problem[] {
  const fix = `set ${path} to an https:// repository such as "${gpuOperatorChart.repository}", or to an oci:// registry`;
  const refused = (why: string, remedy = fix, shown = got): Problem[] => [
    { code: "not-allowed", path, got: shown, why, fix: remedy },
  ];
  if (isOutput(got)) return requirePlainValue(path);
  if (typeof got !== "string") return [{ code: "wrong-type", path, got, why: "It must be a text.", fix }];
  const url = URL.canParse(got) ? new URL(got) : undefined;
  if (!url || url.host === "") return refused("It is not the URL of a chart repository.");
  if (url.username !== "" || url.password !== "") {
    const remedy = `take the login out of ${path} and pass it as secrets with transform.release`;
    return refused("A login in the URL would stand in every plan and in the state.", remedy, withoutLogin(got));
  }
  if (url.protocol !== "https:" && url.protocol !== "oci:") {
    return refused("The chart installs privileged pods, so it must come over a connection that proves its origin.");
  }
  if (url.protocol === "oci:" && /[:@]/.test(url.pathname)) {
    return refused(
      "The tag or digest would contradict chartVersion.",
      `leave it out of ${path} and state chartVersion`,
    );
  }
  return [];
}

function withoutLogin(url: string): string {
  return url.replace(/\/\/.*@/, "//***@");
}
