import type { AskedOf, WorldObject } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import type { World } from "../../../world/world";
import { types } from "../../types";
import { arn, shown } from "../../values";
import { adminPolicyArn, entryArn, principalOf } from "../access/principals";
import { authenticationMode } from "./cluster-rules";
import { eksTypes } from "../types";

/** The property of everything in a cluster that says which cluster it is in. */
export const clusterKey = "__cluster";

/** What EKS makes with a cluster: its security group, its log group where there is none, the entry of whoever made it. */
export function makeParts({ world, object }: AskedOf): void {
  if (!world.get(types.securityGroup, securityGroupOf(object))) {
    putSecurityGroup(world, object);
    putCreator(world, object);
  }
  putLogGroup(world, object);
}

/** What goes with a cluster. Its log group stays: EKS makes it again if it went before the last line was written. */
export function takePartsAlong({ world, object }: AskedOf): void {
  putLogGroup(world, object);
  for (const inside of world.objects.filter(({ computed }) => computed[clusterKey] === object.id)) {
    world.lose(inside.type, inside.id);
  }
  world.lose(types.securityGroup, securityGroupOf(object));
}

function securityGroupOf({ computed }: WorldObject): string {
  return shown(valuesAt(computed, "vpcConfig.clusterSecurityGroupId")[0]);
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html */
function putSecurityGroup(world: World, cluster: WorldObject): void {
  const id = securityGroupOf(cluster);
  const name = `eks-cluster-sg-${cluster.id}-${Number.parseInt(id.slice(-7), 16)}`;
  const tags = { Name: name, "aws:eks:cluster-name": cluster.id, [`kubernetes.io/cluster/${cluster.id}`]: "owned" };
  world.put({
    type: types.securityGroup,
    id,
    inputs: {
      name,
      description:
        "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, as well as any managed workloads.",
      vpcId: valuesAt(cluster.computed, "vpcConfig.vpcId")[0],
      tags,
    },
    computed: {
      arn: arn(world, "ec2", `security-group/${id}`),
      ownerId: world.account.accountId,
      region: world.account.region,
      tagsAll: tags,
    },
  });
}

/** A program that makes the group after the cluster finds that it exists already. */
function putLogGroup(world: World, { id, inputs }: WorldObject): void {
  const name = `/aws/eks/${id}/cluster`;
  if (valuesAt(inputs, "enabledClusterLogTypes[*]").length === 0 || world.get(types.logGroup, name)) return;
  world.put({
    type: types.logGroup,
    id: name,
    inputs: { name, retentionInDays: 0 },
    computed: { arn: arn(world, "logs", `log-group:${name}`), region: world.account.region, tagsAll: {} },
  });
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/grant-k8s-access.html for the creator's admin permissions */
function putCreator(world: World, { id, inputs }: WorldObject): void {
  const bootstrap = valuesAt(inputs, "accessConfig.bootstrapClusterCreatorAdminPermissions")[0] ?? true;
  if (bootstrap !== true || authenticationMode(inputs) === "CONFIG_MAP") return;
  const principalArn = principalOf(world.account.caller);
  const policyArn = adminPolicyArn(world);
  world.put({
    type: eksTypes.accessEntry,
    id: `${id}:${principalArn}`,
    inputs: { clusterName: id, principalArn, type: "STANDARD" },
    computed: { accessEntryArn: entryArn(world, id, principalArn), region: world.account.region, tagsAll: {} },
  });
  world.put({
    type: eksTypes.accessPolicyAssociation,
    id: `${id}#${principalArn}#${policyArn}`,
    inputs: { clusterName: id, principalArn, policyArn, accessScope: { type: "cluster" } },
    computed: { region: world.account.region },
  });
}
