import { valuesAt } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { CloudError } from "../cloud/errors";
import { type CloudObject, propertyOf, type ProviderFunction, type CloudState } from "../cloud/model";
import { types } from "./types";
import { stringOf } from "./values";

/** Functions about the parts of a running environment, with the outputs of the provider that a preview compares. */
export const runningLookups: Readonly<Record<string, ProviderFunction>> = {
  "aws:ec2/getVpc:getVpc": ({ id }, cloud) => {
    const vpc = found(cloud, types.vpc, id, "no matching EC2 VPC found");
    return { id, arn: vpc.computed["arn"], cidrBlock: vpc.inputs["cidrBlock"], state: "available", tags: tagsOf(vpc) };
  },
  "aws:ec2/getVpcs:getVpcs": ({ tags }, cloud) => {
    const wanted = Object.entries(isRecord(tags) ? tags : {});
    const matches = (vpc: CloudObject) => wanted.every(([key, value]) => tagsOf(vpc)[key] === value);
    return {
      id: cloud.account.region,
      ids: cloud
        .find(types.vpc)
        .filter(matches)
        .map(({ id }) => id),
      tags,
    };
  },
  "aws:ec2/getSubnets:getSubnets": ({ filters }, cloud) => {
    const ids = cloud.find(types.subnet).filter((subnet) => filtersOf(filters).every((filter) => filter(subnet)));
    return { id: cloud.account.region, ids: ids.map(({ id }) => id), tags: {} };
  },
  "aws:ec2/getLaunchTemplate:getLaunchTemplate": ({ id }, cloud) =>
    launchTemplate(found(cloud, types.launchTemplate, id, "no matching EC2 Launch Template found")),
  "aws:ec2/getElasticIp:getElasticIp": ({ id }, cloud) => {
    const { inputs, computed } = found(cloud, types.eip, id, "no matching EC2 EIP found");
    return { id, ...inputs, ...computed };
  },
  "aws:resourcegroupstaggingapi/getResources:getResources": taggedResources,
  "aws:kms/getKey:getKey": ({ keyId }, cloud) => {
    const key = cloud.find(types.key).find(({ id, computed }) => id === keyId || computed["arn"] === keyId);
    if (!key) throw new CloudError("NotFoundException", `Key '${stringOf(keyId)}' does not exist`);
    return { keyId, id: key.id, arn: key.computed["arn"], description: propertyOf(key, "description") };
  },
  "aws:kms/getAlias:getAlias": ({ name }, cloud) => {
    const alias = cloud.find(types.alias).find((each) => propertyOf(each, "name") === name);
    if (!alias) throw new CloudError("NotFound", `reading KMS Alias (${stringOf(name)}): empty result`);
    return { id: alias.computed["arn"], name, targetKeyId: alias.inputs["targetKeyId"] };
  },
  "aws:eks/getClusterAuth:getClusterAuth": ({ name }) => ({ id: name, name, token: "k8s-aws-v1.simulated" }),
  "aws:cloudcontrol/getResource:getResource": ({ typeName, identifier }, cloud) => {
    const cluster = typeName === "AWS::EKS::Cluster" ? cloud.get(types.cluster, stringOf(identifier)) : undefined;
    if (!cluster) {
      const message = `Resource of type '${stringOf(typeName)}' with identifier '${stringOf(identifier)}' was not found.`;
      throw new CloudError("ResourceNotFoundException", message);
    }
    return { id: identifier, identifier, typeName, properties: JSON.stringify(clusterProperties(cluster)) };
  },
};

/** The properties that are compared. @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-eks-cluster.html */
function clusterProperties({ id, inputs }: CloudObject): Properties {
  const [keyArn] = valuesAt(inputs, "encryptionConfig.provider.keyArn");
  return {
    Name: id,
    ...(keyArn !== undefined && { EncryptionConfig: [{ Resources: ["secrets"], Provider: { KeyArn: keyArn } }] }),
  };
}

function found(cloud: CloudState, type: string, id: unknown, message: string): CloudObject {
  const object = cloud.get(type, stringOf(id));
  if (!object) throw new CloudError("NotFound", message);
  return object;
}

/** A data source returns all tags as `tags`. */
function tagsOf({ inputs, computed }: CloudObject): Properties {
  const tags = computed["tagsAll"] ?? inputs["tags"];
  return isRecord(tags) ? tags : {};
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

/** The filters of EC2 that a preview uses: the VPC, the key of a tag, and a tag with its value. */
function filtersOf(filters: unknown): ((object: CloudObject) => boolean)[] {
  return (Array.isArray(filters) ? filters : []).map((filter: unknown) => (object) => {
    const [name] = isRecord(filter) ? [stringOf(filter["name"])] : [""];
    const values = isRecord(filter) ? valuesAt(filter, "values[*]") : [];
    const tags = tagsOf(object);
    if (name === "vpc-id") return values.includes(object.inputs["vpcId"]);
    if (name === "tag-key") return values.some((key) => Object.hasOwn(tags, stringOf(key)));
    return name.startsWith("tag:") && values.includes(tags[name.slice("tag:".length)]);
  });
}

/** The latest version: a block is a list of at most one item, and a missing string is empty. */
function launchTemplate({ id, inputs, computed }: CloudObject): Properties {
  const listOf = (value: unknown): unknown[] => (value === undefined ? [] : [value]);
  const reservation = inputs["capacityReservationSpecification"];
  return {
    id,
    name: propertyOf({ type: "", id, inputs, computed }, "name"),
    latestVersion: computed["latestVersion"],
    instanceType: inputs["instanceType"] ?? "",
    userData: inputs["userData"] ?? "",
    blockDeviceMappings: valuesAt(inputs, "blockDeviceMappings[*]").map((mapping) =>
      isRecord(mapping) ? { ...mapping, ebs: listOf(mapping["ebs"]) } : mapping,
    ),
    networkInterfaces: inputs["networkInterfaces"] ?? [],
    placements: listOf(inputs["placement"]),
    capacityReservationSpecifications: listOf(reservation).map((one) => ({
      capacityReservationTargets: isRecord(one) ? listOf(one["capacityReservationTarget"]) : [],
    })),
    tagSpecifications: inputs["tagSpecifications"] ?? [],
    vpcSecurityGroupIds: inputs["vpcSecurityGroupIds"] ?? [],
    tags: tagsOf({ type: "", id, inputs, computed }),
  };
}
