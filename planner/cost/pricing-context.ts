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

/** In place of the name of a region that a resource or its provider gets from another resource. It has no prices. */
const unknownRegion = "a region that is known only after the update";

function statedRegion(resource: RecordedResource): string | undefined {
  const region = inputsOf(resource).text("region");
  return region.isAbsent === true ? undefined : (region.value ?? unknownRegion);
}

export function pricingContext(recording: Recording, region: string, options: PricingOptions): PricingContext {
  const index = indexOf(recording);
  const providerRegion = (provider = "") => {
    // A provider reference is the provider's URN and its id, joined by "::".
    const resource = index.byUrn(provider.slice(0, provider.lastIndexOf("::")));
    return resource && statedRegion(resource);
  };
  return {
    index,
    now: options.now ?? new Date(),
    regionOf: (resource) =>
      statedRegion(resource) ?? providerRegion(resource.provider ?? resource.awsProvider) ?? region,
  };
}
