import type { Properties } from "../../../components/core/wire";
import type { Row } from "./row";

function instanceFilters({ instanceStateNames, filters = [] }: Properties) {
  const given = filters as readonly { readonly name: string; readonly values: readonly string[] }[];
  const stated = given.map(({ name, values }) => ({ Name: name, Values: values }));
  return { Filters: [{ Name: "instance-state-name", Values: instanceStateNames }, ...stated] };
}

/** What programs read of AWS, by the functions of the provider. */
export const functionRows: Readonly<Record<string, Row>> = {
  "aws:index/getRegion:getRegion": { requests: [] },
  "aws:index/getPartition:getPartition": { requests: [] },
  "aws:index/getCallerIdentity:getCallerIdentity": {
    requests: [{ service: "sts", operation: "GetCallerIdentity" }],
  },
  "aws:iam/getSessionContext:getSessionContext": {
    requests: [],
    notSent: { arn: "the plugin asks IAM for the role of an assumed role only" },
  },
  "aws:index/getAvailabilityZones:getAvailabilityZones": {
    requests: [
      {
        ...{ service: "ec2", operation: "DescribeAvailabilityZones" },
        computed: [{ from: ["state"], params: ({ state }) => ({ Filters: [{ Name: "state", Values: [state] }] }) }],
      },
    ],
    notSent: { excludeZoneIds: "the plugin chooses from the answer" },
  },
  "aws:ec2/getInstances:getInstances": {
    requests: [
      {
        ...{ service: "ec2", operation: "DescribeInstances" },
        computed: [{ from: ["instanceStateNames", "filters"], params: instanceFilters }],
      },
    ],
  },
  "aws:resourcegroupstaggingapi/getResources:getResources": {
    requests: [{ service: "resourcegroupstaggingapi", operation: "GetResources" }],
  },
  "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings": {
    requests: [{ service: "ec2", operation: "DescribeInstanceTypeOfferings" }],
  },
  "aws:servicequotas/getServiceQuota:getServiceQuota": {
    requests: [{ service: "service-quotas", operation: "GetServiceQuota" }],
  },
  "aws:ssm/getParameter:getParameter": { requests: [{ service: "ssm", operation: "GetParameter" }] },
  "aws:eks/getClusters:getClusters": { requests: [{ service: "eks", operation: "ListClusters" }] },
  "aws:kms/getAlias:getAlias": {
    requests: [{ service: "kms", operation: "ListAliases" }],
    notSent: { name: "the plugin chooses from the answer" },
  },
  "aws:eks/getAddonVersion:getAddonVersion": {
    requests: [{ service: "eks", operation: "DescribeAddonVersions" }],
    notSent: { mostRecent: "the plugin chooses from the answer" },
  },
  "aws:cloudwatch/getLogGroups:getLogGroups": { requests: [{ service: "logs", operation: "DescribeLogGroups" }] },
};
