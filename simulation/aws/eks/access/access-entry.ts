import { CloudError } from "../../../world/cloud-error";
import type { Asked, Kind } from "../../../world/kind";
import { besides, recomputesTags, regional, regionalOutputs, shown } from "../../values";
import { authenticationMode } from "../cluster/cluster-rules";
import { invalid } from "../errors";
import { timeIn } from "../hashes";
import { clusterNamed, eksTypes, ofCluster, toCluster } from "../types";
import { entryArn } from "./principals";

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/access_entry.go */
export const accessEntry: Kind = {
  type: eksTypes.accessEntry,
  defaults: { type: "STANDARD" },
  required: ["clusterName", "principalArn"],
  immutable: ["clusterName", "principalArn", "type"],
  references: [toCluster("goes-along")],
  unique: ({ clusterName, principalArn }) => ({
    key: `${shown(clusterName)} ${shown(principalArn)}`,
    error: new CloudError(
      "ResourceInUseException",
      "The specified access entry resource is already in use on this cluster.",
    ),
  }),
  id: ({ inputs }) => `${shown(inputs["clusterName"])}:${shown(inputs["principalArn"])}`,
  computes: [...regionalOutputs, "accessEntryArn", "createdAt", "kubernetesGroups", "modifiedAt", "userName"],
  recomputes: recomputesTags,
  computed: (asked, _, old) => ({
    ...regional(asked),
    ...besides(asked.inputs, { kubernetesGroups: [], userName: asked.inputs["principalArn"] }),
    accessEntryArn: old?.["accessEntryArn"] ?? arnOf(asked),
    createdAt: old?.["createdAt"] ?? timeIn(asked.world),
    modifiedAt: timeIn(asked.world),
  }),
  create: (asked) => refuseMode(asked) ?? refusePrincipal(asked),
  afterRemove: ({ world, inputs: { clusterName, principalArn } }) => {
    for (const { type, id, inputs } of ofCluster(world, eksTypes.accessPolicyAssociation, shown(clusterName))) {
      if (inputs["principalArn"] === principalArn) world.lose(type, id);
    }
  },
};

function arnOf({ world, inputs }: Asked): string {
  return entryArn(world, shown(inputs["clusterName"]), shown(inputs["principalArn"]));
}

/** Access entries are of no use to a cluster that asks its aws-auth ConfigMap only. */
export function refuseMode({ world, inputs }: Asked): CloudError | undefined {
  const cluster = clusterNamed(world, inputs["clusterName"]);
  if (!cluster || authenticationMode(cluster.inputs) !== "CONFIG_MAP") return undefined;
  return new CloudError(
    "InvalidRequestException",
    "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html */
function refusePrincipal({ inputs }: Asked): CloudError | undefined {
  const principal = shown(inputs["principalArn"]);
  if (principal.includes(":role/aws-service-role/")) {
    return invalid(
      "The caller is not allowed to modify access entries with a principalArn value of a Service Linked Role",
    );
  }
  if (/^arn:[^:]+:iam::\d{12}:(role|user)\/.+/.test(principal)) return undefined;
  return invalid("The principalArn parameter format is not valid");
}
