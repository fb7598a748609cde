import { indexOf, inputsOf, type ResourceIndex } from "../facts/resource-index";
import type { RecordedResource, Recording } from "../record/record";

/** What the price of a resource depends on in addition to its own inputs. */
export interface PricingContext {
  readonly index: ResourceIndex;
  readonly now: Date;
  /** The region of a resource: its own, else its provider's, else the stack's. */
  regionOf(resource: RecordedResource): string;
}

export interface PricingOptions {
  /** The date at which the support of Kubernetes versions is evaluated. @default today - a plan is about to be applied */
  readonly now?: Date;
}

export function pricingContext(recording: Recording, region: string, options: PricingOptions): PricingContext {
  const index = indexOf(recording);
  const providerRegion = (provider = "") => {
    // A provider reference is the provider's URN and its id, joined by "::".
    const resource = index.byUrn(provider.slice(0, provider.lastIndexOf("::")));
    return resource && inputsOf(resource).text("region").value;
  };
  return {
    index,
    now: options.now ?? new Date(),
    regionOf: (resource) =>
      inputsOf(resource).text("region").value ?? providerRegion(resource.provider ?? resource.awsProvider) ?? region,
  };
}
