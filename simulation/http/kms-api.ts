import type { Properties } from "../../components/core/wire";
import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import type { CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./account-server";
import { jsonApi } from "./json";
import { createdSeconds, deleteOrFail, nameOf, tagList } from "./objects";

/** The API of KMS: keys with their aliases and tags. The simulation deletes a key at once, as its model does. */
export function kmsApi(cloud: SimulatedCloud): ServiceApi {
  const keyOf = ({ KeyId: id }: Properties): CloudObject => {
    const key = cloud.find(types.key).find((one) => one.id === id || one.computed["arn"] === id);
    if (!key) throw new CloudError("NotFoundException", `Key '${stringOf(id)}' does not exist`);
    return key;
  };
  return jsonApi({
    ListKeys: () => ({ Keys: cloud.find(types.key).map(({ id: KeyId }) => ({ KeyId })), Truncated: false }),
    ListAliases: () => ({
      Aliases: cloud.find(types.alias).map((alias) => ({
        AliasName: nameOf(alias),
        TargetKeyId: stringOf(alias.inputs["targetKeyId"]).split("/").at(-1),
      })),
      Truncated: false,
    }),
    DescribeKey: (body) => {
      const key = keyOf(body);
      const CreationDate = createdSeconds(cloud, key);
      return { KeyMetadata: { KeyId: key.id, KeyManager: "CUSTOMER", KeyState: "Enabled", CreationDate } };
    },
    ListResourceTags: (body) => ({ Tags: tagList(keyOf(body), "TagKey", "TagValue"), Truncated: false }),
    DeleteAlias: async ({ AliasName: name }) => {
      const missing = new CloudError("NotFoundException", `Alias ${stringOf(name)} is not found.`);
      await deleteOrFail(cloud, types.alias, stringOf(name), missing);
      return {};
    },
    ScheduleKeyDeletion: async (body) => {
      const { type, id } = keyOf(body);
      await cloud.delete(type, id);
      return { KeyId: id, KeyState: "PendingDeletion" };
    },
  });
}
