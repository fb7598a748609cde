import { expect, test } from "vitest";
import { awsClients } from "../../../aws/clients";
import { step } from "../../../commands/leftovers/requests";

const aws = awsClients({ region: "ap-northeast-2" });

test.each([
  ["an ID", step(aws, "ec2:DeleteVpc", { VpcId: "vpc-1" }), "ec2 delete-vpc --vpc-id vpc-1"],
  [
    "a name that somebody else chose",
    step(aws, "cloudwatch:DeleteAlarms", { AlarmNames: ["lab GPU; rm -rf ~ $(id)", "it's"] }),
    "cloudwatch delete-alarms --alarm-names 'lab GPU; rm -rf ~ $(id)' 'it'\\''s'",
  ],
])("the command is one to copy, with %s", (_, { cli }, expected) => {
  expect(cli).toBe(expected);
});
