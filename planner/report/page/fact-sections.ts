import { leasesOf } from "../../facts/leases";
import { gpuGroupsOf } from "../../facts/node-groups";
import type { ResourceIndex } from "../../facts/resource-index";
import type { Plan } from "../../plan";
import { messagesOf } from "../findings";
import { gpuFacts } from "../gpu-facts";
import { leaseRows } from "../lease-rows";
import { html } from "./markup";
import { factList, type Section } from "./section";

/** The GPU node groups, the leases that end their sessions, and the messages of the program. */
export function factSections(plan: Plan, index: ResourceIndex, prefix: string): Section[] {
  const groups = gpuGroupsOf(index).map((group, at): Section => {
    const cost = plan.cost.gpuGroups.find((one) => one.name === group.logicalName);
    return { id: `${prefix}-gpu-${at}`, title: `GPU nodes ${group.name}`, content: factList(gpuFacts(group, cost)) };
  });
  const leases = leasesOf(index).map((lease, at): Section => {
    return { id: `${prefix}-lease-${at}`, title: `Lease ${lease.name}`, content: factList(leaseRows(lease)) };
  });
  return [...groups, ...leases];
}

export function messageSections(plan: Plan, prefix: string): Section[] {
  const messages = messagesOf(plan);
  if (messages.length === 0) return [];
  const content = html`<ul class="messages">
    ${messages.map(
      ({ severity, message }) => html`<li class="${severity}"><strong>${severity}</strong> ${message}</li>`,
    )}
  </ul>`;
  return [{ id: `${prefix}-messages`, title: "Messages", content }];
}
