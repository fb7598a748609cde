import dns from "node:dns";
import { expect, onTestFinished, test, vi } from "vitest";
import { expectValidExchanges, failure, type Params } from "../../../support/aws-server";
import { lab } from "./support/lab";

// Sessions on the simulated account, with errors of AWS and of the network between them.

expectValidExchanges();

const region = "ap-northeast-2";
const throttled = failure("ThrottlingException", 429, "Rate exceeded");
const throttledQuery = failure("Throttling", 400, "Rate exceeded");
const denied = failure("AccessDeniedException", 403, "User: x is not authorized to perform this action");
const expired = failure("ExpiredTokenException", 403, "The security token included in the request is expired");

/** An error for some requests of an operation, by their numbers. */
const during =
  <T>(from: number, to: number, answer: T) =>
  (_: Params, count: number): T | undefined =>
    count >= from && count <= to ? answer : undefined;

test("a short throttling of any request is ridden out, up and down", async () => {
  const { gpu, running } = await lab({
    DescribeNodegroup: during(1, 2, throttled),
    UpdateNodegroupConfig: during(1, 2, throttled),
    DescribeAutoScalingGroups: during(1, 1, throttledQuery),
    DescribeScalingActivities: during(2, 3, throttledQuery),
  });
  const up = await gpu("up", "2");
  expect([up.status, running()], up.err).toEqual([0, 2]);
  expect([(await gpu("down")).status, running()]).toEqual([0, 0]);
});

test("a long throttling during the wait is named, and the wait goes on", async () => {
  const { gpu, running } = await lab({ DescribeNodegroup: during(2, 6, throttled) });
  const { status, err } = await gpu("up", "1");
  expect([status, running()]).toEqual([0, 1]);
  expect(err).toContain("waiting for AWS: AWS throttles the requests of this account.");
});

test("without the permission to scale, nothing changes and the permission is named", async () => {
  const { gpu, running, changes } = await lab({ UpdateNodegroupConfig: () => denied });
  const { status, err } = await gpu("up", "1");
  expect([status, running(), changes().length]).toEqual([2, 0, 1]);
  expect(err).toContain('eks:UpdateNodegroupConfig: got "AccessDeniedException"');
  expect(err).toContain("ask your administrator for the permission eks:UpdateNodegroupConfig");
});

test("without the permission to read activities, the health of the group says why nodes are missing", async () => {
  const { gpu, cloud } = await lab({
    GetServiceQuota: () => denied,
    DescribeScalingActivities: () => failure("AccessDenied", 403, "User: x is not authorized"),
  });
  cloud.account.gpuVcpuQuota = 0;
  const { status, out } = await gpu("up", "1", "--json");
  expect(status).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    outcome: "blocked",
    reasons: [{ id: "quota", evidence: expect.stringMatching(/^AsgInstanceLaunchFailures: /) as string }],
    unread: expect.arrayContaining([expect.objectContaining({ what: "activities" })]) as unknown,
  });
});

test("a network that is lost while the request is sent: it is repeated with the same sizes", async () => {
  const { gpu, running, changes } = await lab({ UpdateNodegroupConfig: during<"lost">(1, 6, "lost") });
  const { status, err } = await gpu("up", "1");
  expect([status, running()], err).toEqual([0, 1]);
  const sizes = changes().map(({ scalingConfig }) => scalingConfig);
  expect(sizes.length).toBeGreaterThan(6);
  expect(new Set(sizes.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(err).toContain("waiting to send the request: AWS cannot be reached");
});

test("credentials that expire during down: the group stays at 0, and the state is said", async () => {
  const { gpu, running } = await lab({ DescribeNodegroup: (_, count) => (count > 4 ? expired : undefined) });
  expect((await gpu("up", "1")).status).toBe(0);
  expect((await gpu("status")).status).toBe(0);
  const { status, out } = await gpu("down");
  expect([status, running()]).toEqual([1, 0]);
  expect(out).toContain(
    "The tool can no longer read data from AWS. eks:DescribeNodegroup: The credentials have expired.",
  );
  expect(out).toContain("EKS accepted desired size 0, and the tool has not read the group since");
});

test("wrong region: one that does not exist", async () => {
  const { gpu } = await lab({});
  vi.stubEnv("AWS_ENDPOINT_URL", "http://eks.none-nowhere-1.example");
  const lookup = vi.spyOn(dns, "lookup").mockImplementation(((
    name: string,
    _: object,
    done: (error: Error) => void,
  ) => {
    done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }));
  }) as unknown as typeof dns.lookup);
  onTestFinished(() => lookup.mockRestore());
  const { status, err } = await gpu("status");
  expect(status, err).toBe(2);
  expect(err).toContain(
    "The address of the service does not exist: the region does not exist, or there is no network.",
  );
  expect(err).toContain(`fix: check the region ${region} and the network`);
});
