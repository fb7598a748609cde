import { describe, expect, test, vi } from "vitest";
import { accepted, instances, nodegroup } from "./session/support/answers";
import { sessionToken, useAws } from "../../support/aws-environment";
import { expectValidExchanges, failure } from "../../support/aws-server";
import { runCli } from "../../support/cli";
import { after, gpu, place } from "./support";

expectValidExchanges(["SomethingNewException"]);

describe("errors of AWS", () => {
  test.for([
    ["ExpiredTokenException", 403, "The security token included in the request is expired", "credentials have expired"],
    ["UnrecognizedClientException", 403, `The token ${sessionToken} is invalid`, "does not accept the credentials"],
    ["InvalidSignatureException", 403, `x-amz-security-token:${sessionToken}`, "does not accept the credentials"],
    ["AccessDeniedException", 403, "User: arn:aws:iam::1:user/u is not authorized", "permission eks:DescribeNodegroup"],
    ["ResourceNotFoundException", 404, "No cluster found for name: myeks.", "list-nodegroups --region ap-northeast-2"],
    ["InvalidParameterException", 400, "The name is wrong", "AWS rejects the request: The name is wrong."],
    ["SomethingNewException", 418, "It is new", "AWS responds with an error: It is new."],
  ] as const)("%s is wrong input with a fix", async ([name, code, message, expected]) => {
    const { status, err, changes } = await gpu({ DescribeNodegroup: () => failure(name, code, message) }, ["up", "1"]);
    expect([status, changes]).toEqual([2, []]);
    expect(err).toMatch(new RegExp(`^ {2}(AWS credentials: |eks:DescribeNodegroup: got "${name}")`, "m"));
    expect(err).toContain(expected);
  });

  test("a short throttling is ridden out, a long one is named", async () => {
    const throttled = failure("ThrottlingException", 429, "Rate exceeded");
    const short = await gpu({ DescribeNodegroup: after(2, throttled, nodegroup()) }, ["status"]);
    expect(short.status).toBe(0);
    const long = await gpu({ DescribeNodegroup: () => throttled }, ["status"]);
    expect([long.status, long.err.includes("AWS throttles the requests of this account.")]).toEqual([2, true]);
  });

  test("a lost network is named before the request, and ridden out after it", async () => {
    const { status, err } = await gpu({ DescribeNodegroup: () => "lost" }, ["status"]);
    expect([status, err.includes("AWS cannot be reached")]).toEqual([2, true]);
    const later = await gpu(
      {
        DescribeNodegroup: (_, number) =>
          number > 1 && number < 7 ? "lost" : nodegroup({ desired: number > 1 ? 1 : 0 }),
        DescribeAutoScalingGroups: (_, number) => (number < 2 ? instances() : instances("InService")),
        UpdateNodegroupConfig: () => accepted,
      },
      ["up", "1"],
    );
    expect(later.status, later.err).toBe(0);
    expect(later.err).toContain("waiting for AWS: AWS cannot be reached");
  });

  test("credentials that expire during the wait: the state is said", async () => {
    const expired = failure("ExpiredTokenException", 403, "expired");
    const { status, out } = await gpu(
      { DescribeNodegroup: after(1, nodegroup(), expired), UpdateNodegroupConfig: () => accepted },
      ["up", "1", "--json"],
    );
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ...{ kind: "GpuSession", version: 1, command: "up", outcome: "lost" },
      requested: { desired: 1 },
      error: { action: "eks:DescribeNodegroup", code: "ExpiredTokenException", why: "The credentials have expired." },
    });
  });

  test("without credentials", async () => {
    useAws("http://127.0.0.1:1");
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    expect(await runCli(["gpu", "status", ...place])).toMatchObject({
      status: 2,
      err: expect.stringContaining("No usable credentials") as string,
    });
  });
});

test("a profile of AWS_PROFILE that does not exist is named", async () => {
  useAws("http://127.0.0.1:1");
  vi.stubEnv("AWS_PROFILE", "missing");
  const { status, err } = await runCli(["gpu", "status", ...place]);
  expect([status, err]).toEqual([2, expect.stringContaining("The profile missing does not exist, or has no usable")]);
  expect(err).toContain("fix: set a profile that aws configure list-profiles prints, or sign in");
});
