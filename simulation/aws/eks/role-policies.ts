import type { WorldObject } from "../../world/kind";
import { propertyOf, type World } from "../../world/world";
import { types } from "../types";
import { shown } from "../values";

/** The role of that ARN. */
export function roleWith(world: World, arn: unknown): WorldObject | undefined {
  return world.find(types.role, { arn })[0];
}

/**
 * Whether a role has a policy that AWS manages.
 *
 * @param instead "or-inline" when a policy written into the role may stand for it: what that allows is not read
 */
export function hasPolicy(world: World, roleArn: unknown, policy: string, instead?: "or-inline"): boolean {
  const role = roleWith(world, roleArn);
  if (!role) return false;
  const name = propertyOf(role, "name");
  const attached = world.find(types.rolePolicyAttachment, { role: name }).map(({ inputs }) => inputs["policyArn"]);
  const own = propertyOf(role, "managedPolicyArns");
  const all = [...attached, ...(Array.isArray(own) ? (own as unknown[]) : [])];
  if (all.some((arn) => shown(arn).endsWith(`:policy/${policy}`))) return true;
  return instead === "or-inline" && world.find(types.rolePolicy, { role: name }).length > 0;
}
