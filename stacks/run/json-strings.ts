import { parseJson } from "../../components/core/json-text";
import { step } from "../../components/core/reader/paths";
import { isRecord } from "../../components/core/reader/records";
import type { Problem } from "../../components";

/**
 * Explains a string that contains JSON instead of a list or an object: `pulumi config set --path` stores that.
 *
 * @see https://github.com/pulumi/pulumi/pull/18285
 */
export function explainJsonString(problem: Problem): Problem {
  const { code, path, got } = problem;
  const held = code === "wrong-type" && typeof got === "string" ? parseJson(got) : undefined;
  if (!isRecord(held) && !Array.isArray(held)) return problem;
  const [key = "KEY"] = Object.keys(held);
  const [kind, first] = Array.isArray(held) ? ["a list", step(path, 0)] : ["an object", step(path, key)];
  const why = `Must be ${kind}, not JSON in a string. pulumi config set --path stores each value as a string, number or boolean.`;
  const fix = `pulumi config rm --path '${path}' && pulumi config set --path '${first}' VALUE, and so on for the rest`;
  return { code, path, got: held, why, fix };
}
