import type { Series } from "../promtool";

/** Values from the start to the end of every test, three hours in minutes. */
export const always = (value: number): string => `${value}x180`;
/** One value until a minute, another from then on. */
export const step = (before: number, minute: number, after: number): string =>
  `${before}x${minute - 1} ${always(after)}`;
/** Nothing until a minute, a value from then on. */
export const since = (minute: number, value: number): string => `_x${minute} ${always(value)}`;
/** A value until a minute, and the end of the series. */
export const until = (minute: number, value: number): string => `${value}x${minute - 1} stale`;

/** A series of kube-state-metrics, with the labels that a scrape adds. */
export function ksm(metric: string, labels: Readonly<Record<string, string>>, values: string): Series {
  return { [selector(metric, { ...labels, job: "kube-state-metrics", instance: "192.168.1.10:8080" })]: values };
}

export function selector(metric: string, labels: Readonly<Record<string, string>>): string {
  return `${metric}{${Object.entries(labels)
    .map(([key, value]) => `${key}="${value}"`)
    .join(",")}}`;
}

/** The same series, of which none is there from a minute on, for some minutes. */
export function interrupted(series: Series, minute: number, minutes: number): Series {
  const before = (values: string) => values.replace("x180", `x${minute - 1}`);
  return Object.fromEntries(
    Object.entries(series).map(([name, values]) => [name, `${before(values)} stale _x${minutes - 1} ${values}`]),
  );
}

/** The same cluster seen by two replicas of kube-state-metrics. */
export function seenTwice(series: Series): Series {
  const again = Object.entries(series)
    .filter(([name]) => name.startsWith("kube_"))
    .map(([name, values]): [string, string] => [name.replace("192.168.1.10", "192.168.2.20"), values]);
  return { ...series, ...Object.fromEntries(again) };
}
