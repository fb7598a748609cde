import { onTestFinished } from "vitest";
import { runGpu } from "../../../../../commands/gpu/gpu";
import { types } from "../../../../../simulation/aws/types";
import { serveAccount } from "../../../../../simulation/http/account-server";
import { clusterForNodes, gpuInputs, makeGroup } from "../../../../simulation/aws/eks/foundation";
import { useAws } from "../../../../support/aws-environment";
import { awsServer, type Answers } from "../../../../support/aws-server";
import { captured } from "../../../../support/cli";

const region = "ap-northeast-2";

/** A group of GPU nodes in a simulated account, behind a server that gives these answers instead. */
export async function lab(answers: Answers = {}, group: object = {}) {
  const cloud = await clusterForNodes();
  await makeGroup(cloud, { ...gpuInputs, ...group });
  const account = await serveAccount(cloud);
  onTestFinished(() => account.close());
  const between = await awsServer(answers, account.endpoint);
  useAws(between.endpoint);
  const place = ["--cluster", "lab", "--nodegroup", "gpu", "--region", region];
  const gpu = (...args: readonly string[]) =>
    captured((console) => runGpu([...args, ...place], console, { intervalMs: 10 }));
  const running = () => cloud.find(types.instance).length;
  return { cloud, gpu, running, changes: () => between.paramsOf("UpdateNodegroupConfig"), aws: between };
}

export type Lab = Awaited<ReturnType<typeof lab>>;
