import { accountClients, type Clients } from "../account/clients";
import { regionOf } from "../planner/plan-stack";
import type { StackConfig } from "../planner/program/stack-config";

/** The clients of a stack's region, with the profile of its configuration or else the user's ordinary credentials. */
export function clientsOf(stack: string, config: StackConfig): Clients {
  const profile = config.values["aws:profile"] || undefined;
  return accountClients({ region: regionOf(stack, config), ...(profile !== undefined && { profile }) });
}
