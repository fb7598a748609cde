import { expect, test } from "vitest";
import { awsClients } from "../../../aws/clients";
import type { Search } from "../../../commands/leftovers/found";
import { readClusters } from "../../../commands/leftovers/kinds/cluster";
import { kinds } from "../../../commands/leftovers/kinds/kinds";
import { useAws } from "../../support/aws-environment";
import { awsServer, raw } from "../../support/aws-server";

// An answer without its list: an object that is not seen does not protect what it uses.

const region = "ap-northeast-2";
const bodies = {
  "a page": "<html><head><title>Sign in</title></head><body>Secret of the proxy</body></html>",
  "a result without a list":
    "<Response><DescribeLoadBalancersResult/><DescribeTagsResult/><ResponseMetadata/></Response>",
  "another document": "<a><b/></a>",
};

const cases = kinds.flatMap(({ kind, reads, read }) =>
  Object.entries(bodies).map(([title, body]) => ({ kind, reads, read, title, body })),
);

test.for(cases)("$kind, $title: it is not read, and that is said", async ({ reads, read, body }) => {
  const answers = new Proxy({}, { get: () => () => raw(200, "text/xml", body) });
  const server = await awsServer(answers);
  useAws(server.endpoint);
  const aws = awsClients({ region });
  const search: Search = {
    ...{ region, ids: [], vpcs: ["vpc-1"], clusters: ["myeks"], stack: "gpu-lab" },
    ...{ existing: () => readClusters(aws), note: () => undefined },
  };
  const reading = aws.send(reads.join(", "), () => read(aws, search));
  await expect(reading).rejects.toMatchObject({ kind: "answer", code: "HTTP 200" });
  expect(server.operations.length).toBeGreaterThan(0);
});
