import { beforeAll, describe, expect, test } from "vitest";
import { openProject } from "../../../planner/plan-stack";
import { stackConfig } from "../../../planner/program/stack-config";
import { record } from "../../../planner/record/record";
import { resolvedCloud, type ResolvedCloud } from "../../../simulation/resolved-cloud";
import { labs } from "../../../stacks/labs";
import { togglesOf, type Lab } from "../../../stacks/run/lab";
import { missingModels } from "../../support/aws-models";
import { checkResources, type Checked } from "../../support/aws-requests/requests-of";
import type { PlannedResource } from "../../support/aws-requests/row";
import { rows } from "../../support/aws-requests/table";
import { remediesOf } from "../../support/labs";
import { plan } from "../../support/plan";
import { mistakes } from "./mistakes";
import { programs, type AwsProgram } from "./programs";
import { ownProject } from "../../support/own-project";
import { saySkipped } from "../../support/skips";

// Every request with which the AWS provider creates what a plan contains, compared with the models of AWS in botocore.

const missing = missingModels();
if (missing !== undefined) saySkipped(`skipped, inputs of AWS by the models of AWS: ${missing}`);

/** What a plan creates on AWS, with what the provider `eks` creates, and what it reads. */
function onAws(resources: readonly PlannedResource[], { children, calls }: ResolvedCloud): PlannedResource[] {
  return [...resources, ...calls].filter(({ type }) => type.startsWith("aws:")).concat(children);
}

async function planned({ region = "ap-northeast-2", run }: AwsProgram): Promise<PlannedResource[]> {
  const cloud = resolvedCloud(region);
  const { resources } = await plan(run, { region, cloud });
  return onAws(resources, cloud);
}

const now = new Date();
const stacks = Object.entries<Lab>(labs).flatMap(([name, lab]) => [
  { name, config: [] as readonly string[] },
  ...[...togglesOf(lab, now), ...remediesOf(lab, now)].map(({ config }) => ({ name, config })),
]);

/** Every plan, by its name. */
async function allPlans(): Promise<Map<string, readonly PlannedResource[]>> {
  const plans = new Map<string, readonly PlannedResource[]>();
  for (const [name, program] of Object.entries(programs)) plans.set(name, await planned(program));
  const { project, program, pulumi } = await openProject(ownProject);
  for (const { name, config } of stacks) {
    const cloud = resolvedCloud("ap-northeast-2");
    const { values } = stackConfig(project, name, config);
    const options = { project: project.name, stack: name, config: values, cloud };
    const { resources } = await record(pulumi, program, options);
    plans.set([name, ...config].join(" "), onAws(resources, cloud));
  }
  return plans;
}

describe.skipIf(missing !== undefined)("inputs of AWS", () => {
  let plans: Map<string, readonly PlannedResource[]>;
  let checked: Checked;

  beforeAll(async () => {
    plans = await allPlans();
    // Most plans have most resources in common.
    const all = [...plans.values()].flat();
    checked = checkResources([...new Map(all.map((each) => [JSON.stringify(each), each])).values()]);
  });

  test("the models of AWS accept every request and every policy of every plan", () => {
    expect(checked.found).toEqual([]);
    expect(checked.unread).toEqual([]);
  });

  test("every plan creates something on AWS", () => {
    expect([...plans].filter(([, resources]) => resources.length < 6).map(([name]) => name)).toEqual([]);
    expect([checked.requests > 800, checked.policies > 60]).toEqual([true, true]);
  });

  test("the table has no row and no exception that no plan needs", () => {
    const inputs = new Map<string, Set<string>>();
    for (const { type, inputs: own } of [...plans.values()].flat()) {
      inputs.set(type, new Set([...(inputs.get(type) ?? []), ...Object.keys(own)]));
    }
    const unused = Object.entries(rows).flatMap(([type, { notSent = {}, policies = {} }]) => {
      const own = inputs.get(type);
      if (!own) return [type];
      return Object.keys({ ...notSent, ...policies })
        .filter((key) => !own.has(key))
        .map((key) => `${type} ${key}`);
    });
    expect(unused).toEqual([]);
  });

  test("each mistake in the inputs of a resource is found, and nothing else", () => {
    const { found } = checkResources(mistakes.map(([name, wrong]) => ({ name, ...wrong })));
    const byName = found.map(({ resource, problems }) => [resource.split(" ").slice(1).join(" "), problems]);
    expect(byName).toEqual(mistakes.map(([name, , message]) => [name, [expect.stringMatching(message)]]));
  });
});
