import { IAM } from "@aws-sdk/client-iam";
import { expect, test } from "vitest";
import { awsClients } from "../../../aws/clients";
import { actionsByType, actionsOf, readPermissions } from "../../../aws/account/caller";
import { useAws } from "../../support/aws-environment";
import { simulator } from "../../support/aws-simulators";

/** The permissions against ministack, which evaluates IAM policies. */

const region = "ap-northeast-2";
const ministack = simulator("ministack", "permissions");

test("each action of the table has the decision of the policies of a user and of a role", async (context) => {
  useAws(ministack(context));
  const iam = new IAM({ region });
  const statement = (effect: string, ...actions: string[]) => ({ Effect: effect, Action: actions, Resource: "*" });
  const policy = {
    Version: "2012-10-17",
    Statement: [statement("Allow", "ec2:*", "eks:*", "logs:*"), statement("Deny", "eks:CreateCluster")],
  };
  const text = JSON.stringify(policy);
  const { User: user } = await iam.createUser({ UserName: "learner" });
  await iam.putUserPolicy({ UserName: "learner", PolicyName: "lab", PolicyDocument: text });
  const trust = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { AWS: "*" }, Action: "sts:AssumeRole" }],
  };
  const { Role: role } = await iam.createRole({
    RoleName: "deployer",
    AssumeRolePolicyDocument: JSON.stringify(trust),
  });
  await iam.putRolePolicy({ RoleName: "deployer", PolicyName: "lab", PolicyDocument: text });

  const { actions } = actionsOf(Object.keys(actionsByType));
  for (const arn of [user?.Arn ?? "", role?.Arn ?? ""]) {
    const identity = { account: "000000000000", arn };
    const decisions = await readPermissions(awsClients({ region }), identity, actions);
    expect(decisions.map(({ action }) => action)).toEqual(actions);
    const decisionOf = (action: string) => decisions.find((one) => one.action === action)?.decision;
    expect(decisionOf("eks:CreateCluster")).toBe("denied");
    expect(decisionOf("iam:PassRole")).toBe("not-granted");
    const granted = actions.filter((action) => /^(?:ec2|eks|logs):(?!CreateCluster)/.test(action));
    expect(new Set(granted.map(decisionOf))).toEqual(new Set(["allowed"]));
  }
});
