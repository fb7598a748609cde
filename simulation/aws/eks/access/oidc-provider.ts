import { CloudError } from "../../../world/cloud-error";
import type { Kind } from "../../../world/kind";
import { allTags, besides, iamArn, recomputesTags, shown } from "../../values";
import { digitsFor } from "../hashes";
import { eksTypes } from "../types";

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/iam/openid_connect_provider.go */
export const openIdConnectProvider: Kind = {
  type: eksTypes.openIdConnectProvider,
  required: ["clientIdLists", "url"],
  immutable: ["url"],
  unique: ({ url }) => ({
    key: withoutScheme(url),
    error: new CloudError("EntityAlreadyExists", `Provider with url https://${withoutScheme(url)} already exists.`),
  }),
  id: ({ world, inputs }) => iamArn(world, `oidc-provider/${withoutScheme(inputs["url"])}`),
  computes: ["arn", "tagsAll", "thumbprintLists"],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...besides(asked.inputs, { thumbprintLists: [digitsFor(asked.world, id, 40)] }),
    arn: id,
    tagsAll: allTags(asked),
    // IAM tells it without the scheme, and the provider takes that for the same.
    url: withoutScheme(asked.inputs["url"]),
  }),
};

function withoutScheme(url: unknown): string {
  return shown(url).replace(/^https:\/\//, "");
}
