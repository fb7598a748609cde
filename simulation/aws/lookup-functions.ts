import { createHash } from "node:crypto";
import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { CloudError, existing } from "../cloud/errors";
import { type CloudObject, propertyOf, type ProviderFunction, type CloudState } from "../cloud/model";
import { offlineAnswer } from "./account";
import { tagsOf } from "./ec2-lookups";
import { clusterNamed, clusterNotFound } from "./eks/common";
import { types } from "./types";
import { stringOf } from "./values";

/** Functions about existing objects. */
export const lookupFunctions: Readonly<Record<string, ProviderFunction>> = {
  "aws:eks/getClusters:getClusters": (_, cloud) => ({
    id: cloud.account.region,
    names: cloud.find(types.cluster).map(nameOf),
  }),
  "aws:eks/getCluster:getCluster": ({ name }, cloud) => {
    const cluster = existing(clusterNamed(cloud, name), clusterNotFound(stringOf(name)));
    return { ...withBlocksAsLists(outputsOf(cluster)), id: name, name };
  },
  "aws:eks/getNodeGroups:getNodeGroups": ({ clusterName }, cloud) => {
    existing(clusterNamed(cloud, clusterName), clusterNotFound(stringOf(clusterName)));
    const groups = cloud.find(types.nodeGroup, { clusterName });
    return { id: clusterName, clusterName, names: groups.map((group) => propertyOf(group, "nodeGroupName")) };
  },
  "aws:eks/getNodeGroup:getNodeGroup": ({ clusterName, nodeGroupName }, cloud) => {
    const [found] = cloud.find(types.nodeGroup, { clusterName, nodeGroupName });
    const group = existing(found, notFound(`No node group found for name: ${stringOf(nodeGroupName)}.`));
    return { ...withBlocksAsLists(outputsOf(group)), id: group.id };
  },
  "aws:eks/getAddonVersion:getAddonVersion": (args, cloud) => {
    const answer = offlineAnswer("aws:eks/getAddonVersion:getAddonVersion")(args, cloud);
    if (typeof answer["version"] === "string") return { ...answer, id: args["addonName"] };
    const addon = `${stringOf(args["addonName"])}, ${stringOf(args["kubernetesVersion"])}`;
    throw new CloudError("NotFound", `reading EKS Add-On version (${addon}): couldn't find resource`);
  },
  "aws:cloudwatch/getLogGroups:getLogGroups": ({ logGroupNamePrefix = "" }, cloud) => {
    const groups = cloud
      .find(types.logGroup)
      .filter((group) => stringOf(nameOf(group)).startsWith(stringOf(logGroupNamePrefix)));
    return {
      id: cloud.account.region,
      logGroupNamePrefix,
      arns: groups.map((group) => group.computed["arn"]),
      logGroupNames: groups.map(nameOf),
    };
  },
  "aws:cloudwatch/getLogGroup:getLogGroup": ({ name }, cloud) => {
    const found = cloud.find(types.logGroup).find((each) => nameOf(each) === name);
    const group = existing(found, notFound("The specified log group does not exist."));
    return { kmsKeyId: "", ...outputsOf(group), id: name, name };
  },
  "aws:ssm/getParameter:getParameter": parameter,
  "aws:resourcegroupstaggingapi/getResources:getResources": taggedResources,
  "aws:kms/getKey:getKey": ({ keyId }, cloud) => {
    const found = cloud.find(types.key).find(({ id, computed }) => id === keyId || computed["arn"] === keyId);
    const key = existing(found, new CloudError("NotFoundException", `Key '${stringOf(keyId)}' does not exist`));
    return { keyId, id: key.id, arn: key.computed["arn"], description: propertyOf(key, "description") };
  },
  "aws:kms/getAlias:getAlias": ({ name }, cloud) => {
    const found = cloud.find(types.alias).find((each) => nameOf(each) === name);
    const alias = existing(found, new CloudError("NotFound", `reading KMS Alias (${stringOf(name)}): empty result`));
    return { id: alias.computed["arn"], name, targetKeyId: alias.inputs["targetKeyId"] };
  },
  "aws:eks/getClusterAuth:getClusterAuth": ({ name }) => ({ id: name, name, token: "k8s-aws-v1.simulated" }),
  "aws:cloudcontrol/getResource:getResource": ({ typeName, identifier }, cloud) => {
    const found = typeName === "AWS::EKS::Cluster" ? cloud.get(types.cluster, stringOf(identifier)) : undefined;
    const message = `Resource of type '${stringOf(typeName)}' with identifier '${stringOf(identifier)}' was not found.`;
    const cluster = existing(found, notFound(message));
    return { id: identifier, identifier, typeName, properties: JSON.stringify(clusterProperties(cluster)) };
  },
};

