import { CloudError } from "../../../world/cloud-error";
import type { Asked, Kind } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import { besides, shown } from "../../values";
import { invalid } from "../errors";
import { timeIn } from "../hashes";
import { eksTypes, toCluster } from "../types";
import { refuseMode } from "./access-entry";

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/access_policy_association.go */
export const accessPolicyAssociation: Kind = {
  type: eksTypes.accessPolicyAssociation,
  required: ["accessScope", "clusterName", "policyArn", "principalArn"],
  immutable: ["accessScope", "clusterName", "policyArn", "principalArn"],
  references: [toCluster("goes-along")],
  id: ({ inputs: { clusterName, principalArn, policyArn } }) => [clusterName, principalArn, policyArn].join("#"),
  computes: ["region", "associatedAt", "modifiedAt"],
  computed: ({ world, inputs }) => ({
    ...besides(inputs, { region: world.account.region }),
    associatedAt: timeIn(world),
    modifiedAt: timeIn(world),
  }),
  create: (asked) => refuseMode(asked) ?? refuseWithoutEntry(asked) ?? refusePolicy(asked) ?? refuseScope(asked),
};

function refuseWithoutEntry({ world, inputs: { clusterName, principalArn } }: Asked): CloudError | undefined {
  if (world.find(eksTypes.accessEntry, { clusterName, principalArn }).length > 0) return undefined;
  return new CloudError(
    "ResourceNotFoundException",
    "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html */
function refusePolicy({ world, inputs }: Asked): CloudError | undefined {
  const known = `arn:${world.account.partition}:eks::aws:cluster-access-policy/AmazonEKS`;
  if (shown(inputs["policyArn"]).startsWith(known)) return undefined;
  return invalid("The specified policyArn could not be found.");
}

function refuseScope({ inputs }: Asked): CloudError | undefined {
  const named = valuesAt(inputs, "accessScope.namespaces[*]").length > 0;
  const isNamespace = valuesAt(inputs, "accessScope.type")[0] === "namespace";
  if (isNamespace && !named) {
    return invalid("At least 1 namespace must be provided if the type is set as namespace");
  }
  if (isNamespace || !named) return undefined;
  return invalid("accessScope should not include namespaces if the type is not set as namespace");
}
