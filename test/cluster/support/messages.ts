import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { kubernetesVersion } from "../../../components/core/versions";
import type { Client } from "./client";
import { eventually } from "./eventually";
import type { Pod } from "./kubelet";

/** The texts of Kubernetes by situation, for the minor that the labs run. */
export const messagesFile = join(__dirname, "..", `messages-${kubernetesVersion}.json`);

export function recordedMessages(): Record<string, string> {
  return existsSync(messagesFile) ? (JSON.parse(readFileSync(messagesFile, "utf8")) as Record<string, string>) : {};
}

/** What differs from run to run: generated names, and the node that the scheduler chooses. */
const generated: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>"],
  [/\bip-[\d-]+\.[\w.-]*internal\b/g, "<node>"],
  [/(?<=[a-z]-)[bcdfghjklmnpqrstvwxz2456789]{5,10}\b/g, "<id>"],
];

/** Compares a text of Kubernetes with the recorded one. Records it with `npm run test:cluster -- --update`. */
export function expectMessage(situation: string, text: string): void {
  const message = generated.reduce((all, [pattern, name]) => all.replace(pattern, name), text).trim();
  const recorded = recordedMessages();
  if (!inject("recordsMessages")) return expect({ [situation]: message }).toEqual({ [situation]: recorded[situation] });
  const all = Object.entries({ ...recorded, [situation]: message }).sort(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(messagesFile, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
}

/** The newest event of a reason in a namespace, as `Reason: message`. */
export async function eventOf(admin: Client, namespace: string, reason: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/events?fieldSelector=reason%3D${reason}`;
  const event = await eventually(`an event ${reason}`, async () => (await admin.list(path)).at(-1));
  return `${reason}: ${String(event["message"])}`;
}

/** Why a pod waits, as the scheduler says. */
export async function schedulerMessageOf(admin: Client, namespace: string, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  return eventually(
    `the scheduler's message for ${name}`,
    async () => {
      const { status } = await admin.get<Pod>(path);
      const scheduled = status.conditions?.find(({ type }) => type === "PodScheduled");
      return scheduled?.status === "False" ? scheduled.message : undefined;
    },
    { seen: () => admin.get(path) },
  );
}
