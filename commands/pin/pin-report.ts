import { aligned, countOf, indented, pageOf, wrapped, shellText } from "../../components/core/text";
import { textPage, type TextOptions } from "../../components/core/text-page";
import type { ComparedPin } from "./pins";

/** What `pin` did, or would do. */
export interface PinReport {
  readonly stack: string;
  readonly region: string;
  readonly kubernetesVersion: string;
  readonly pins: readonly ComparedPin[];
  /** `current`: nothing to write. `outdated`: `--check` found something. `planned`: a dry run. */
  readonly outcome: "current" | "outdated" | "planned" | "written";
  /** The command that writes the pins; none if there is nothing to write. */
  readonly command?: readonly string[];
}

/** The pins that a new version replaces. */
export function changesOf(pins: readonly ComparedPin[]): (ComparedPin & { readonly wanted: string })[] {
  return pins.flatMap((pin) => (pin.wanted === undefined ? [] : [{ ...pin, wanted: pin.wanted }]));
}

/** Whether `--check` fails: a newer version fits, or a pin is not published any more. */
export function isOutdated({ status }: ComparedPin): boolean {
  return status === "newer" || status === "gone";
}

const endings: Readonly<Record<PinReport["outcome"], string>> = {
  current: "Nothing to write.",
  outdated: "Nothing was written. To write the new versions, run eks-gpu-lab pin without --check, or:",
  planned: "Nothing was written. pin would run:",
  written: "Written to the configuration of the stack; pulumi preview shows what changes. pin ran:",
};

/** The report for people. Colors add no information. */
export function renderPins(report: PinReport, options: TextOptions): string {
  const { stack, region, kubernetesVersion, pins, outcome, command } = report;
  const { colors, width } = textPage(options);
  const title = `Pins of stack ${stack}`;
  const rows = pins.map((pin) => [pin.status, pin.key, versionText(pin)]);
  const notes = pins.filter(({ note }) => note !== undefined).map(({ key, note }) => `${key}: ${note}`);
  const count = pins.filter(isOutdated).length;
  return pageOf([
    [`${colors.bold(title)}: Kubernetes ${kubernetesVersion} in ${region}`],
    indented(aligned(rows, [{}, {}, { flexible: true }], width - 2)),
    notes.flatMap((note) => wrapped(note, width)),
    [
      `${countOf(pins.length, "pin")}: ${count} outdated, ${pins.filter(({ status }) => status === "unread").length} not read`,
      ...wrapped(endings[outcome], width),
      ...(command ? indented([shellText(command)]) : []),
    ],
  ]);
}

function versionText({ current = "none", wanted, standard }: ComparedPin): string {
  const change = wanted === undefined ? current : `${current} -> ${wanted}`;
  return standard === undefined || standard === (wanted ?? current) ? change : `${change} (EKS's default: ${standard})`;
}

/** The JSON document. Keys are added, never renamed. */
export function pinDocument(report: PinReport): Readonly<Record<string, unknown>> {
  const { stack, region, kubernetesVersion, pins, outcome, command } = report;
  return {
    ...{ kind: "Pins", version: 1, outcome, stack, region, kubernetesVersion },
    pins: pins.map(({ key, current, status, wanted, standard, note }) => ({
      ...{ key, status, current: current ?? null, wanted: wanted ?? null },
      ...{ default: standard ?? null, note: note ?? null },
    })),
    command: command ?? null,
  };
}
