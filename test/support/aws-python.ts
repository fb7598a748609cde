import { pythonEnvironment, type Python } from "./python-environment";

/**
 * What others wrote and maintain about AWS: botocore has the models of all requests and answers, cfn-lint the actions and the
 * grammar of IAM policies, and moto simulates AWS over HTTP.
 *
 * Each version is exact: later models have other limits.
 */
const packages = ["moto[server]==5.2.5", "boto3==1.44.5", "botocore==1.44.5", "cfn-lint==1.58.0"];

let found: Python | undefined;

/**
 * The Python of the environment, which is made the first time; or why there is none.
 *
 * @throws Error if there is none and REQUIRE_AWS_MODELS is 1
 */
export function awsPython(): Python {
  found ??= pythonEnvironment(packages);
  if ("why" in found && process.env["REQUIRE_AWS_MODELS"] === "1") throw new Error(found.why);
  return found;
}
