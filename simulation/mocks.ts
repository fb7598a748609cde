import type { runtime } from "@pulumi/pulumi";
import { asRpcError, unwrap, withSecretsOf, type Properties } from "../components/core/wire";
import { refuse, type Problem } from "../components/core/problems";
import { ownValue } from "../components/core/reader/records";
import { isRegion } from "../components/core/region";
import type { Invocation } from "../planner/record/offline-monitor";
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
 * mocks do not know returns its arguments. Resources and lookups of a provider are in its region.
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
  const ofProviders = new Map<string, unknown>();
  /** What the arguments state, then what the provider states. */
  const regionFor = (inputs: Properties, provider: string | undefined) => {
    const stated = inputs["region"] ?? ofProviders.get(provider?.split("::")[3] ?? "");
    return typeof stated === "string" ? { region: stated } : {};
  };
  return {
    newResource: ({ type, name, inputs, id: given, provider }) => {
      const wire = inputs as Properties;
      const { properties } = unwrap(wire);
      if (type === "pulumi:providers:aws") ofProviders.set(name, properties["region"]);
      const { id = given || name, ...computed } = cloud.outputsOf({
        ...{ type, name, inputs: properties, ...regionFor(properties, provider) },
        ...(given && { id: given }),
      });
      const outputs = ownValue(outputsOf, type)?.(name, properties, cloud) ?? computed;
      return { id: String(id), state: withSecretsOf({ ...properties, ...outputs }, wire) };
    },
    call: ({ token, inputs, provider }) => {
      const { properties } = unwrap(inputs as Properties);
      try {
        const invocation = { isAwaited: false, ...regionFor(properties, provider) };
        return { ...properties, ...answer(cloud, token, properties, invocation) };
      } catch (error) {
        throw asRpcError(error instanceof CloudError ? new Error(`${error.message}\n${lookupFix(token)}`) : error);
      }
    },
  };
}

function wrongRegion(got: string): Problem {
  const why = "Must be the name of an AWS region.";
  return { code: "not-allowed", path: "region", got, why, fix: "use, for example, eu-west-1" };
}

/** Outputs of what the simulated cloud has no model of, by type. */
const outputsOf: Readonly<Record<string, (name: string, inputs: Properties, cloud: ResolvedCloud) => Properties>> = {
  [kubernetesTypes.release]: releaseOutputs,
  "awsx:ec2:Vpc": vpcOutputs,
};

/** Answers of functions that the simulated cloud does not know. */
const answers: Readonly<Record<string, Properties>> = {
  "aws:ec2/getAmi:getAmi": { id: "ami-0123456789abcdef0", imageId: "ami-0123456789abcdef0", architecture: "x86_64" },
};

function lookupFix(token: string): string {
  return `fix: create the object in the test before the lookup, or answer ${token} in a call() that wraps the call() of mocks()`;
}

function vpcOutputs(name: string, inputs: Properties, cloud: ResolvedCloud): Properties {
  const { cidrBlock = "10.0.0.0/16", numberOfAvailabilityZones: count = 3 } = inputs;
  const vpc = cloud.outputsOf({ type: "aws:ec2/vpc:Vpc", name, inputs: { cidrBlock } });
  const { names } = cloud.call("aws:index/getAvailabilityZones:getAvailabilityZones", {});
  const subnetIds = (kind: string) =>
    (names as readonly string[]).slice(0, Number(count)).map((availabilityZone, place) => {
      const inputs = { vpcId: vpc["id"], cidrBlock: "10.0.0.0/24", availabilityZone };
      return cloud.outputsOf({ type: "aws:ec2/subnet:Subnet", name: `${name}-${kind}-${place + 1}`, inputs })["id"];
    });
  const ids = { publicSubnetIds: subnetIds("public"), privateSubnetIds: subnetIds("private"), isolatedSubnetIds: [] };
  return { vpc, vpcId: vpc["id"], ...ids };
}

function releaseOutputs(resource: string, inputs: Properties): Properties {
  const { name = resource, namespace = "default", chart, version } = inputs;
  return { status: { name, namespace, chart, version, revision: 1, status: "deployed" } };
}

function answer(cloud: ResolvedCloud, token: string, args: Properties, invocation: Invocation): Properties {
  const { region } = invocation;
  try {
    return { ...ownValue(answers, token), ...cloud.call(token, args, invocation) };
  } catch (error) {
    if (token !== "aws:eks/getCluster:getCluster" || !(error instanceof CloudError)) throw error;
    const name = String(args["name"]);
    const role = cloud.outputsOf({ type: "aws:iam/role:Role", name, inputs: {}, region });
    const network = { vpcId: "vpc-0123456789abcdef0", cidrBlock: "10.0.0.0/24" };
    const subnet = cloud.outputsOf({ type: "aws:ec2/subnet:Subnet", name, inputs: network, region });
    const inputs = { name, roleArn: role["arn"], vpcConfig: { subnetIds: [subnet["id"]] } };
    cloud.outputsOf({ type: "aws:eks/cluster:Cluster", name, inputs, region });
    return cloud.call(token, args, invocation);
  }
}
