import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import {
  ExternalDnsIdentity,
  externalDnsIdentityProblems,
  type ExternalDnsIdentityArgs,
} from "../../../../components/cluster/controllers/external-dns-identity";
import { externalDnsPolicy } from "../../../../components/cluster/controllers/external-dns-identity";
import { byName, only, plan } from "../../../support/plan";

const planned = (args: Partial<ExternalDnsIdentityArgs> = {}) =>
  plan(() => new ExternalDnsIdentity("external-dns", { clusterName: "gpu-lab", ...args }));
const problems = (hostedZoneIds: unknown) =>
  externalDnsIdentityProblems({ clusterName: "gpu-lab", hostedZoneIds } as ExternalDnsIdentityArgs);

test.for([
  ["no zone by default", {}, []],
  ["named zones, also those made in the same program", { hostedZoneIds: ["Z1", pulumi.output("Z2")] }, ["Z1", "Z2"]],
  ["all zones", { hostedZoneIds: "all" }, "all"],
] as const)("it may change %s", async ([, args, hostedZoneIds]) => {
  const recording = await planned(args);
  expect(JSON.parse(byName(recording, "external-dns-policy").inputs["policy"] as string)).toEqual(
    externalDnsPolicy({ partition: "aws", hostedZoneIds }),
  );
});

test("it is for the pods of the EKS add-on external-dns", async () => {
  const recording = await planned();
  expect(byName(recording, "external-dns-association").inputs).toMatchObject({
    clusterName: "gpu-lab",
    namespace: "external-dns",
    serviceAccount: "external-dns",
  });
  expect(only(recording, "eks-gpu-lab:index:ExternalDnsIdentity").inputs).toEqual({
    clusterName: "gpu-lab",
    hostedZoneIds: [],
    tags: {},
  });
});

const wrong = [
  ["a name", ["lab.example.com"], "not-allowed", "hostedZoneIds[0]"],
  ["the form of the API", ["/hostedzone/Z1"], "not-allowed", "hostedZoneIds[0]"],
  ["a star", ["*"], "not-allowed", "hostedZoneIds[0]"],
  ["a number", [1], "wrong-type", "hostedZoneIds[0]"],
  ["a string", "Z1", "wrong-type", "hostedZoneIds"],
] as const;

test.for(wrong)("rejected: %s", ([, got, code, path]) => {
  expect(problems(got).map((problem) => [problem.code, problem.path])).toEqual([[code, path]]);
});

test("the messages", () => {
  const found = wrong.flatMap(([, got]) => problems(got));
  expect(found.map(({ path, why, fix }) => `${path}: ${why} | ${fix}`)).toMatchSnapshot();
});
