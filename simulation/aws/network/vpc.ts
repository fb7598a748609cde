import { CloudError } from "../../world/cloud-error";
import type { Asked, AskedOf, Kind } from "../../world/kind";
import { parseCidr } from "../../../components/core/cidr-form";
import { types } from "../types";
import { arn, besides, ec2Id, recomputesTags, regional, regionalOutputs, shown } from "../values";

/** VPCs that an account may have in a region. @see https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
export const vpcQuota = 5;

/** What is made with a VPC and goes with it has the VPC's number. */
const sibling = (vpcId: string, prefix: string) => `${prefix}-${vpcId.slice("vpc-".length)}`;

export const vpc: Kind = {
  type: types.vpc,
  defaults: { enableDnsSupport: true, instanceTenancy: "default" },
  immutable: ["cidrBlock", "instanceTenancy", "ipv4IpamPoolId", "ipv4NetmaskLength"],
  id: ec2Id("vpc"),
  computes: [
    ...regionalOutputs,
    "arn",
    "defaultNetworkAclId",
    "defaultRouteTableId",
    "defaultSecurityGroupId",
    "dhcpOptionsId",
    "enableDnsHostnames",
    "mainRouteTableId",
    "ownerId",
  ],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    ...besides(asked.inputs, { enableDnsHostnames: false }),
    arn: arn(asked.world, "ec2", `vpc/${id}`),
    ownerId: asked.world.account.accountId,
    dhcpOptionsId: "dopt-0a1b2c3d4e5f60718",
    defaultNetworkAclId: sibling(id, "acl"),
    defaultRouteTableId: sibling(id, "rtb"),
    mainRouteTableId: sibling(id, "rtb"),
    defaultSecurityGroupId: sibling(id, "sg"),
  }),
  create: (asked) => refuseQuota(asked) ?? refuseBlock(asked),
  after: makeDefaults,
};

function refuseQuota({ world }: Asked): CloudError | undefined {
  if (world.find(types.vpc).length < vpcQuota) return undefined;
  return new CloudError("VpcLimitExceeded", "The maximum number of VPCs has been reached.");
}

function refuseBlock({ inputs }: Asked): CloudError | undefined {
  const given = shown(inputs["cidrBlock"]);
  const block = parseCidr(given);
  if (!block) {
    const words = `Value (${given}) for parameter cidrBlock is invalid. This is not a valid CIDR block.`;
    return new CloudError("InvalidParameterValue", words);
  }
  if (block.bitmask >= 16 && block.bitmask <= 28) return undefined;
  return new CloudError("InvalidVpc.Range", `The CIDR '${given}' is invalid.`);
}

/** Every VPC is born with a main route table and a security group that goes with it. */
function makeDefaults({ world, object }: AskedOf): void {
  const tableId = sibling(object.id, "rtb");
  if (world.get(types.routeTable, tableId)) return;
  const computed = { region: world.account.region, tagsAll: {}, ownerId: world.account.accountId };
  world.put({
    type: types.routeTable,
    id: tableId,
    inputs: { vpcId: object.id, routes: [] },
    computed: { ...computed, arn: arn(world, "ec2", `route-table/${tableId}`) },
  });
  const groupId = sibling(object.id, "sg");
  world.put({
    type: types.securityGroup,
    id: groupId,
    inputs: {
      vpcId: object.id,
      name: "default",
      description: "default VPC security group",
      ingress: [{ protocol: "-1", fromPort: 0, toPort: 0, self: true }],
      egress: [{ protocol: "-1", fromPort: 0, toPort: 0, cidrBlocks: ["0.0.0.0/0"] }],
    },
    computed: { ...computed, arn: arn(world, "ec2", `security-group/${groupId}`) },
  });
}
