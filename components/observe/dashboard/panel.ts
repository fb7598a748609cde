import type { JsonObject } from "../../gpu/operator/values";

/** A question to Prometheus, and what stands in the legend: `{{node}}` is a label. */
export interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** A value from which on something has another colour; the first has none, and no `from`. */
export interface Threshold {
  readonly from?: number;
  readonly color: "green" | "yellow" | "red" | "blue";
}

/** One picture of a dashboard. */
export interface Panel {
  readonly type: "timeseries" | "stat" | "state-timeline" | "table";
  readonly title: string;
  /** What a reader should know; shown behind an (i). */
  readonly description: string;
  readonly queries: readonly Query[];
  /** How numbers are written, in Grafana's names. @see https://github.com/grafana/grafana/blob/main/packages/grafana-data/src/valueFormats/categories.ts */
  readonly unit?: "none" | "short" | "percent" | "mbytes" | "celsius" | "watt" | "h";
  readonly thresholds?: readonly Threshold[];
  /** Words for numbers, e.g. `{ "0": "not ready" }`. */
  readonly words?: Readonly<Record<string, { readonly text: string; readonly color: Threshold["color"] }>>;
  /** In 24ths of the width. */
  readonly width: 4 | 6 | 8 | 12 | 24;
  readonly height: 4 | 8;
}

/** Panels under a heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Whichever Prometheus the reader has chosen at the top. */
const datasource = { type: "prometheus", uid: "${datasource}" } as const;

/** Where a panel stands. */
export interface Place {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

export function panelJson(panel: Panel, { id, x, y }: Place): JsonObject {
  const isNow = panel.type === "stat" || panel.type === "table";
  return {
    id,
    type: panel.type,
    title: panel.title,
    description: panel.description,
    datasource,
    gridPos: { x, y, w: panel.width, h: panel.height },
    targets: panel.queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + i),
      datasource,
      expr,
      legendFormat: legend,
      ...(isNow ? { instant: true, range: false } : { instant: false, range: true }),
      ...(panel.type === "table" && { format: "table" }),
    })),
    fieldConfig: { defaults: fieldDefaults(panel), overrides: [] },
    options: optionsOf(panel),
    ...(panel.type === "table" && { transformations: [withoutColumns] }),
  };
}

function fieldDefaults({ type, unit = "none", thresholds = [{ color: "green" }], words }: Panel): JsonObject {
  const steps = thresholds.map(({ from, color }) => ({ color, value: from ?? null }));
  const options = Object.fromEntries(
    Object.entries(words ?? {}).map(([value, word], index) => [value, { ...word, index }]),
  );
  return {
    unit,
    thresholds: { mode: "absolute", steps },
    mappings: words ? [{ type: "value", options }] : [],
    // Zero belongs into the picture: half a gigabyte more is not twice as high.
    ...(type === "timeseries" && { min: 0, custom: { fillOpacity: 10, showPoints: "never" } }),
  };
}

function optionsOf({ type }: Panel): JsonObject {
  switch (type) {
    case "timeseries":
      return { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } };
    case "stat":
      return {
        colorMode: "value",
        graphMode: "none",
        reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
      };
    case "state-timeline":
      return { mergeValues: true, showValue: "auto", legend: { displayMode: "list", placement: "bottom" } };
    case "table":
      return { showHeader: true };
  }
}

/** What every answer has and nobody wants to read. */
const withoutColumns = { id: "organize", options: { excludeByName: { Time: true, Value: true } } } as const;
