import { describe, expect, test, vi } from "vitest";
import { useAws } from "../../support/aws-environment";
import { expectValidExchanges } from "../../support/aws-server";
import { runCli } from "../../support/cli";

expectValidExchanges();

describe("the command line", () => {
  test.for([
    [[], "gpu: Must be up, down or status."],
    [["stat"], "did you mean gpu status?"],
    [["up", "0"], "fix: use gpu down"],
    [["up", "two"], "Must be a number of nodes"],
    [["up", "1", "2"], "Only one number is allowed."],
    [["down", "1"], "Takes no number."],
    [["status", "--dry-run"], "Cannot be combined with status"],
    [["status", "--timeout", "5"], "Cannot be combined with status"],
    [["up", "--timeout", "0"], "Must be a whole number of seconds from 1 to 86400."],
    [["up", "--cluster", "c"], "--nodegroup: Must be set"],
    [["up", "--cluster", "a b"], "aws eks list-nodegroups --cluster-name 'a b' lists the names"],
    [["up", "--nodegroup", "g"], "--cluster: Must be set"],
    [["up", "--stack", "s", "--cluster", "c", "--nodegroup", "g"], "Cannot be combined with --cluster and --nodegroup"],
    [["up", "--regoin", "x"], "did you mean --region?"],
  ] as const)("%j is wrong input", async ([args, expected]) => {
    const { status, err } = await runCli(["gpu", ...args]);
    expect([status, err]).toEqual([2, expect.stringContaining(expected)]);
  });

  test("the value after a misspelt option is no second number of nodes", async () => {
    const { err } = await runCli(["gpu", "up", "1", "--tiemout", "5", "--regoin", "x"]);
    expect([...err.matchAll(/fix: (.*)/g)].map(([, fix]) => fix)).toEqual([
      "did you mean --timeout?",
      "did you mean --region?",
    ]);
  });

  test.for([
    [["gpu", "status", "--clustr", "c", "--nodegroup", "g"], "did you mean --cluster?"],
    [["drill", "--contxt", "c"], "did you mean --context?"],
    [["drill", "--lst"], "did you mean --list?"],
    [["leftovers", "--delte", "--confirm", "x"], "did you mean --delete?"],
  ] as const)("%j: what follows from the misspelt option is no problem of its own", async ([args, fix]) => {
    const { status, err } = await runCli(args);
    expect([status, err.split("\n")]).toEqual([
      2,
      ["1 problem with the command line:", expect.stringContaining("Unknown option."), `    fix: ${fix}`, ""],
    ]);
  });

  test.for([
    [["up", "--timout", "5", "--timeout", "abc"], "Must be a whole number of seconds"],
    [["up", "--stack", "s", "--nodegroup", "g", "--clster", "c"], "Cannot be combined with --cluster"],
  ] as const)("%j: other problems are reported, too", async ([args, why]) => {
    const { err } = await runCli(["gpu", ...args]);
    expect(err).toContain("2 problems with the command line:");
    expect(err).toContain(why);
  });

  test.for([
    [["--region", "x y"], undefined, '--region: got "x y". Must be the name of an AWS region.'],
    [[], "us_east_1", 'AWS_REGION: got "us_east_1". Must be the name of an AWS region.'],
    [[], "frankfurt", 'AWS_REGION: got "frankfurt". Must be the name of an AWS region.'],
  ] as const)("the region of %j and AWS_REGION=%s is wrong", async ([args, variable, expected]) => {
    vi.stubEnv("AWS_REGION", variable);
    const at = ["--cluster", "c", ...args];
    for (const command of [["gpu", "status", "--nodegroup", "g"], ["leftovers"]]) {
      expect(await runCli([...command, ...at])).toMatchObject({
        status: 2,
        err: expect.stringContaining(expected) as string,
      });
    }
    vi.unstubAllEnvs();
  });

  test("a region is required", async () => {
    useAws("http://127.0.0.1:1");
    const { status, err } = await runCli(["gpu", "status", "--cluster", "c", "--nodegroup", "g"]);
    expect([status, err]).toEqual([2, expect.stringContaining("--region: The region is missing")]);
  });
});
