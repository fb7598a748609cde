import { valuesAt } from "../../../components/core/reader/paths";
import type { CloudObject, ObjectRequest, CloudState } from "../../cloud/model";
import { types } from "../types";
import { arn, stringOf } from "../values";
import { adminPolicyArn, entryArn, principalOf } from "./access";
import { authenticationMode } from "./cluster-rules";

/** The internal property of Kubernetes objects that holds the name of their cluster. */
export const clusterKey = "__cluster";

/** Creates what EKS creates with a cluster: its security group, its log group, and the creator's access entry. */
export function createOwnedObjects({ cloud, object }: ObjectRequest): void {
  if (!cloud.get(types.securityGroup, securityGroupOf(object))) {
    putSecurityGroup(cloud, object);
    putCreatorAccess(cloud, object);
  }
  putLogGroup(cloud, object);
}

/** Deletes what EKS deletes with a cluster. The log group stays: EKS recreates it when it writes its last log lines. */
export function deleteOwnedObjects({ cloud, object }: ObjectRequest): void {
  putLogGroup(cloud, object);
  for (const owned of cloud.objects.filter(({ computed }) => computed[clusterKey] === object.id)) {
    cloud.remove(owned.type, owned.id);
  }
  cloud.remove(types.securityGroup, securityGroupOf(object));
}

function securityGroupOf({ computed }: CloudObject): string {
  return stringOf(valuesAt(computed, "vpcConfig.clusterSecurityGroupId")[0]);
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html */
function putSecurityGroup(cloud: CloudState, cluster: CloudObject): void {
  const id = securityGroupOf(cluster);
  const name = `eks-cluster-sg-${cluster.id}-${Number.parseInt(id.slice(-7), 16)}`;
  const tags = { Name: name, "aws:eks:cluster-name": cluster.id, [`kubernetes.io/cluster/${cluster.id}`]: "owned" };
  cloud.put({
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
      arn: arn(cloud, "ec2", `security-group/${id}`),
      ownerId: cloud.account.accountId,
      region: cloud.account.region,
      tagsAll: tags,
    },
  });
}

/** A program that creates this log group after the cluster gets an error: it already exists. */
function putLogGroup(cloud: CloudState, { id, inputs }: CloudObject): void {
  const name = `/aws/eks/${id}/cluster`;
  if (valuesAt(inputs, "enabledClusterLogTypes[*]").length === 0 || cloud.get(types.logGroup, name)) return;
  cloud.put({
    type: types.logGroup,
    id: name,
    inputs: { name, retentionInDays: 0 },
    computed: { arn: arn(cloud, "logs", `log-group:${name}`), region: cloud.account.region, tagsAll: {} },
  });
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/grant-k8s-access.html for the creator's admin permissions */
function putCreatorAccess(cloud: CloudState, { id, inputs }: CloudObject): void {
  const bootstrap = valuesAt(inputs, "accessConfig.bootstrapClusterCreatorAdminPermissions")[0] ?? true;
  if (bootstrap !== true || authenticationMode(inputs) === "CONFIG_MAP") return;
  const principalArn = principalOf(cloud.account.caller);
  const policyArn = adminPolicyArn(cloud);
  cloud.put({
    type: types.accessEntry,
    id: `${id}:${principalArn}`,
    inputs: { clusterName: id, principalArn, type: "STANDARD" },
    computed: { accessEntryArn: entryArn(cloud, id, principalArn), region: cloud.account.region, tagsAll: {} },
  });
  cloud.put({
    type: types.accessPolicyAssociation,
    id: `${id}#${principalArn}#${policyArn}`,
    inputs: { clusterName: id, principalArn, policyArn, accessScope: { type: "cluster" } },
    computed: { region: cloud.account.region },
  });
}
