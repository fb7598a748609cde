import { CloudError } from "../../cloud/errors";
import type { Request, ObjectRequest, ResourceModel } from "../../cloud/model";
import { parseCidr } from "../../../components/core/cidr-form";
import { types } from "../types";
import { arn, computedDefaults, ec2Id, regional, stringOf } from "../values";

/** Quota of VPCs in a region. @see https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
export const vpcQuota = 5;

/** The id of a default object of a VPC: it has the VPC's digits. */
const siblingId = (vpcId: string, prefix: string) => `${prefix}-${vpcId.slice("vpc-".length)}`;

export const vpc: ResourceModel = {
  type: types.vpc,
  defaults: { enableDnsSupport: true, instanceTenancy: "default" },
  id: ec2Id("vpc"),
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { enableDnsHostnames: false }),
    arn: arn(request.cloud, "ec2", `vpc/${id}`),
    ownerId: request.cloud.account.accountId,
    dhcpOptionsId: "dopt-0a1b2c3d4e5f60718",
    defaultNetworkAclId: siblingId(id, "acl"),
    defaultRouteTableId: siblingId(id, "rtb"),
    mainRouteTableId: siblingId(id, "rtb"),
    defaultSecurityGroupId: siblingId(id, "sg"),
  })),
  validateCreate: (request) => rejectQuota(request) ?? rejectCidr(request),
  afterChange: createDefaultObjects,
};

function rejectQuota({ cloud }: Request): CloudError | undefined {
  if (cloud.find(types.vpc).length < vpcQuota) return undefined;
  return new CloudError("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
}

function rejectCidr({ inputs }: Request): CloudError | undefined {
  const given = stringOf(inputs["cidrBlock"]);
  const block = parseCidr(given);
  if (!block) {
    const message = `Value (${given}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`;
    return new CloudError("InvalidParameterValue", message);
  }
  if (block.bitmask >= 16 && block.bitmask <= 28) return undefined;
  return new CloudError("InvalidVpc.Range", `The CIDR '${given}' is invalid.`);
}

/** Creates the main route table and the default security group of a VPC. */
function createDefaultObjects({ cloud, object }: ObjectRequest): void {
  const tableId = siblingId(object.id, "rtb");
  if (cloud.get(types.routeTable, tableId)) return;
  const computed = { region: cloud.account.region, tagsAll: {}, ownerId: cloud.account.accountId };
  cloud.put({
    type: types.routeTable,
    id: tableId,
    inputs: { vpcId: object.id, routes: [] },
    computed: { ...computed, arn: arn(cloud, "ec2", `route-table/${tableId}`) },
  });
  const groupId = siblingId(object.id, "sg");
  cloud.put({
    type: types.securityGroup,
    id: groupId,
    inputs: {
      vpcId: object.id,
      name: "default",
      description: "default VPC security group",
      ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, self: true }],
      egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
    },
    computed: { ...computed, arn: arn(cloud, "ec2", `security-group/${groupId}`) },
  });
}
