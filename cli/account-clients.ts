import { accountClients, type Clients } from "../account/clients";
import { regionOf } from "../planner/plan-stack";
import type { StackConfig } from "../planner/program/stack-config";
import type { AccountPlace } from "../sessions/clients";

/** The clients of a stack's region, with the profile of its configuration or else the user's ordinary credentials. */
export function clientsOf(stack: string, config: StackConfig): Clients {
  return accountClients(placeOf(stack, config));
}

/** The region of a stack, and the profile of its configuration. */
export function placeOf(stack: string, config: StackConfig): AccountPlace {
  const profile = config.values["aws:profile"] || undefined;
  return { region: regionOf(stack, config), ...(profile !== undefined && { profile }) };
}
