import type { Problem } from "../core/problems";
import type { CapacityRequest, PreflightFacts } from "./preflight-facts";

/** Whether the vCPU quota allows all GPU nodes, in addition to what runs in the account. */
export function quotaProblems(request: CapacityRequest, { quotaVcpus, vcpuUse }: PreflightFacts): Problem[] {
  const { quotaCode, maxSize, instanceType, vcpusPerNode } = request;
  const needed = maxSize * vcpusPerNode;
  const running = vcpuUse?.running ?? 0;
  if (quotaCode === undefined || quotaVcpus === undefined || needed + running <= quotaVcpus) return [];
  const affordable = Math.floor((quotaVcpus - running) / vcpusPerNode);
  const increase = increaseTo(quotaCode, needed + running);
  const uses = needed > quotaVcpus ? "" : ` Instances outside this node group use ${running} vCPU of it.`;
  const ways = [
    ...(affordable >= 1 ? [`set gpuNodes.maxSize to ${affordable}`] : []),
    ...(uses === "" ? [] : ["end these instances"]),
    increase,
  ];
  return [
    {
      code: "not-offered",
      path: "gpuNodes.maxSize",
      got: maxSize,
      why:
        quotaVcpus === 0
          ? `The account's quota ${quotaCode} is 0 vCPU, as in new accounts: no ${instanceType} can start.`
          : `${maxSize} x ${instanceType} need ${needed} vCPU. The account's quota ${quotaCode} is ${quotaVcpus} vCPU.${uses}`,
      fix: ways.join(", or "),
    },
  ];
}

function increaseTo(quotaCode: string, vcpus: number): string {
  return (
    `request a quota of ${vcpus} vCPU: aws service-quotas request-service-quota-increase --service-code ec2 ` +
    `--quota-code ${quotaCode} --desired-value ${vcpus}`
  );
}

/** Other node groups share the quota: if they start all of their nodes, this group may not get all of its own. */
export function quotaWarnings(request: CapacityRequest, { quotaVcpus, vcpuUse }: PreflightFacts): string[] {
  const { quotaCode, maxSize, vcpusPerNode } = request;
  const groups = vcpuUse?.mayStart ?? [];
  const now = maxSize * vcpusPerNode + (vcpuUse?.running ?? 0);
  const more = groups.reduce((sum, { vcpus }) => sum + vcpus, 0);
  if (quotaCode === undefined || quotaVcpus === undefined || now > quotaVcpus || now + more <= quotaVcpus) return [];
  const names = groups.map(({ group, vcpus }) => `${group} (${vcpus} vCPU)`).join(", ");
  return [
    `gpuNodes.maxSize: Other node groups can start nodes that count against the quota ${quotaCode} of ${quotaVcpus} ` +
      `vCPU: ${names}. Not all nodes start at the same time; ${increaseTo(quotaCode, now + more)}`,
  ];
}
