import { instanceType } from "../../components/nodes/machine/instance-types";
import type { RecordedResource, Recording } from "../record/record";
import { unknownSentinel, type Properties } from "../../components/core/wire";

/** Reads recorded inputs as they come: a value that is missing, unknown or of another type reads `undefined`. */

export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== unknownSentinel ? value : undefined;
}

/** A number, also one that a program wrote as a text. */
export function count(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export function object(value: unknown): Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Properties) : {};
}

/** The elements of a list, some of which may be unknown; `undefined` when the list itself is not known. */
export function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Whether a value is known only after the update. */
export function isUnknown(value: unknown): boolean {
  return value === unknownSentinel;
}

/** A number that falls back to a default when it is missing, but not when it is unknown. */
export function countOr(value: unknown, fallback: number | undefined): number | undefined {
  return value === undefined || value === null ? fallback : count(value);
}

/** A text that falls back to a default when it is missing, but not when it is unknown. */
export function textOr(value: unknown, fallback: string | undefined): string | undefined {
  return value === undefined || value === null ? fallback : text(value);
}

/** A recording as the cost of its resources is read from it. */
export interface Reading {
  readonly now: Date;
  readonly isGpu: (instanceType: string) => boolean;
  /** The region a resource is made in: its own, else its provider's, else the stack's. */
  regionOf(resource: RecordedResource): string;
  /** The resources of one type that an input of a resource refers to. */
  referred(resource: RecordedResource, input: string, type: string): RecordedResource[];
}

export interface ReadingOptions {
  /** The day for which the support of Kubernetes versions is judged. @default today - a plan is made to be applied */
  readonly now?: Date;
  /** Tells GPU instance types. @default the catalogue, and for a type it does not list the name of its family */
  readonly isGpu?: (instanceType: string) => boolean;
}

export function readingOf(recording: Recording, region: string, options: ReadingOptions): Reading {
  const byUrn = new Map(recording.resources.map((resource) => [resource.urn, resource]));
  const providerRegion = (provider = "") => {
    // A provider reference is the provider's URN and its id, joined by "::".
    const urn = provider.slice(0, provider.lastIndexOf("::"));
    return text(byUrn.get(urn)?.inputs["region"]);
  };
  return {
    now: options.now ?? new Date(),
    isGpu: options.isGpu ?? isGpuType,
    regionOf: ({ inputs, provider }) => text(inputs["region"]) ?? providerRegion(provider) ?? region,
    referred: (resource, input, type) =>
      (resource.propertyDependencies[input] ?? []).flatMap((urn) => {
        const found = byUrn.get(urn);
        return found?.type === type ? [found] : [];
      }),
  };
}

/** EC2's GPU families are G and P, also those newer than the catalogue: g5.xlarge, gr6.4xlarge, p6-b200.48xlarge. */
function isGpuType(name: string): boolean {
  const listed = instanceType(name);
  return listed ? listed.gpus > 0 : /^(gr?|p)\d/.test(name);
}
