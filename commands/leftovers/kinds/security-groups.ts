import type { SecurityGroup, SecurityGroupRule } from "@aws-sdk/client-ec2";
import type { Aws } from "../../../aws/clients";
import { free, tagsOf, type Found } from "../found";
import { step } from "../requests";
import { ec2Kind, readEc2 } from "./ec2-search";

/** Security groups. The VPC deletes its `default`. Rules that refer to groups are removed first. */
export const securityGroups = ec2Kind({
  kind: "security group",
  type: "aws:ec2/securityGroup:SecurityGroup",
  list: "SecurityGroups",
  inVpc: "vpc-id",
  reads: ["ec2:DescribeSecurityGroupRules"],
  found: securityGroup,
});

/** The rules of a group. */
export function readRules(aws: Aws, group: string) {
  return readEc2(aws, [{ Name: "group-id", Values: [group] }], "SecurityGroupRules");
}

async function securityGroup(
  { GroupId: id = "", GroupName, VpcId: vpc, Tags }: SecurityGroup,
  aws: Aws,
): Promise<Found> {
  const rules = await readRules(aws, id);
  const referring = rules.filter(({ ReferencedGroupInfo: group }) => group?.GroupId !== undefined);
  const ingress = ruleIdsOf(referring, false);
  const egress = ruleIdsOf(referring, true);
  const isDefault = GroupName === "default" && vpc !== undefined;
  return {
    ...{ id, detail: GroupName, tags: tagsOf(Tags), rate: free, vpc },
    ...(isDefault && { within: vpc, isHidden: true }),
    uses: referring.map(({ ReferencedGroupInfo: group }) => group?.GroupId),
    steps: [
      ...ingress.map((rules) => step(aws, "ec2:RevokeSecurityGroupIngress", { GroupId: id, ...rules })),
      ...egress.map((rules) => step(aws, "ec2:RevokeSecurityGroupEgress", { GroupId: id, ...rules })),
      step(aws, "ec2:DeleteSecurityGroup", { GroupId: id }),
    ],
  };
}

/** The rules of one request; none without rules. */
function ruleIdsOf(rules: readonly SecurityGroupRule[], isEgress: boolean) {
  const own = rules.filter((rule) => rule.IsEgress === isEgress);
  const SecurityGroupRuleIds = own.flatMap(({ SecurityGroupRuleId }) => SecurityGroupRuleId ?? []);
  return SecurityGroupRuleIds.length === 0 ? [] : [{ SecurityGroupRuleIds }];
}
