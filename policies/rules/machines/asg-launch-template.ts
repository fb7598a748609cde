import { all, not } from "../../engine/values";
import { failAt, resourceRule } from "../../engine/rule";
import { scalingGroup } from "../../facts/node-sources";

/** @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-configurations.html */
export const asgLaunchTemplate = resourceRule({
  id: "asg-launch-template",
  title: "Auto Scaling groups use a launch template, not a launch configuration.",
  severity: "low",
  incident:
    "a node group could not move to g6, because launch configurations do not support instance types released after 2022",
  types: [scalingGroup],
  *judge(group) {
    const configuration = group.text("launchConfiguration");
    const isEmpty = configuration.is((name) => name.trim() === "");
    yield failAt(configuration, all(not(configuration.isAbsent), not(isEmpty)), {
      why: "Launch configurations do not support instance types released after 2022. Accounts created since October 2024 cannot create them.",
      fix: "create an aws.ec2.LaunchTemplate, and set launchTemplate instead of launchConfiguration",
    });
  },
});
