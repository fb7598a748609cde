import { EC2 } from "@aws-sdk/client-ec2";
import { EKS } from "@aws-sdk/client-eks";
import { expect, test } from "vitest";
import { runPreflight } from "../../cli/preflight";
import { useAws } from "../support/aws-environment";
import { awsServer } from "../support/aws-server";
import { simulator } from "../support/aws-simulators";
import { captured } from "../support/cli";
import { fineAccount } from "./support/answers";

/** The preflight against moto, which has neither the quota, AWS's public parameters, add-on versions nor the simulation of policies. */

const region = "ap-northeast-2";
const moto = simulator("moto", "the preflight");

const missing = ["GetServiceQuota", "GetParameter", "DescribeAddonVersions", "SimulatePrincipalPolicy"];

test("an account with a cluster, a GPU instance and a full subnet", async (context) => {
  const answers = Object.entries(fineAccount).filter(([operation]) => missing.includes(operation));
  const aws = await awsServer(Object.fromEntries(answers), moto(context));
  useAws(aws.endpoint);
  const [ec2, eks] = [new EC2({ region }), new EKS({ region })];
  const { Vpc: vpc } = await ec2.createVpc({ CidrBlock: "10.0.0.0/16" });
  const { Subnet: subnet } = await ec2.createSubnet({ VpcId: vpc?.VpcId, CidrBlock: "10.0.0.0/28" });
  const subnets = [subnet?.SubnetId ?? ""];
  const role = "arn:aws:iam::123456789012:role/nodes";
  await eks.createCluster({ name: "myeks", roleArn: role, resourcesVpcConfig: { subnetIds: subnets } });
  await eks.createNodegroup({
    ...{ clusterName: "myeks", nodegroupName: "myeks-gpu-1", nodeRole: role, subnets, instanceTypes: ["g5.xlarge"] },
    scalingConfig: { minSize: 0, maxSize: 2, desiredSize: 0 },
  });
  await ec2.runInstances({ ImageId: "ami-12c6146b", InstanceType: "g5.xlarge", MinCount: 1, MaxCount: 1 });

  const args = ["--stack", "gpu-lab", "--config", 'publicAccessCidrs=["8.8.8.8/32"]', "--address", "8.8.8.8", "--json"];
  const { status, out } = await captured((console) => runPreflight(args, console));
  const document = JSON.parse(out) as {
    environments: { checks: { id: string; status: string; problems: { why: string }[] }[] }[];
  };
  const checks = document.environments.flatMap((environment) => environment.checks);
  const found = Object.fromEntries(checks.map((check) => [check.id, check.status]));
  expect(found).toEqual({
    ...{ zones: "ok", "gpu-type": "ok", "system-type": "ok", quota: "problem", ami: "ok", addons: "ok", admins: "ok" },
    ...{ address: "ok", subnet: "problem", "log-group": "ok", "secrets-key": "skipped", sizes: "ok" },
    ...{ "second-groups": "skipped", changes: "skipped", permissions: "ok", compatibility: "ok" },
  });
  const why = (id: string) => checks.find((check) => check.id === id)?.problems[0]?.why;
  expect(why("quota")).toContain("Instances outside this node group use 4 vCPU of it.");
  expect(why("subnet")).toContain(`${subnets[0]} has 11 free addresses. 2 more x g5.xlarge take 60`);
  expect(status).toBe(1);
});
