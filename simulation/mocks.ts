import type { runtime } from "@pulumi/pulumi";
import { asRpcError, unwrap, withSecretsOf, type Properties } from "../components/core/wire";
import { refuse, type Problem } from "../components/core/problems";
import { isRegion } from "../components/core/region";
import { CloudError } from "./cloud/errors";
import { kubernetesTypes } from "./kubernetes/cluster-objects";
import { resolvedCloud, type ResolvedCloud } from "./resolved-cloud";

/** The account of the mocks. */
export interface MockOptions {
  /** @default "ap-northeast-2" */
  readonly region?: string;
  /** Names of the availability zones, in the order in which AWS returns them. @default those of a new account */
  readonly zones?: readonly string[];
  /** The account id. @default "123456789012" */
  readonly account?: string;
}

/**
 * Mocks for unit tests of programs that use this library: `await pulumi.runtime.setMocks(mocks())`. The AWS
 * resources of the library get an id and the outputs that AWS computes, such as their ARN. Other resources get an id and
 * their arguments. The lookups of the library get answers. Nothing is sent to AWS.
 *
 * Set them once in a test file, before the first resource. To add or replace an answer, wrap the two functions:
 * `const { newResource, call } = mocks()`.
 *
 * Invalid arguments of a component are an `InputError`, as without mocks. AWS's own checks are not made. A lookup of an
 * object that the test did not create fails, except `getCluster`: a cluster exists under each name. A lookup that the
 * mocks do not know returns its arguments.
 *
 * @param options the account @default an account in Seoul
 * @throws InputError if `region` is not the name of an AWS region
 */
export function mocks({ region = "ap-northeast-2", zones, account }: MockOptions = {}): runtime.Mocks {
  refuse("mocks", isRegion(region) ? [] : [wrongRegion(region)]);
  const cloud = resolvedCloud(region, {
    ...(account !== undefined && { accountId: account }),
    ...(zones && { zones }),
  });
  return {
    newResource: ({ type, name, inputs, id: given }) => {
      const wire = inputs as Properties;
      const { properties } = unwrap(wire);
      const { id = given || name, ...computed } = cloud.outputsOf({
        ...{ type, name, inputs: properties },
        ...(given && { id: given }),
      });
      const outputs = type === kubernetesTypes.release ? releaseOutputs(name, properties) : computed;
      return { id: String(id), state: withSecretsOf({ ...properties, ...outputs }, wire) };
    },
    call: ({ token, inputs }) => {
      const { properties } = unwrap(inputs as Properties);
      try {
        return { ...properties, ...answer(cloud, token, properties) };
      } catch (error) {
        throw asRpcError(error);
      }
    },
  };
}

function wrongRegion(got: string): Problem {
  const why = "Must be the name of an AWS region.";
  return { code: "not-allowed", path: "region", got, why, fix: "use, for example, eu-west-1" };
}

function releaseOutputs(resource: string, inputs: Properties): Properties {
  const { name = resource, namespace = "default", chart, version } = inputs;
  return { status: { name, namespace, chart, version, revision: 1, status: "deployed" } };
}

function answer(cloud: ResolvedCloud, token: string, args: Properties): Properties {
  try {
    return cloud.call(token, args);
  } catch (error) {
    if (token !== "aws:eks/getCluster:getCluster" || !(error instanceof CloudError)) throw error;
    const name = String(args["name"]);
    const role = cloud.outputsOf({ type: "aws:iam/role:Role", name, inputs: {} });
    const network = { vpcId: "vpc-0123456789abcdef0", cidrBlock: "10.0.0.0/24" };
    const subnet = cloud.outputsOf({ type: "aws:ec2/subnet:Subnet", name, inputs: network });
    const inputs = { name, roleArn: role["arn"], vpcConfig: { subnetIds: [subnet["id"]] } };
    cloud.outputsOf({ type: "aws:eks/cluster:Cluster", name, inputs });
    return cloud.call(token, args);
  }
}
