import type { Properties } from "../../../components/core/wire";
import { defaultAccount } from "../../../simulation/aws/account";
import { awsFunctions, awsModels, eksModels } from "../../../simulation/aws/models";
import { types } from "../../../simulation/aws/types";
import { CloudError } from "../../../simulation/cloud/errors";
import type { Account, CloudObject } from "../../../simulation/cloud/model";
import { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

/** An empty cloud in which nothing takes time, without models of EKS. */
export function newCloud(account: Partial<Account> = {}): SimulatedCloud {
  return new SimulatedCloud({
    models: awsModels,
    functions: awsFunctions,
    account: { ...defaultAccount(), ...account },
  });
}

/** The same with models of EKS, whose objects prevent the deletion of their dependencies. */
export function newCloudWithEks(): SimulatedCloud {
  return new SimulatedCloud({
    models: [...awsModels, ...eksModels],
    functions: awsFunctions,
    account: defaultAccount(),
  });
}

/** The code and message of the error, or "done". */
export async function answer(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "done";
  } catch (error) {
    if (error instanceof CloudError) return error.message;
    throw error;
  }
}

/** A VPC with a public subnet, an internet gateway and an address. */
export async function makeNetwork(cloud: SimulatedCloud, cidrBlock = "10.0.0.0/16") {
  const vpc = await cloud.create(types.vpc, {
    cidrBlock,
    enableDnsSupport: true,
    enableDnsHostnames: true,
    tags: { Name: "lab" },
  });
  const subnet = await cloud.create(types.subnet, {
    vpcId: vpc.id,
    cidrBlock: cidrBlock.replace("/16", "/22"),
    availabilityZone: "ap-northeast-2a",
    mapPublicIpOnLaunch: true,
  });
  const gateway = await cloud.create(types.internetGateway, { vpcId: vpc.id });
  return { vpc, subnet, gateway };
}

/** Adds an object without a request. */
export function put(
  cloud: SimulatedCloud,
  type: string,
  id: string,
  inputs: Properties,
  computed: Properties = {},
): CloudObject {
  return cloud.put({ type, id, inputs, computed });
}

/** A trust policy for a service. */
export const trust = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }],
});

/** A policy that allows something. */
export const permission = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Action: "ec2:DescribeInstances", Resource: "*" }],
});

/** The trust policy of a role that EventBridge Scheduler assumes. */
export const schedulerTrust = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Allow", Principal: { Service: "scheduler.amazonaws.com" }, Action: "sts:AssumeRole" }],
});

/** The policy of a queue. */
export const queuePolicy = JSON.stringify({
  Version: "2012-10-17",
  Statement: [{ Effect: "Deny", Principal: { AWS: "*" }, Action: "sqs:*", Resource: "*" }],
});

/** A schedule without a target. */
export const nightly = { scheduleExpression: "cron(0 22 * * ? *)", flexibleTimeWindow: { mode: "OFF" } };
