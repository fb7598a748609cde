import type { Problem } from "../core/problems";
import { countPath, requestOf } from "./node-count";
import type { NodeRequest, PreflightFacts } from "./preflight-facts";

/** Whether the vCPU quota allows all GPU nodes. */
export function quotaProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const { quotaVcpus } = facts;
  const { quotaCode, maxSize, instanceType, vcpusPerNode } = request;
  const needed = maxSize * vcpusPerNode;
  if (quotaCode === undefined || quotaVcpus === undefined || needed <= quotaVcpus) return [];
  const why =
    quotaVcpus === 0
      ? `The account's quota ${quotaCode} is 0 vCPU, as in new accounts: no ${instanceType} can start.`
      : needs(request, quotaVcpus);
  return [tooMany(request, why, quotaVcpus, [increaseTo(quotaCode, needed, facts)])];
}

/** Whether what runs in the account leaves enough of the quota for all GPU nodes. */
export function quotaUseProblems(request: NodeRequest, facts: PreflightFacts): Problem[] {
  const { quotaVcpus, vcpuUse } = facts;
  const { quotaCode, maxSize, vcpusPerNode } = request;
  const needed = maxSize * vcpusPerNode;
  const running = vcpuUse?.running ?? 0;
  if (quotaCode === undefined || quotaVcpus === undefined) return [];
  if (needed > quotaVcpus || needed + running <= quotaVcpus) return [];
  const why = `${needs(request, quotaVcpus)} Instances outside this node group use ${running} vCPU of it.`;
  const ways = ["end these instances", increaseTo(quotaCode, needed + running, facts)];
  return [tooMany(request, why, quotaVcpus - running, ways)];
}

function needs({ quotaCode, maxSize, instanceType, vcpusPerNode }: NodeRequest, quotaVcpus: number): string {
  const needed = maxSize * vcpusPerNode;
  return `${maxSize} x ${instanceType} need ${needed} vCPU. The account's quota ${quotaCode} is ${quotaVcpus} vCPU.`;
}

function tooMany(request: NodeRequest, why: string, freeVcpus: number, ways: readonly string[]): Problem {
  const { maxSize: got, vcpusPerNode } = request;
  const affordable = Math.floor(freeVcpus / vcpusPerNode);
  const smaller = affordable >= 1 ? [requestOf(request, affordable)] : [];
  return { code: "not-offered", path: countPath(request), got, why, fix: [...smaller, ...ways].join(", or ") };
}

function increaseTo(quotaCode: string, vcpus: number, { region }: PreflightFacts): string {
  return (
    `request a quota of ${vcpus} vCPU: aws service-quotas request-service-quota-increase --service-code ec2 ` +
    `--quota-code ${quotaCode} --desired-value ${vcpus}${region === undefined ? "" : ` --region ${region}`}`
  );
}

/** Other node groups share the quota: if they start all of their nodes, this group may not get all of its own. */
export function quotaWarnings(request: NodeRequest, facts: PreflightFacts): string[] {
  const { quotaVcpus, vcpuUse } = facts;
  const { quotaCode, maxSize, vcpusPerNode } = request;
  const groups = vcpuUse?.mayStart ?? [];
  const now = maxSize * vcpusPerNode + (vcpuUse?.running ?? 0);
  const more = groups.reduce((sum, { vcpus }) => sum + vcpus, 0);
  if (quotaCode === undefined || quotaVcpus === undefined || now > quotaVcpus || now + more <= quotaVcpus) return [];
  const names = groups.map(({ group, vcpus }) => `${group} (${vcpus} vCPU)`).join(", ");
  return [
    `${countPath(request)}: Other node groups can start nodes that count against the quota ${quotaCode} of ${quotaVcpus} ` +
      `vCPU: ${names}. Not all nodes start at the same time; ${increaseTo(quotaCode, now + more, facts)}`,
  ];
}
