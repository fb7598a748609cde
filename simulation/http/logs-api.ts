import { types } from "../aws/types";
import { stringOf } from "../aws/values";
import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./account-server";
import { jsonApi } from "./json";
import { createdSeconds, deleteOrFail, nameOf, tagsOf } from "./objects";

/** The API of CloudWatch Logs: log groups without log lines. */
export function logsApi(cloud: SimulatedCloud): ServiceApi {
  const missing = new CloudError("ResourceNotFoundException", "The specified log group does not exist.");
  return jsonApi({
    DescribeLogGroups: ({ logGroupNamePrefix: prefix = "" }) => ({
      logGroups: cloud
        .find(types.logGroup)
        .filter((group) => nameOf(group).startsWith(stringOf(prefix)))
        .map((group) => ({
          ...{ logGroupName: nameOf(group), arn: `${stringOf(group.computed["arn"])}:*`, storedBytes: 0 },
          creationTime: createdSeconds(cloud, group) * 1000,
        })),
    }),
    ListTagsForResource: ({ resourceArn: arn }) => {
      const [group] = cloud.find(types.logGroup, { arn });
      if (!group) throw missing;
      return { tags: tagsOf(group) };
    },
    DeleteLogGroup: async ({ logGroupName: name }) => {
      await deleteOrFail(cloud, types.logGroup, stringOf(name), missing);
      return {};
    },
  });
}
