import { runGpu } from "../../../commands/gpu/gpu";
import { patchCommand, shellText } from "../../../components/core/text";
import { fineAccount } from "../../aws/account/support/answers";
import { useAws } from "../../support/aws-environment";
import { awsServer } from "../../support/aws-server";
import { captured } from "../../support/cli";
import { usePulumi } from "../../support/fake-pulumi";
import type { Access } from "./control-plane";
import { kubeconfigFile } from "./kubeconfig";

interface Document {
  readonly outcome?: string;
  readonly instances?: readonly unknown[];
}

/** Runs `eks-gpu-lab gpu` for a NodePool of a control plane, in a stack that states this limit, with a simulated AWS. */
export async function gpuWith(found: Access, pool: string, limit: number, args: readonly string[]) {
  const aws = await awsServer({
    ...fineAccount,
    DescribeCluster: () => ({ cluster: { name: "loopback", endpoint: found.server } }),
  });
  useAws(aws.endpoint);
  const scaleUp = patchCommand(`nodepool ${pool}`, { spec: { limits: { "nvidia.com/gpu": String(limit) } } });
  const configureKubectl = "aws eks update-kubeconfig --region ap-northeast-2 --name loopback";
  const outputs = shellText([JSON.stringify({ scaleUp, configureKubectl })]);
  usePulumi(`case "$*" in *show-name*) echo dev ;; *) echo ${outputs} ;; esac`);
  const options = [...args, "--json", "--kubeconfig", kubeconfigFile("admin", found)];
  const { status, out, err } = await captured((console) => runGpu(options, console, { intervalMs: 500 }));
  return { status, err, document: (out === "" ? {} : JSON.parse(out)) as Document };
}
