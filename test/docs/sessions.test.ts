import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { gpuCommand } from "../../commands/gpu/gpu-options";
import { sessionChecks } from "../../components/preflight/preflight-checks";
import { launchCauses } from "../../triage/conclusions/scale-ups";

const page = readFileSync("docs/sessions.md", "utf8");
const sectionOf = (title: string) => page.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? "";

test("the page and the help have commands that the tool accepts", () => {
  const commands = [...`${page}\n${gpuCommand.help}`.matchAll(/^(?:npx | {2})eks-gpu-lab gpu ([^\n`#]*)/gm)];
  expect(commands.length).toBeGreaterThan(5);
  for (const [, args = ""] of commands) expect(() => gpuCommand.read(args.trim().split(" "))).not.toThrow();
});

test("the page lists each cause that a managed node group can have", () => {
  const ofPage = [...sectionOf("What each command does").matchAll(/^\| `([\w-]+)` /gm)].map(([, id]) => id);
  // Of the autoscalers, or of instances that Karpenter starts.
  const others = ["registration", "limit", "node-class"];
  const known = launchCauses.map(({ id }) => id).filter((id) => !others.includes(id));
  expect(ofPage.sort()).toEqual([...known, "unknown"].sort());
});

test("the permissions are the actions that the commands ask for", () => {
  const files = ["commands/gpu/group-api", "aws/account/caller", "aws/account/region"];
  const services = /"(?:eks|autoscaling|ec2|iam|servicequotas|sts):\w+"/g;
  const asked = files.flatMap((file) => readFileSync(`${file}.ts`, "utf8").match(services) ?? []);
  const others = ['"ec2:DescribeAvailabilityZones"', '"ec2:DescribeLaunchTemplates"'];
  const granted = sectionOf("Permissions")
    .match(/```json[^]*?```/)?.[0]
    .match(services);
  expect(granted?.filter((one) => !one.startsWith('"iam:Pass')).sort()).toEqual(
    [...new Set(asked)].filter((one) => !others.includes(one)).sort(),
  );
});

test("the page lists the checks before the request", () => {
  const ofPage = [...sectionOf("Checks before the request").matchAll(/^\| `([\w-]+)` /gm)].map(([, id]) => id);
  expect(ofPage).toEqual(["group", ...sessionChecks.map(({ id }) => id)]);
});
