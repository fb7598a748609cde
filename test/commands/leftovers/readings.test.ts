import { expect, test } from "vitest";
import { awsClients } from "../../../aws/clients";
import { searchEc2 } from "../../../commands/leftovers/kinds/ec2-search";
import { findLeftovers } from "../../../commands/leftovers/list";
import type { Target } from "../../../commands/leftovers/leftover";
import { useAws } from "../../support/aws-environment";
import { awsServer } from "../../support/aws-server";
import { simulator } from "../../support/aws-simulators";
import { idOf, makeOrphans, region } from "./support/orphans";

const moto = simulator("moto", "readings of leftovers");

test("each listing reads instances, Auto Scaling groups and node groups once, and reads them again", async (context) => {
  const endpoint = moto(context);
  useAws(endpoint);
  await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
  const { cluster } = await makeOrphans("myeks", "gpu-lab");
  const server = await awsServer({}, endpoint);
  useAws(server.endpoint);
  const target: Target = { region, account: "123456789012", ids: [idOf("myeks")], clusters: [cluster] };
  const aws = awsClients({ region, page: "docs/recovery.md" });
  const all = ["DescribeInstances", "DescribeAutoScalingGroups", "ListNodegroups"];
  const counts = () => all.map((name) => server.operations.filter((one) => one === name).length);
  const { leftovers } = await findLeftovers(aws, target);
  // The profile and the launch template make the instances and the Auto Scaling groups necessary.
  expect(leftovers.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(["instance", "instance profile", "launch template", "node group"]),
  );
  expect(counts()).toEqual([1, 1, 1]);
  // An account can hide the instances of EKS Auto Mode, which hold their subnets.
  expect(server.paramsOf("DescribeInstances")).toMatchObject([{ IncludeManagedResources: "true" }]);
  await findLeftovers(aws, target);
  expect(counts()).toEqual([2, 2, 2]);
});

test("a search by tags asks once for each kind, and leaves out what has the keys with other values", async (context) => {
  const endpoint = moto(context);
  useAws(endpoint);
  await fetch(`${endpoint}/moto-api/reset`, { method: "POST" });
  const own = await makeOrphans("myeks", "gpu-lab");
  await makeOrphans("other", "other-lab");
  const server = await awsServer({}, endpoint);
  useAws(server.endpoint);
  const search = {
    region,
    ids: [idOf("myeks")],
    stack: "organization/eks-gpu-lab/gpu-lab",
    clusters: ["myeks"],
    vpcs: [],
  };
  const aws = awsClients({ region, page: "docs/recovery.md" });
  const unused = { existing: () => Promise.resolve([]), note: () => undefined };
  const found = await searchEc2(aws, { ...search, ...unused }, "Subnets");
  expect(found.map(({ SubnetId }) => SubnetId).sort()).toEqual([...own.subnets].sort());
  expect(server.operations.filter((one) => one === "DescribeSubnets")).toHaveLength(1);
});
