import { expect, test } from "vitest";
import { runPlan } from "../../support/cli";
import { foreignProject } from "../../support/foreign-project";

const sdk = 'import * as pulumi from "@pulumi/pulumi"; import * as aws from "@pulumi/aws";';
const reader = `${sdk}
  const config = new pulumi.Config();
  const size = [config.get("maxSize"), config.getObject("nodes"), config.getSecret("pin"), new pulumi.Config("net").get("cidrBlock")];
  if (aws.config.profile) console.error(aws.config.profile);
  export = () => pulumi.output(size).apply(() => ({ late: config.getNumber("lateNumber") }));`;

async function warningsOf(program: string, config: readonly string[], file = ""): Promise<string[]> {
  const cwd = foreignProject(program, { "Pulumi.dev.yaml": `config:\n  aws:region: us-east-1\n${file}` });
  const { out } = await runPlan(["--json", ...config.flatMap((one) => ["--config", one])], { cwd });
  const { diagnostics } = JSON.parse(out) as { diagnostics: { message: string }[] };
  return diagnostics.flatMap(
    ({ message }) =>
      /does not read (\S+), .*?(?:Did you mean (\S+)\?)?$/.exec(message.trim())?.slice(1).filter(Boolean).join(" ") ??
      [],
  );
}

test.for([
  ["maxsize=3", ["maxsize maxSize"]],
  ["shop:max-size=3", ["max-size maxSize"]],
  ["net:cidrBlok=3", ["net:cidrBlok net:cidrBlock"]],
  ["nodse.min=3", ["nodse nodes"]],
  ["awss:region=mars", ["awss:region aws:region"]],
  ["somethingElse=3", ["somethingElse"]],
  ["maxSize=3", []],
  ["lateNumber=3", []],
  ["nodes.min=3", []],
  ["net:cidrBlock=3", []],
  ["aws:defaultTags.tags.a=b", []],
  ["aws:defaultTag.tags.a=b", ["aws:defaultTag aws:defaultTags"]],
  ["aws:somethingQuiteDifferent=1", []],
  ["kubernetes:kubeConfig=x", ["kubernetes:kubeConfig kubernetes:kubeconfig"]],
  ["kubernetes:context=kind", []],
  ["eks:anything=1", []],
  ["pulumi:tags.a=b", []],
] as const)("of %s, nothing reads %j", async ([override, warnings]) => {
  expect(await warningsOf(reader, [override])).toEqual(warnings);
});

test("a value of the stack's file is one, too", async () => {
  expect(await warningsOf(reader, [], "  shop:config:maxsize: 3\n  pin: { secure: abc }\n")).toEqual([
    "maxsize maxSize",
  ]);
});

test("a program may read all values at once", async () => {
  expect(await warningsOf(`${sdk} console.error(pulumi.runtime.allConfig());`, ["any=1"])).toEqual([]);
});
