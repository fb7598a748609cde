import { expect, test } from "vitest";
import { cpuMsOf } from "../../../support/cpu-time";
import { userData } from "../../../../components/nodes/machine/user-data";
import { launchTemplate } from "../../../../policies/facts/launch-templates";
import { managedNodeGroup, nodeGroup, scalingGroup } from "../../../../policies/facts/node-sources";
import { driftOf, gpuUserdataDrift as rule } from "../../../../policies/rules/machines/gpu-userdata-drift";
import { findings, resource, unknown, verdicts } from "../../support/verdicts";

test.for([
  ["dnf update -y", "packages"],
  ["dnf -y upgrade", "packages"],
  ["yum update", "packages"],
  ["sudo dnf upgrade --refresh -y", "packages"],
  ["true && dnf update -y && reboot", "packages"],
  ["dnf -y update kernel", "packages"],
  ["dnf -y upgrade 'nothing' nvidia-driver", "packages"],
  ["dnf --security update-minimal -y", "packages"],
  ["timeout 60 /usr/bin/dnf upgrade", "packages"],
  ["dnf upgrade --releasever=latest", "release"],
  ["dnf upgrade -y --releasever latest", "release"],
  ["dnf --releasever=latest -y update", "release"],
  ["dnf --releasever latest -y update", "release"],
  ["sudo dnf distro-sync --releasever='latest' -y", "release"],
  ["dnf update -y && dnf upgrade --releasever=latest -y", "release"],
  ["dnf upgrade --releasever=latest kernel", "release"],
  ["dnf upgrade --releasever=latest amazon-ssm-agent", undefined],
  ["dnf check-release-update --releasever=latest", undefined],
  ["  - dnf update -y", "packages"],
  ["  - [dnf, update, -y]", "packages"],
  ["  - [ 'dnf', 'upgrade', '--releasever=latest' ]", "release"],
  ["bash -c 'dnf update -y'", "packages"],
  ["dnf upgrade --releasever 2023.9.20251117", undefined],
  ["dnf --releasever=2023.9.20251117 update", undefined],
  ["apt-get update && apt-get -y dist-upgrade", "distribution"],
  ["DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Options::=--force-confold upgrade -y", "distribution"],
  ["sudo apt full-upgrade -y", "distribution"],
  ["apt-get update", undefined],
  ["apt-get install -y --only-upgrade htop", undefined],
  ["apt-mark hold linux-image-aws", undefined],
  ["dnf install -y htop", undefined],
  ["dnf update -y amazon-ssm-agent", undefined],
  ["dnf upgrade --releasever=2023.9.20251117", undefined],
  ["# dnf update -y", undefined],
  ["  #dnf update", undefined],
  ["  # dnf update -y", undefined],
  ["#sudo dnf update -y", undefined],
  ["/opt/notdnf update -y", undefined],
  ["dnfdaemon update -y", undefined],
  ["update -y", undefined],
  ["dnf updateinfo list", undefined],
  ["dnf update -y python3-cuda", undefined],
  ["dnf check-update", undefined],
  ["echo update", undefined],
  ["dnf", undefined],
  ["", undefined],
] as const)("%s: %s", ([command, expected]) => {
  const script = `#!/bin/bash\n${command}\n`;
  const mime = `Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/x-shellscript\n\n${script}--b--\n`;
  expect(driftOf(script)).toBe(expected);
  for (const text of [script, mime]) expect(driftOf(Buffer.from(text).toString("base64"))).toBe(expected);
});

test.for([
  ["#cloud-config\npackage_upgrade: true\n", "packages"],
  ["#cloud-config\npackages: [htop]\npackage_upgrade:  yes # newest\n", "packages"],
  ["#cloud-config\nruncmd:\n  - dnf upgrade --releasever=latest -y\npackage_upgrade: true\n", "release"],
  ['--b\nContent-Type: text/cloud-config; charset="us-ascii"\n\npackage_upgrade: true\n--b--\n', "packages"],
  ['#cloud-config\n"package_upgrade": true\n', "packages"],
  ["#cloud-config\n'apt_upgrade': 'yes'\n", "packages"],
  ['#cloud-config\npackage_upgrade: "true"\n', "packages"],
  ["--b\nContent-Type:  text/cloud-config\n\npackage_upgrade: true\n--b--\n", "packages"],
  ["--b\nContent-Type:text/cloud-config\n\npackage_upgrade: true\n--b--\n", "packages"],
  ["#!/bin/bash\necho '#cloud-config'\npackage_upgrade: true\n", undefined],
  ["#cloud-config\npackage_upgrade: false\n", undefined],
  ["#cloud-config\npackage_update: true\n", undefined],
  ["#cloud-config\n# package_upgrade: true\n", undefined],
  ["#!/bin/bash\ncat <<E\npackage_upgrade: true\nE\n", undefined],
  ["#cloud-config\npackages: [htop]\n", undefined],
] as const)("cloud-config %j", ([text, expected]) => {
  expect(driftOf(text)).toBe(expected);
  expect(driftOf(Buffer.from(text).toString("base64"))).toBe(expected);
});

