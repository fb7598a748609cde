import type { Reader } from "../../../components/core/reader/reader";
import type { Reading } from "../../../components/core/reader/reading";
import { any, type Truth } from "../../../components/core/reader/truth";
import { someOf } from "./each";
import type { PodTemplate } from "./pod-template";

/** What NVIDIA's device plugin offers: whole GPUs, GPUs shared in time, and partitions such as `nvidia.com/mig-1g.5gb`. */
const gpuResource = /^nvidia\.com\/(gpu(\.shared)?|mig-.+)$/;

/** A resource of a container, by its name. */
export type Entry = readonly [name: string, amount: Reader];

/** The GPUs among a container's limits or requests; an amount of null is none. */
export function gpuEntries(container: Reader, kind: "limits" | "requests"): Reading<readonly Entry[]> {
  const entries = container.entries(`resources.${kind}`);
  return entries.map(
    (given) => given.filter(([name, amount]) => gpuResource.test(name) && quantity(amount).isAbsent !== true),
    () => entries.shown,
  );
}

/** Whether a container of these pods has a limit of GPUs above 0: without one it gets none. */
export function asksForGpu(pod: PodTemplate): Truth {
  return pod.someContainer(containerAsksForGpu);
}

export function containerAsksForGpu(container: Reader): Truth {
  return someOf(gpuEntries(container, "limits"), ([, amount]) => quantity(amount).is((number) => number > 0));
}

const suffixes: Readonly<Record<string, number>> = { "": 1, m: 0.001, k: 1e3, Ki: 1024, M: 1e6, Mi: 1024 ** 2 };

/**
 * An amount as Kubernetes writes it: 1, "1", or with a suffix, "1000m". Amounts of devices have no other suffixes.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function quantity(amount: Reader): Reading<number> {
  const whole = amount.integer();
  const written = amount.text().map((text) => {
    const [, digits, suffix = ""] = /^(\d{1,15})([a-zA-Z]{0,2})$/.exec(text) ?? [];
    const factor = Object.hasOwn(suffixes, suffix) ? suffixes[suffix] : undefined;
    return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
  }, String);
  return written.is(() => true) === true ? written : whole;
}

/** Whether an amount is there and no whole number of `least` or more. */
export function isNoCount(amount: Reading<number>, least: number): Truth {
  return any(
    amount.isMalformed,
    amount.is((number) => !Number.isSafeInteger(number) || number < least),
  );
}
