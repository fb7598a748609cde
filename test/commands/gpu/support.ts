import type { Console } from "../../../commands/core/command";
import { runGpu } from "../../../commands/gpu/gpu";
import { expect } from "vitest";
import { fineAccount } from "../../aws/account/support/answers";
import { activities, cluster, instances } from "./session/support/answers";
import { secretKey, sessionToken, useAws } from "../../support/aws-environment";
import { awsServer, type Answers, type Params } from "../../support/aws-server";
import { captured } from "../../support/cli";

export const place = ["--cluster", "myeks", "--nodegroup", "gpu", "--region", "ap-northeast-2"];
export const quota = "You have requested more vCPU capacity than your current vCPU limit of 0 allows.";
export const none: Answers = {
  ...fineAccount,
  DescribeAutoScalingGroups: () => instances(),
  DescribeScalingActivities: () => activities(),
  DescribeCluster: () => cluster("https://none.example"),
};

/** Runs a command on an AWS with these answers. */
export async function gpu(answers: Answers, args: readonly string[], overrides: Partial<Console> = {}) {
  const aws = await awsServer({ ...none, ...answers });
  useAws(aws.endpoint);
  const run = (console: Console) => runGpu([...args, ...place], console, { intervalMs: 10 });
  const { status, out, err } = await captured(run, overrides);
  expect(out + err).not.toContain(secretKey);
  expect(out + err).not.toContain(sessionToken);
  return { status, out, err, operations: aws.operations, changes: aws.paramsOf("UpdateNodegroupConfig") };
}

/** The same answer to each request up to a number of them, then another. */
export function after<T>(count: number, first: T, then: T): (params: Params, number: number) => T {
  return (_, number) => (number > count ? then : first);
}
