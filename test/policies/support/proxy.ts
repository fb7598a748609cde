import * as policy from "@pulumi/policy";

/** What the policy SDK wraps properties in; its types leave it out. Reading an unknown value throws. */
export const { unknownCheckingProxy } = policy as unknown as {
  unknownCheckingProxy: (properties: object) => Record<string, unknown>;
};
