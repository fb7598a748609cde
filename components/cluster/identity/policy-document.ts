/** The part of the IAM policy grammar that this library uses. */
export interface PolicyDocument {
  readonly Version: "2012-10-17";
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: "Allow" | "Deny";
  /** In trust and key policies only. */
  readonly Principal?: Readonly<Record<string, string | readonly string[]>>;
  readonly Action: string | readonly string[];
  /** Not in trust policies. */
  readonly Resource?: string | readonly string[];
  readonly Condition?: PolicyCondition;
}

/** Operator (`StringEquals`) to condition key to values. */
export type PolicyCondition = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/**
 * Most characters of all inline policies of a role together, without white space.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
 */
export const inlinePolicyLimit = 10_240;

export function policyDocument(...statements: readonly PolicyStatement[]): PolicyDocument {
  return { Version: "2012-10-17", Statement: statements };
}

export function allow(
  sid: string,
  actions: readonly string[],
  resources: string | readonly string[],
  condition?: PolicyCondition,
): PolicyStatement {
  const statement = { Sid: sid, Effect: "Allow", Action: actions, Resource: resources } as const;
  return condition ? { ...statement, Condition: condition } : statement;
}

/** Allows an AWS service to assume a role. Both EKS services also tag the session, which is a separate action. */
export function trust(sid: string, service: string, condition?: PolicyCondition): PolicyDocument {
  const statement = {
    Sid: sid,
    Effect: "Allow",
    Principal: { Service: service },
    Action: ["sts:AssumeRole", "sts:TagSession"],
  } as const;
  return policyDocument(condition ? { ...statement, Condition: condition } : statement);
}

/** Characters of a policy that count toward {@link inlinePolicyLimit}. */
export function policySize(policy: object): number {
  return JSON.stringify(policy).replace(/\s/g, "").length;
}

/** Most characters that IAM accepts as the prefix of a role's name; IAM appends 26 characters. */
export const namePrefixLimit = 38;

/**
 * Prefix of an IAM name, such as `myeks-cluster-`. AWS appends a unique suffix, so that two regions or two labs in one
 * account do not collide. The role's part is cut where both together are too long.
 */
export function iamNamePrefix(clusterName: string, role: string): string {
  return `${`${clusterName}-${role}`.slice(0, namePrefixLimit - 1)}-`;
}
