import { createHash } from "node:crypto";
import { isRecord } from "../../../components/core/reader/records";
import type { Properties } from "../../../components/core/wire";
import { CloudError } from "../../world/cloud-error";
import type { WorldObject } from "../../world/kind";
import { propertyOf, type ProviderFunction, type World } from "../../world/world";
import { types } from "../types";
import { asOffline } from "./account-functions";
import { shown } from "../values";

/** What AWS says of the objects that are there. */
export const lookups: Readonly<Record<string, ProviderFunction>> = {
  "aws:eks/getClusters:getClusters": (_, world) => ({
    id: world.account.region,
    names: world.find(types.cluster).map(nameOf),
  }),
  "aws:eks/getCluster:getCluster": ({ name }, world) => {
    const cluster = world.find(types.cluster).find((each) => nameOf(each) === name);
    if (!cluster) throw new CloudError("ResourceNotFoundException", `No cluster found for name: ${shown(name)}.`);
    return { ...listed(all(cluster)), id: name, name };
  },
  "aws:eks/getNodeGroups:getNodeGroups": ({ clusterName }, world) => {
    if (!world.find(types.cluster).some((cluster) => nameOf(cluster) === clusterName)) {
      throw new CloudError("ResourceNotFoundException", `No cluster found for name: ${shown(clusterName)}.`);
    }
    const groups = world.find(types.nodeGroup, { clusterName });
    return { id: clusterName, clusterName, names: groups.map((group) => propertyOf(group, "nodeGroupName")) };
  },
  "aws:eks/getNodeGroup:getNodeGroup": ({ clusterName, nodeGroupName }, world) => {
    const [group] = world.find(types.nodeGroup, { clusterName, nodeGroupName });
    if (!group) {
      throw new CloudError("ResourceNotFoundException", `No node group found for name: ${shown(nodeGroupName)}.`);
    }
    return { ...listed(all(group)), id: group.id };
  },
  "aws:eks/getAddonVersion:getAddonVersion": (args, world) => {
    const answer = asOffline("aws:eks/getAddonVersion:getAddonVersion")(args, world);
    if (typeof answer["version"] === "string") return { ...answer, id: args["addonName"] };
    const what = `${shown(args["addonName"])}, ${shown(args["kubernetesVersion"])}`;
    throw new CloudError("NotFound", `reading EKS Add-On version (${what}): couldn't find resource`);
  },
  "aws:cloudwatch/getLogGroups:getLogGroups": ({ logGroupNamePrefix = "" }, world) => {
    const groups = world
      .find(types.logGroup)
      .filter((group) => shown(nameOf(group)).startsWith(shown(logGroupNamePrefix)));
    return {
      id: world.account.region,
      logGroupNamePrefix,
      arns: groups.map((group) => group.computed["arn"]),
      logGroupNames: groups.map(nameOf),
    };
  },
  "aws:cloudwatch/getLogGroup:getLogGroup": ({ name }, world) => {
    const group = world.find(types.logGroup).find((each) => nameOf(each) === name);
    if (!group) throw new CloudError("ResourceNotFoundException", "The specified log group does not exist.");
    return { kmsKeyId: "", ...all(group), id: name, name };
  },
  "aws:ssm/getParameter:getParameter": parameter,
};

function nameOf(object: WorldObject): unknown {
  return propertyOf(object, "name");
}

/** A data source tells of an object what a resource does, its tags with those that the provider added. */
function all({ inputs, computed }: WorldObject): Properties {
  const { tagsAll, ...rest } = computed;
  return { ...inputs, ...rest, tags: isRecord(tagsAll) ? tagsAll : (inputs["tags"] ?? {}) };
}

/** A data source gives as a list of one what a resource gives as such. */
const lists: Readonly<Record<string, string>> = {
  accessConfig: "accessConfigs",
  certificateAuthority: "certificateAuthorities",
  kubernetesNetworkConfig: "kubernetesNetworkConfigs",
  launchTemplate: "launchTemplates",
  scalingConfig: "scalingConfigs",
  upgradePolicy: "upgradePolicies",
};

function listed(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => {
      const list = lists[key];
      return list === undefined ? [key, value] : [list, [value]];
    }),
  );
}

/** Of the parameters that AWS publishes, those with the images of EKS. */
const image =
  /^\/aws\/service\/eks\/optimized-ami\/(\d\.\d+)\/amazon-linux-2023\/(x86_64|arm64)\/(standard|nvidia)\/(?:recommended|amazon-eks-node-al2023-\2-\3-\1-v\d{8})\/image_id$/;

function parameter(args: Properties, world: World): Properties {
  const name = shown(args["name"]);
  if (!image.test(name))
    throw new CloudError("ParameterNotFound", `reading SSM Parameter (${name}): couldn't find resource`);
  const value = `ami-${createHash("sha256").update(`${world.account.region} ${name}`).digest("hex").slice(0, 17)}`;
  const arn = `arn:${world.account.partition}:ssm:${world.account.region}::parameter${name}`;
  return { ...args, id: name, name, arn, type: "String", value, insecureValue: value, version: 1 };
}
