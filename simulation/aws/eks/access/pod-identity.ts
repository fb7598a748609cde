import { CloudError } from "../../../world/cloud-error";
import type { Asked, Kind } from "../../../world/kind";
import { arn, besides, recomputesTags, regional, regionalOutputs, shown } from "../../values";
import { types } from "../../types";
import { invalid } from "../errors";
import { roleWith } from "../role-policies";
import { eksTypes, toCluster } from "../types";

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/pod_identity_association.go */
export const podIdentityAssociation: Kind = {
  type: eksTypes.podIdentityAssociation,
  required: ["clusterName", "namespace", "roleArn", "serviceAccount"],
  immutable: ["clusterName", "namespace", "serviceAccount"],
  references: [
    toCluster("goes-along"),
    {
      path: "roleArn",
      to: types.role,
      by: "arn",
      missing: () => invalid("Role provided in the request does not exist."),
    },
  ],
  unique: (inputs, { world }) => {
    const { clusterName, namespace, serviceAccount } = inputs;
    const there = world.find(eksTypes.podIdentityAssociation, { clusterName, namespace, serviceAccount })[0];
    return {
      key: [clusterName, namespace, serviceAccount].join("/"),
      error: new CloudError("ResourceInUseException", `Association already exists: ${shown(there?.id)}`),
    };
  },
  id: (_, serial) => `a-${serial}`,
  computes: [...regionalOutputs, "associationArn", "associationId", "disableSessionTags", "externalId"],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    ...besides(asked.inputs, { disableSessionTags: false }),
    associationArn: arn(asked.world, "eks", `podidentityassociation/${shown(asked.inputs["clusterName"])}/${id}`),
    associationId: id,
    externalId: "",
  }),
  create: refuseTrust,
  update: refuseTrust,
};

/** EKS reads who may assume the role. The words are ours. */
function refuseTrust({ world, inputs }: Asked): CloudError | undefined {
  const policy = roleWith(world, inputs["roleArn"])?.inputs["assumeRolePolicy"];
  if (typeof policy !== "string" || policy.includes("pods.eks.amazonaws.com")) return undefined;
  return invalid("The trust policy of the role does not allow pods.eks.amazonaws.com to assume it");
}
