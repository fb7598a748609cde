import type { SecurityGroup, SecurityGroupRule } from "@aws-sdk/client-ec2";
import type { Aws } from "../aws";
import { free, tagsOf, type Found, type Step } from "../found";
import { searchEc2, step, tagFilters, vpcFilters } from "./ec2-search";
import type { Kind } from "./kind";

/** Security groups. The VPC deletes its `default`. Rules that refer to groups are removed first. */
export const securityGroups: Kind = {
  kind: "security group",
  type: "aws:ec2/securityGroup:SecurityGroup",
  reads: ["ec2:DescribeSecurityGroups", "ec2:DescribeSecurityGroupRules"],
  read: async (aws, search) => {
    const ec2 = await aws.ec2();
    const found = await searchEc2<SecurityGroup>(
      [...tagFilters(search), ...vpcFilters(search)],
      async (Filters, token) => {
        const { SecurityGroups, NextToken } = await ec2.describeSecurityGroups({ Filters, ...token });
        return { items: SecurityGroups, next: NextToken };
      },
    );
    return Promise.all(found.map((one) => securityGroup(aws, one)));
  },
};

/** The rules of a group that refer to groups. */
async function readReferring(aws: Aws, id: string): Promise<SecurityGroupRule[]> {
  const ec2 = await aws.ec2();
  const rules = await searchEc2([{ Name: "group-id", Values: [id] }], async (Filters, token) => {
    const { SecurityGroupRules, NextToken } = await ec2.describeSecurityGroupRules({ Filters, ...token });
    return { items: SecurityGroupRules, next: NextToken };
  });
  return rules.filter(({ ReferencedGroupInfo }) => ReferencedGroupInfo?.GroupId !== undefined);
}

async function securityGroup(
  aws: Aws,
  { GroupId: id = "", GroupName = "", VpcId, Tags }: SecurityGroup,
): Promise<Found> {
  const referring = await readReferring(aws, id);
  const idsOf = (isEgress: boolean) =>
    referring.flatMap(({ IsEgress, SecurityGroupRuleId }) =>
      IsEgress === isEgress && SecurityGroupRuleId !== undefined ? [SecurityGroupRuleId] : [],
    );
  const revoke = (end: "ingress" | "egress"): Step[] => {
    const SecurityGroupRuleIds = idsOf(end === "egress");
    if (SecurityGroupRuleIds.length === 0) return [];
    const isEgress = end === "egress";
    const rulesOf = { GroupId: id, SecurityGroupRuleIds };
    return [
      step(
        aws,
        `revoke-security-group-${end} --group-id ${id} --security-group-rule-ids ${SecurityGroupRuleIds.join(" ")}`,
        isEgress ? "RevokeSecurityGroupEgress" : "RevokeSecurityGroupIngress",
        (on) => (isEgress ? on.revokeSecurityGroupEgress(rulesOf) : on.revokeSecurityGroupIngress(rulesOf)),
      ),
    ];
  };
  return {
    ...{ id, detail: GroupName, tags: tagsOf(Tags), rate: free },
    ...(VpcId !== undefined && { vpc: VpcId }),
    ...(GroupName === "default" && VpcId !== undefined && { within: VpcId, isHidden: true }),
    uses: referring.flatMap(({ ReferencedGroupInfo }) => ReferencedGroupInfo?.GroupId ?? []),
    steps: [
      ...revoke("ingress"),
      ...revoke("egress"),
      step(aws, `delete-security-group --group-id ${id}`, "DeleteSecurityGroup", (on) =>
        on.deleteSecurityGroup({ GroupId: id }),
      ),
    ],
  };
}
