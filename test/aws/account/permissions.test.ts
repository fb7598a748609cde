import { expect, test } from "vitest";
import { actionsByType, actionsOf } from "../../../aws/account/caller";
import { defaultStack, openProject, recordStack } from "../../../planner/plan-stack";
import { stacksOf } from "../../../planner/program/project";
import { askModels, missingModels } from "../../support/aws-models";
import { ownProject } from "../../support/own-project";

const more = [
  "controllers.loadBalancerController.install=true",
  "controllers.clusterAutoscaler.install=true",
  "network.flowLogs=true",
  "network.interfaceEndpoints=true",
  "controllers.clusterAutoscaler.identity=irsa",
];

test("the table has the types of every stack, also with everything enabled", async () => {
  const opened = await openProject(ownProject);
  const types: string[] = [];
  for (const stack of stacksOf(opened.project)) {
    types.push(...(await recordStack(opened, stack, [])).recording.resources.map(({ type }) => type));
  }
  for (const override of more) {
    const recorded = await recordStack(opened, defaultStack(opened.project), [override]).catch(() => undefined);
    types.push(...(recorded?.recording.resources ?? []).map(({ type }) => type));
  }
  const { actions, unknown } = actionsOf(types);
  expect(unknown).toEqual([]);
  expect(actions).toEqual([...new Set(actions)].sort());
  expect(actions).toContain("eks:CreateNodegroup");
});

test("an unknown type is named, and a component of this library is none", () => {
  const { actions, unknown } = actionsOf(["aws:s3/bucket:Bucket", "eks-gpu-lab:index:Vpc", "aws:kms/alias:Alias"]);
  expect([actions, unknown]).toEqual([
    ["kms:CreateAlias", "kms:DeleteAlias", "kms:ListAliases"],
    ["aws:s3/bucket:Bucket"],
  ]);
});

test("IAM knows every action", ({ skip }) => {
  const missing = missingModels();
  if (missing !== undefined) return skip(missing);
  const { actions } = actionsOf(Object.keys(actionsByType));
  const statement = { Effect: "Allow", Action: actions, Resource: "*" };
  const text = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  expect(askModels({ policies: [{ use: "inline", text }] }).policies).toEqual([[]]);
});
