import fc from "fast-check";
import { expect, test } from "vitest";
import { gpu } from "../support";
import { raw, type Answer, type Answers } from "../../../support/aws-server";
import { accepted, instances, nodegroup } from "./support/answers";
import { lab } from "./support/lab";

// Answers that are not those of AWS: pages of a proxy, empty ones, and ones that are cut off.

const page = "<html><head><title>Sign in</title></head><body>Secret of the proxy</body></html>";
const bodies: readonly (readonly [title: string, type: string, body: string])[] = [
  ["a page", "text/html", page],
  ["a page that is no XML", "text/html", `<!DOCTYPE html>${page.replace("</body>", "<br></body>")}`],
  ["text", "text/plain", "Bad gateway"],
  ["nothing", "application/json", ""],
  ["JSON that is cut off", "application/json", '{"nodegroup": {"nodegroupName": "gpu", "scal'],
  ["XML that is cut off", "text/xml", "<DescribeAutoScalingGroupsResponse><DescribeAutoScalingGroupsResult><Auto"],
  ["JSON of another server", "application/json", '{"error": "blocked"}'],
  ["a list", "application/json", "[]"],
  ["null", "application/json", "null"],
];
const internals =
  /Deserialization|hidden field|\$response|SyntaxError|is not valid JSON|parse error|Cannot read prop|Unknown/;
const fix = "fix: check the network, HTTPS_PROXY and AWS_ENDPOINT_URL, and run the command again";

const session: Answers = {
  DescribeNodegroup: (_, number) => nodegroup({ desired: number > 1 ? 1 : 0 }),
  DescribeAutoScalingGroups: (_, number) => (number > 1 ? instances("InService") : instances()),
  UpdateNodegroupConfig: () => accepted,
};
const services: Readonly<Record<string, string>> = { DescribeNodegroup: "eks", UpdateNodegroupConfig: "eks" };

const cases = ["DescribeNodegroup", "DescribeAutoScalingGroups", "DescribeScalingActivities"].flatMap((operation) =>
  [200, 403, 502].flatMap((status) => bodies.map(([title, type, body]) => ({ operation, status, title, type, body }))),
);

test.for(cases)("$operation, $status: $title", async ({ operation, status, type, body }) => {
  const answer = () => raw(status, type, body);
  const command = operation === "DescribeScalingActivities" ? "status" : "down";
  const { status: result, out, err, changes } = await gpu({ ...session, [operation]: answer }, [command]);
  expect([result, out, changes]).toEqual([2, "", []]);
  expect(err).toContain(`${services[operation] ?? "autoscaling"}:${operation}: got "HTTP ${status}".`);
  expect(err).toContain("The response is not from AWS, or is incomplete.");
  expect(err).toContain(fix);
  expect(err).not.toMatch(internals);
  expect(err).not.toContain("Secret of the proxy");
});

test("any bytes: no internals of the SDK, and no session that is over", async () => {
  const operation = fc.constantFrom("DescribeNodegroup", "DescribeAutoScalingGroups");
  const content = fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.constantFrom("<a/>", "<a><b/></a>", "{}"));
  await fc.assert(
    fc.asyncProperty(operation, fc.constantFrom(200, 400, 404), content, async (name, status, body) => {
      const answers = { ...session, [name]: () => raw(status, "application/json", body) };
      const { status: result, out, err } = await gpu(answers, ["down"]);
      expect([result, out]).toEqual([2, ""]);
      expect(err).not.toMatch(internals);
    }),
    { numRuns: 60 },
  );
});

const [, type = "", body = ""] = bodies[0] ?? [];
const briefly =
  (then: (number: number) => Answer) =>
  (_: object, number: number): Answer =>
    number > 1 && number < 4 ? raw(200, type, body) : then(number);

test("after the request, a page is ridden out, and the request is repeated", async () => {
  const { status, err, changes } = await gpu(
    {
      ...session,
      DescribeNodegroup: briefly((number) => nodegroup({ desired: number > 1 ? 1 : 0 })),
      UpdateNodegroupConfig: (_, number) => (number < 3 ? raw(200, type, body) : accepted),
    },
    ["up", "1"],
  );
  expect([status, changes.length], err).toEqual([0, 3]);
  expect(err).toContain("waiting to send the request: The response is not from AWS");
  expect(err).toContain("waiting for AWS: The response is not from AWS");
});

test("what only a check or the price needs is named, and up goes on", async () => {
  const answers = Object.fromEntries(
    ["GetServiceQuota", "DescribeSubnets", "DescribeInstances"].map((name) => [name, () => raw(200, type, body)]),
  );
  const { gpu: run, running } = await lab(answers);
  const { status, err } = await run("up", "1");
  expect([status, running()], err).toEqual([0, 1]);
  expect(err).toContain("Not checked: ");
  expect(err).not.toMatch(internals);
});
