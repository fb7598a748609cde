import { describeVersion } from "../../components/core/reader/describe";
import { Reader, Undetermined } from "../engine/values";
import type { Resource } from "../engine/resource";
import { olmPackage } from "./cluster-creators";
import { chartIn } from "./custom-charts";
import type { InstalledChart } from "./installed-chart";

/**
 * The package of a Subscription, as the chart of the same software. A startingCSV is the package and a version, such as
 * `gpu-operator-certified.v26.3.1`. Another object has the values: of the GPU Operator, a ClusterPolicy.
 * @see https://github.com/operator-framework/api/blob/3ad16e7a/pkg/operators/v1alpha1/subscription_types.go
 */
export function packageOf(subscription: Resource): InstalledChart {
  const { reference, version, values } = chartIn(subscription, olmPackage);
  return {
    reference: reference.map((name) => name.replace(/-certified$/, ""), String),
    version: version.map((csv) => /\.(v\d.*)$/.exec(csv)?.[1] ?? csv, describeVersion),
    values: new Reader(undefined, values.path),
    hidden: { isSome: new Undetermined([]), path: values.path },
  };
}