test("the library's own user data updates nothing", () => {
  expect(driftOf(userData({ maxPods: 50, tools: ["htop", "pciutils"] }) ?? "")).toBe(undefined);
});

test("user data of any length is read in no time", () => {
  const texts = ["dnf ".repeat(100_000), "dnf\n".repeat(100_000), ";".repeat(300_000), " ".repeat(300_000)];
  expect(cpuMsOf(() => texts.forEach(driftOf))).toBeLessThan(1000);
});

const update = Buffer.from("#!/bin/bash\ndnf update -y\n").toString("base64");
const stackOf = (script: unknown, group: object, type = nodeGroup) => {
  const template = resource(launchTemplate, { userData: script }, { name: "template" });
  const links = { propertyDependencies: { launchTemplate: [template.urn] } };
  return [template, resource(type, { ...group }, links)];
};
const gpu = { instanceTypes: ["g5.xlarge"] };

test.for([
  ["an update on GPU nodes", update, gpu, ["fail userData"]],
  ["by the AMI", update, { amiType: "AL2023_x86_64_NVIDIA" }, ["fail userData"]],
  ["AMI unknown", update, { amiType: unknown }, ["unknown amiType"]],
  ["system nodes", update, { instanceTypes: ["t3.medium"] }, []],
  ["no user data", undefined, gpu, []],
  ["a wrong type", { script: update }, gpu, []],
  ["user data that updates nothing", Buffer.from("#!/bin/bash\ndnf install -y htop\n").toString("base64"), gpu, []],
  ["user data unknown", unknown, gpu, ["unknown userData"]],
  ["user data unknown, system nodes", unknown, { instanceTypes: ["t3.medium"] }, []],
  ["types unknown", update, { instanceTypes: unknown }, ["unknown instanceTypes"]],
] as const)("%s", ([, script, group, expected]) => {
  for (const type of [nodeGroup, managedNodeGroup]) {
    expect(verdicts(rule, stackOf(script, group, type))).toEqual(expected);
  }
});

test("an Auto Scaling group, an unused template, and an exempt template", () => {
  const overrides = { mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: "g5.xlarge" }] } } };
  expect(verdicts(rule, stackOf(update, overrides, scalingGroup))).toEqual(["fail userData"]);
  const unseen = { mixedInstancesPolicy: { launchTemplate: { overrides: [{ instanceType: unknown }] } } };
  expect(verdicts(rule, stackOf(update, unseen, scalingGroup))).toEqual([
    "unknown mixedInstancesPolicy.launchTemplate.overrides[0].instanceType",
  ]);
  expect(verdicts(rule, stackOf(update, gpu).slice(0, 1))).toEqual([]);
  const policyConfig = { [rule.id]: { exempt: ["temp*"] } };
  expect(verdicts(rule, stackOf(update, gpu), { policyConfig })).toEqual([]);
});

test("a secret of a script in plain text is not printed", () => {
  const said = findings(rule, stackOf("#!/bin/bash\nexport TOKEN=hunter2\ndnf update -y\n", gpu));
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).not.toContain("hunter2");
});

test("message, without what the script says", () => {
  const message = (command: string) => {
    const script = Buffer.from(`export TOKEN=hunter2\n${command}\n`).toString("base64");
    return findings(rule, stackOf(script, gpu)).map((said) => said.message);
  };
  expect(message("dnf update -y")).toMatchInlineSnapshot(`
    [
      "userData: got a script that updates packages. Amazon Linux 2023 stays at the release of its AMI, but NVIDIA's repository changes. The driver and its libraries then depend on the day the node started. If they do not match the kernel module, the node has no GPU.
    fix: remove the update, and get newer packages with a newer AMI release",
    ]
  `);
  expect(message("dnf upgrade -y --releasever=latest")).toMatchInlineSnapshot(`
    [
      "userData: got a script that updates to the newest release. The packages of a node then depend on the day it started. If a new kernel does not match the driver of the AMI, the node has no GPU.
    fix: remove the update, and get newer packages with a newer AMI release",
    ]
  `);
});
