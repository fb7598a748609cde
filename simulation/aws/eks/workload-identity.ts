import { CloudError } from "../../cloud/errors";
import type { Request, ResourceModel } from "../../cloud/model";
import { roleWithArn } from "../iam/roles";
import { types } from "../types";
import { allTags, arn, computedDefaults, iamArn, recomputesTags, regional, stringOf } from "../values";
import { arnReference, hexFor, clusterReference, invalidParameter } from "./common";

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/pod_identity_association.go */
export const podIdentityAssociation: ResourceModel = {
  type: types.podIdentityAssociation,
  required: ["clusterName", "namespace", "roleArn", "serviceAccount"],
  references: [
    clusterReference("cascade"),
    arnReference("roleArn", types.role, () => "Role provided in the request does not exist."),
  ],
  unique: (inputs, { cloud }) => {
    const { clusterName, namespace, serviceAccount } = inputs;
    const existing = cloud.find(types.podIdentityAssociation, { clusterName, namespace, serviceAccount })[0];
    return {
      key: [clusterName, namespace, serviceAccount].join("/"),
      error: new CloudError("ResourceInUseException", `Association already exists: ${stringOf(existing?.id)}`),
    };
  },
  id: (_, serial) => `a-${serial}`,
  importId: ({ id, inputs }) => `${stringOf(inputs["clusterName"])},${id}`,
  ...regional((request, id) => ({
    ...computedDefaults(request.inputs, { disableSessionTags: false }),
    associationArn: arn(
      request.cloud,
      "eks",
      `podidentityassociation/${stringOf(request.inputs["clusterName"])}/${id}`,
    ),
    associationId: id,
    externalId: "",
  })),
  validateCreate: rejectTrust,
  validateUpdate: rejectTrust,
};

/** EKS checks the trust policy of the role. The message is not AWS's. */
function rejectTrust({ cloud, inputs }: Request): CloudError | undefined {
  const policy = roleWithArn(cloud, inputs["roleArn"])?.inputs["assumeRolePolicy"];
  if (typeof policy !== "string" || policy.includes("pods.eks.amazonaws.com")) return undefined;
  return invalidParameter("The trust policy of the role does not allow pods.eks.amazonaws.com to assume it");
}

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/iam/openid_connect_provider.go */
export const openIdConnectProvider: ResourceModel = {
  type: types.openIdConnectProvider,
  required: ["clientIdLists", "url"],
  unique: ({ url }) => ({
    key: withoutScheme(url),
    error: new CloudError("EntityAlreadyExists", `Provider with url https://${withoutScheme(url)} already exists.`),
  }),
  id: ({ cloud, inputs }) => iamArn(cloud, `oidc-provider/${withoutScheme(inputs["url"])}`),
  recomputes: recomputesTags,
  computed: (request, id) => ({
    ...computedDefaults(request.inputs, { thumbprintLists: [hexFor(request.cloud, id, 40)] }),
    arn: id,
    tagsAll: allTags(request),
    // IAM returns the URL without its scheme, and the provider treats both forms as equal.
    url: withoutScheme(request.inputs["url"]),
  }),
};

function withoutScheme(url: unknown): string {
  return stringOf(url).replace(/^https:\/\//, "");
}
