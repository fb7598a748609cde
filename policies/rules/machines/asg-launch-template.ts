import { all, not } from "../../../components/core/reader/truth";
import { failIf, resourceRule } from "../../engine/rule";
import { scalingGroup } from "../../facts/node-groups";

/** @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-configurations.html */
export const asgLaunchTemplate = resourceRule({
  id: "asg-launch-template",
  title: "An Auto Scaling group takes its machines from a launch template, not from a launch configuration.",
  severity: "low",
  incident:
    "a group of nodes was to move to g6, and its launch configuration took no instance type newer than those of 2022",
  types: [scalingGroup],
  *judge(group) {
    const configuration = group.text("launchConfiguration");
    const isEmpty = configuration.is((name) => name.trim() === "");
    yield failIf(all(not(configuration.isAbsent), not(isEmpty)), () => ({
      path: configuration.path,
      got: configuration.shown,
      why: "Launch configurations take no instance type that came after 2022, and an account made since October 2024 cannot create one.",
      fix: "make an aws.ec2.LaunchTemplate, and set launchTemplate in place of launchConfiguration",
    }));
  },
});
