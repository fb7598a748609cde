import { isDeepStrictEqual } from "node:util";
import type { Recording } from "../../../planner/record/record";
import { camelCase, claimsProblems } from "./check";
import { planOf, selected, type Plans } from "./plans";
import type { OutputRow, VariableRow } from "./rows";

/** Where a stack's outputs differ from their rows. */
export function outputProblems(rows: readonly OutputRow[], { outputs }: Recording): string[] {
  const reported = rows.map(({ here }) => here);
  return [
    ...Object.keys(outputs)
      .filter((name) => !reported.includes(name))
      .map((name) => `no row tells of the output ${name}`),
    ...rows.flatMap(({ terraform, here, value, verdict, why }) => [
      ...(here in outputs ? [] : [`there is no output ${here}`]),
      ...(terraform === undefined || camelCase(terraform) === here ? [] : [`${terraform} is not ${here}`]),
      ...(value === undefined || outputs[here] === value ? [] : [`${here} is not ${value}`]),
      ...(verdict !== "different" || why !== undefined ? [] : [`${here} has no reason`]),
    ]),
  ];
}

/** Where a configuration key, or its default, differs from the row of its variable. */
export function variableProblems(row: VariableRow, knownKeys: readonly string[], plans: Plans): string[] {
  const { config, at = [], absent = [], verdict, why } = row;
  const plan = planOf(plans, config);
  const values = at.flatMap((selection) =>
    selected(selection, plan).flatMap(({ expected }) => Object.values(expected).flat()),
  );
  const equal = isDeepStrictEqual(values, [row.default].flat());
  return [
    ...claimsProblems({ ...(config && { config }), here: at, absent }, plans),
    ...(knownKeys.includes(row.key) ? [] : [`there is no key ${row.key}`]),
    ...(verdict === "same" && at.length > 0 && !equal ? [`its default here is ${JSON.stringify(values)}`] : []),
    ...(at.length + absent.length > 0 ? [] : ["nothing shows its default"]),
    ...(verdict === "same" || why !== undefined ? [] : ["the difference has no reason"]),
  ];
}
