import { expect } from "vitest";
import { askModels, missingModels, type Exchange } from "../../support/aws-models";

/** Compares requests and answers with AWS's models, where these can be read. One process reads all. */
export function expectModels(exchanges: readonly Exchange[]): void {
  const missing = missingModels();
  if (missing !== undefined) {
    process.stderr.write(`Requests and answers are not compared with AWS's models: ${missing}\n`);
    return;
  }
  const judged = askModels({ exchanges }).exchanges;
  const problems = judged.flatMap(({ operation, problems: found }, index) =>
    found.filter((one) => !isOfEc2(exchanges[index], one)).map((one) => `${operation} ${one}`),
  );
  expect([...new Set(problems)]).toEqual([]);
}

/** The model of EC2 lists no errors, and names the fields of a form by their items: `Filter.1.Name` of `Filters`. */
function isOfEc2(exchange: Exchange | undefined, problem: string): boolean {
  return (
    exchange?.service === "ec2" &&
    (/^answer: \w+ is no error of /.test(problem) || /^request: \w+\.\d+\S* is unknown$/.test(problem))
  );
}
