import { CloudError } from "../../world/cloud-error";
import type { Kind } from "../../world/kind";
import { types } from "../types";
import { arn, besides, ec2Id, recomputesTags, regional, regionalOutputs } from "../values";
import { toSubnet, toVpc } from "./references";

const settings = [
  "deliverCrossAccountRole",
  "destinationOptions",
  "eniId",
  "iamRoleArn",
  "logDestination",
  "logDestinationType",
  "logFormat",
  "maxAggregationInterval",
  "subnetId",
  "trafficType",
  "transitGatewayAttachmentId",
  "transitGatewayId",
  "vpcId",
];

const defaultFormat =
  "${version} ${account-id} ${interface-id} ${srcaddr} ${dstaddr} ${srcport} ${dstport} ${protocol} ${packets} ${bytes} ${start} ${end} ${action} ${log-status}";

export const flowLog: Kind = {
  type: types.flowLog,
  defaults: { logDestinationType: "cloud-watch-logs", maxAggregationInterval: 600 },
  immutable: settings,
  references: [
    toVpc("goes-along"),
    toSubnet("subnetId", "goes-along"),
    {
      path: "iamRoleArn",
      to: types.role,
      by: "arn",
      missing: () => new CloudError("InvalidParameter", "Unable to assume given IAM role"),
    },
  ],
  unique: ({ vpcId, subnetId, trafficType, logDestination }) => {
    const words = "Error. There is an existing Flow Log with the same configuration and log destination.";
    const key = [vpcId, subnetId, trafficType, logDestination].map(String).join(" ");
    return { key, error: new CloudError("FlowLogAlreadyExists", words) };
  },
  id: ec2Id("fl"),
  computes: [...regionalOutputs, "arn", "logFormat"],
  recomputes: recomputesTags,
  computed: (asked, id) => ({
    ...regional(asked),
    ...besides(asked.inputs, { logFormat: defaultFormat }),
    arn: arn(asked.world, "ec2", `vpc-flow-log/${id}`),
  }),
};