function notFound(message: string): CloudError {
  return new CloudError("ResourceNotFoundException", message);
}

function nameOf(object: CloudObject): unknown {
  return propertyOf(object, "name");
}

/** A data source returns the outputs of the resource, and all tags as `tags`. */
function outputsOf({ inputs, computed }: CloudObject): Properties {
  const { tagsAll, ...rest } = computed;
  return { ...inputs, ...rest, tags: isRecord(tagsAll) ? tagsAll : (inputs["tags"] ?? {}) };
}

/** Blocks that a data source returns as a list of one item, with the name of that list. */
const blockLists: Readonly<Record<string, string>> = {
  accessConfig: "accessConfigs",
  certificateAuthority: "certificateAuthorities",
  computeConfig: "computeConfigs",
  kubernetesNetworkConfig: "kubernetesNetworkConfigs",
  launchTemplate: "launchTemplates",
  scalingConfig: "scalingConfigs",
  upgradePolicy: "upgradePolicies",
};

function withBlocksAsLists(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => {
      const list = blockLists[key];
      return list === undefined ? [key, value] : [list, [value]];
    }),
  );
}

/** The public parameters with the AMI ids of EKS. */
const imageParameter =
  /^\/aws\/service\/eks\/optimized-ami\/(\d\.\d+)\/amazon-linux-2023\/(x86_64|arm64)\/(standard|nvidia)\/(?:recommended|amazon-eks-node-al2023-\2-\3-\1-v\d{8})\/image_id$/;

function parameter(args: Properties, cloud: CloudState): Properties {
  const name = stringOf(args["name"]);
  if (!imageParameter.test(name))
    throw new CloudError("ParameterNotFound", `reading SSM Parameter (${name}): couldn't find resource`);
  const value = `ami-${createHash("sha256").update(`${cloud.account.region} ${name}`).digest("hex").slice(0, 17)}`;
  const arn = `arn:${cloud.account.partition}:ssm:${cloud.account.region}::parameter${name}`;
  return { ...args, id: name, name, arn, type: "String", value, insecureValue: value, version: 1 };
}

/** The properties that are compared. @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-eks-cluster.html */
function clusterProperties({ id, inputs }: CloudObject): Properties {
  const [keyArn] = valuesAt(inputs, "encryptionConfig.provider.keyArn");
  return {
    Name: id,
    ...(keyArn !== undefined && { EncryptionConfig: [{ Resources: ["secrets"], Provider: { KeyArn: keyArn } }] }),
  };
}

/**
 * The resources with tags. The API has no IAM roles; it lists deleted resources for some time, which this does not do.
 * @see https://docs.aws.amazon.com/resourcegroupstagging/latest/APIReference/API_GetResources.html
 */
function taggedResources(args: Properties, cloud: CloudState): Properties {
  const wanted = valuesAt(args, "tagFilters[*]").filter(isRecord);
  const kinds = valuesAt(args, "resourceTypeFilters[*]");
  const listed = cloud.objects.filter((object) => {
    const [, , service = "", , , resource = ""] = stringOf(object.computed["arn"] ?? "").split(":");
    const tags = tagsOf(object);
    const isKind = kinds.includes(service) || kinds.includes(`${service}:${resource.split("/")[0]}`);
    const isTagged = wanted.every(({ key, values }) => {
      const value = tags[stringOf(key)];
      return value !== undefined && (!Array.isArray(values) || values.includes(value));
    });
    return service !== "" && service !== "iam" && isTagged && (kinds.length === 0 || isKind);
  });
  const list = listed.map((one) => ({ resourceArn: one.computed["arn"], tags: tagsOf(one), complianceDetails: [] }));
  return { ...args, id: cloud.account.region, resourceTagMappingLists: list };
}
