import type { Properties } from "../../../components/core/wire";
import { awsFunctions, awsKinds } from "../../../simulation/aws";
import { defaultAccount } from "../../../simulation/aws/account";
import { eksKinds } from "../../../simulation/aws/eks";
import { types } from "../../../simulation/aws/types";
import { CloudError } from "../../../simulation/world/cloud-error";
import type { WorldObject } from "../../../simulation/world/kind";
import { World, type Account } from "../../../simulation/world/world";

/** A world with nothing in it, in which nothing takes time. */
export function newWorld(account: Partial<Account> = {}): World {
  return new World({ kinds: awsKinds, functions: awsFunctions, account: { ...defaultAccount(), ...account } });
}

/** The same, where what EKS makes keeps what it stands on. */
export function newWorldWithEks(): World {
  return new World({ kinds: [...awsKinds, ...eksKinds], functions: awsFunctions, account: defaultAccount() });
}

/** The code and the words of a refusal; "done" when there is none. */
export async function answer(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return "done";
  } catch (error) {
    if (error instanceof CloudError) return error.message;
    throw error;
  }
}

/** A VPC with a public subnet, an internet gateway and an address. */
export async function makeNetwork(world: World, cidrBlock = "10.0.0.0/16") {
  const vpc = await world.create(types.vpc, {
    cidrBlock,
    enableDnsSupport: true,
    enableDnsHostnames: true,
    tags: { Name: "lab" },
  });
  const subnet = await world.create(types.subnet, {
    vpcId: vpc.id,
    cidrBlock: cidrBlock.replace("/16", "/22"),
    availabilityZone: "ap-northeast-2a",
    mapPublicIpOnLaunch: true,
  });
  const gateway = await world.create(types.internetGateway, { vpcId: vpc.id });
  return { vpc, subnet, gateway };
}

/** Puts something of EKS into the world, as it would make it. */
export function put(
  world: World,
  type: string,
  id: string,
  inputs: Properties,
  computed: Properties = {},
): WorldObject {
  return world.put({ type, id, inputs, computed });
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
