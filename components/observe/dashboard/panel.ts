import type { JsonObject } from "../../gpu/operator/values";

/** A Prometheus query and its legend, in which `{{node}}` is a label. */
interface Query {
  readonly expr: string;
  readonly legend: string;
}

/** The color from a value on. The first threshold applies below all others and has no `from`. */
interface Threshold {
  readonly from?: number;
  readonly color: "green" | "yellow" | "red" | "blue";
}

/** One panel of a dashboard. */
export interface Panel {
  readonly type: "timeseries" | "stat" | "state-timeline" | "table";
  readonly title: string;
  /** Shown in the panel's info tooltip. */
  readonly description: string;
  readonly queries: readonly Query[];
  /** Unit of the numbers, by Grafana's id. @see https://github.com/grafana/grafana/blob/main/packages/grafana-data/src/valueFormats/categories.ts */
  readonly unit?: "none" | "short" | "percent" | "percentunit" | "mbytes" | "celsius" | "watt" | "h";
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

/** The Prometheus that the reader selects at the top. */
const datasource = { type: "prometheus", uid: "${datasource}" } as const;

export function panelJson(panel: Panel, { id, x, y }: Readonly<Record<"id" | "x" | "y", number>>): JsonObject {
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
    // The axis begins at zero, so that heights are proportional to values.
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

/** Hides two columns that every result has and no reader needs. */
const withoutColumns = { id: "organize", options: { excludeByName: { Time: true, Value: true } } } as const;
