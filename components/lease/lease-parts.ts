import type * as pulumi from "@pulumi/pulumi";
import type { childOptions } from "../core/options";
import type { ValueOf } from "../core/schema";
import type { labLease, LabLeaseTransform } from "./lab-lease-schema";

/** What is needed to create each part of a lease. */
export interface LeaseParts {
  readonly name: string;
  readonly settings: Pick<ValueOf<typeof labLease>, "nightly" | "timeZone" | "expiresAt" | "alarmTopicArns">;
  readonly transform: LabLeaseTransform;
  /** Prefix of the names in AWS. */
  readonly namePrefix: pulumi.Output<string>;
  readonly tags: Readonly<Record<string, pulumi.Input<string>>>;
  readonly options: ReturnType<typeof childOptions>;
}
