import { isDeepStrictEqual } from "node:util";
import { load } from "js-yaml";
import { addonDefaults } from "../../../../components/cluster/addons/addon-defaults";
import { isRecord } from "../../../../components/core/reader/records";
import { CloudError } from "../../../world/cloud-error";
import type { Asked, AskedOf, Kind, WorldObject } from "../../../world/kind";
import { propertyOf, type World } from "../../../world/world";
import { types } from "../../types";
import { arn, besides, recomputesTags, regional, regionalOutputs, shown } from "../../values";
import { invalid } from "../errors";
import { timeIn, uuidFor } from "../hashes";
import { canSchedule, nodesOf } from "../nodes/nodes";
import { clusterNamed, eksTypes, toCluster } from "../types";
import { defaultVersion, isOffered, knownAddon } from "./addon-catalogue";

/**
 * An add-on is ready after half a minute, where it can be.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/addon.go
 */
export const addon: Kind = {
  type: eksTypes.addon,
  required: ["addonName", "clusterName"],
  immutable: ["addonName", "clusterName"],
  references: [
    toCluster("goes-along"),
    {
      path: "serviceAccountRoleArn",
      to: types.role,
      by: "arn",
      missing: (given) => invalid(`The role ${given} does not exist`),
    },
  ],
  unique: ({ clusterName, addonName }) => ({
    key: `${shown(clusterName)}:${shown(addonName)}`,
    error: new CloudError("ResourceInUseException", "Addon already exists."),
  }),
  id: ({ inputs }) => `${shown(inputs["clusterName"])}:${shown(inputs["addonName"])}`,
  computes: [...regionalOutputs, "addonVersion", "arn", "configurationValues", "createdAt", "modifiedAt"],
  recomputes: recomputesTags,
  computed: (asked, id, old) => ({
    ...regional(asked),
    ...besides(asked.inputs, { addonVersion: old?.["addonVersion"] ?? defaultOf(asked), configurationValues: "" }),
    arn: old?.["arn"] ?? arn(asked.world, "eks", `addon/${id.replace(":", "/")}/${uuidFor(asked.world, id)}`),
    createdAt: old?.["createdAt"] ?? timeIn(asked.world),
    modifiedAt: timeIn(asked.world),
  }),
  create: (asked) => refuseAddon(asked, undefined),
  update: (asked) => refuseAddon(asked, propertyOf(asked.object, "addonVersion")),
  settle,
  settleUpdate,
  seconds: { create: 30, update: 60, delete: 20 },
};

/** What EKS takes by default, where that was seen; elsewhere the newest. */
function defaultOf({ world, inputs }: Asked): string | undefined {
  const minor = minorFor({ world, inputs });
  const name = shown(inputs["addonName"]);
  return addonDefaults[minor]?.[name]?.version ?? defaultVersion(name, minor);
}

function minorFor({ world, inputs }: Pick<Asked, "world" | "inputs">): string {
  const cluster = clusterNamed(world, inputs["clusterName"]);
  return shown(cluster && propertyOf(cluster, "version"));
}

/** @param installed the version that is there already: it stays, whatever the cluster has become since */
function refuseAddon({ world, inputs }: Asked, installed: unknown): CloudError | undefined {
  const name = shown(inputs["addonName"]);
  const minor = minorFor({ world, inputs });
  if (!knownAddon(name)) return invalid(`Addon ${name} specified is not supported in ${minor} kubernetes version`);
  const version = inputs["addonVersion"];
  if (version !== undefined && version !== installed && !isOffered(name, shown(version), minor)) {
    return invalid("Addon version specified is not supported");
  }
  if (configurationOf(inputs)) return undefined;
  return invalid("The ConfigurationValues provided is not in valid YAML or JSON format.");
}

/** Undefined for what is no configuration. */
function configurationOf({ configurationValues }: Asked["inputs"]): Readonly<Record<string, unknown>> | undefined {
  if (configurationValues === undefined || configurationValues === "") return {};
  try {
    const read = load(shown(configurationValues));
    return isRecord(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The provider waits out its 20 minutes for an add-on whose pods have no node.
 * @see https://github.com/pulumi/pulumi-eks/issues/1819
 */
function settle({ world, object }: AskedOf): string | undefined {
  if (hasNodes(world, object)) return undefined;
  const waited = "timeout while waiting for state to become 'ACTIVE' (last state: 'DEGRADED', timeout: 20m0s)";
  return `waiting for EKS Add-On (${object.id}) create: ${waited}`;
}

/** What EKS updates; the rest is the provider's own, or tags. */
const updated = ["addonVersion", "configurationValues", "podIdentityAssociations", "serviceAccountRoleArn"];

/**
 * An update waits for the pods as a creation does, and as long.
 * @see https://github.com/aws/containers-roadmap/issues/2242
 */
function settleUpdate({ world, object }: AskedOf, old: WorldObject): string | undefined {
  const asked = updated.some((key) => !isDeepStrictEqual(object.inputs[key], old.inputs[key]));
  if (!asked || hasNodes(world, object)) return undefined;
  const waited = "timeout while waiting for state to become 'Successful' (last state: 'InProgress', timeout: 20m0s)";
  const advice = 'Consider setting resolve_conflicts_on_update to "OVERWRITE"';
  const overwrites = object.inputs["resolveConflictsOnUpdate"] === "OVERWRITE";
  const update = uuidFor(world, `update ${object.id}`);
  return `waiting for EKS Add-On (${object.id}) update (${update}): ${waited}${overwrites ? "" : `. ${advice}`}`;
}

/** Whether the pods of an add-on find a node, where they need one. */
function hasNodes(world: World, { inputs }: WorldObject): boolean {
  if (knownAddon(shown(inputs["addonName"]))?.needsNode !== true) return true;
  return canSchedule(nodesOf(world, shown(inputs["clusterName"])), configurationOf(inputs));
}
