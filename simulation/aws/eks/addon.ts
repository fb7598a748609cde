import { isDeepStrictEqual } from "node:util";
import { load } from "js-yaml";
import { addonDefaults } from "../../../components/cluster/addons/addon-defaults";
import { isRecord } from "../../../components/core/reader/records";
import { CloudError } from "../../cloud/errors";
import {
  type CloudObject,
  type ObjectRequest,
  propertyOf,
  type Request,
  type ResourceModel,
  type CloudState,
} from "../../cloud/model";
import { types } from "../types";
import { arn, computedDefaults, regional, stringOf } from "../values";
import { defaultVersion, isAvailable, knownAddon } from "./addon-catalog";
import { arnReference, timestampIn, uuidFor, clusterNamed, clusterReference, invalidParameter } from "./common";
import { canSchedule, nodesOf } from "./nodes/nodes";

/**
 * An EKS add-on.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/addon.go
 */
export const addon: ResourceModel = {
  type: types.addon,
  required: ["addonName", "clusterName"],
  references: [
    clusterReference("cascade"),
    arnReference("serviceAccountRoleArn", types.role, (arn) => `The role ${arn} does not exist`),
  ],
  unique: ({ clusterName, addonName }) => ({
    key: `${stringOf(clusterName)}:${stringOf(addonName)}`,
    error: new CloudError("ResourceInUseException", "Addon already exists."),
  }),
  id: ({ inputs }) => `${stringOf(inputs["clusterName"])}:${stringOf(inputs["addonName"])}`,
  ...regional((request, id, old) => ({
    ...computedDefaults(request.inputs, {
      addonVersion: old?.["addonVersion"] ?? defaultOf(request),
      configurationValues: "",
    }),
    arn: old?.["arn"] ?? arn(request.cloud, "eks", `addon/${id.replace(":", "/")}/${uuidFor(request.cloud, id)}`),
    createdAt: old?.["createdAt"] ?? timestampIn(request.cloud),
    modifiedAt: timestampIn(request.cloud),
  })),
  validateCreate: (request) => rejectAddon(request, undefined),
  validateUpdate: (request) => rejectAddon(request, propertyOf(request.object, "addonVersion")),
  createFailure,
  updateFailure,
  seconds: { create: 30, update: 60, delete: 20 },
};

/** The default version of EKS if it is known, otherwise the newest known version. */
function defaultOf({ cloud, inputs }: Request): string | undefined {
  const minor = minorFor({ cloud, inputs });
  const name = stringOf(inputs["addonName"]);
  return addonDefaults[minor]?.[name]?.version ?? defaultVersion(name, minor);
}

function minorFor({ cloud, inputs }: Pick<Request, "cloud" | "inputs">): string {
  const cluster = clusterNamed(cloud, inputs["clusterName"]);
  return stringOf(cluster && propertyOf(cluster, "version"));
}

/** @param installed the current version, which stays valid after an upgrade of the cluster */
function rejectAddon({ cloud, inputs }: Request, installed: unknown): CloudError | undefined {
  const name = stringOf(inputs["addonName"]);
  const minor = minorFor({ cloud, inputs });
  if (!knownAddon(name))
    return invalidParameter(`Addon ${name} specified is not supported in ${minor} kubernetes version`);
  const version = inputs["addonVersion"];
  if (version !== undefined && version !== installed && !isAvailable(name, stringOf(version), minor)) {
    return invalidParameter("Addon version specified is not supported");
  }
  if (configurationOf(inputs)) return undefined;
  return invalidParameter("The ConfigurationValues provided is not in valid YAML or JSON format.");
}

/** The add-on's configuration; undefined when it is not valid YAML or JSON. */
function configurationOf({ configurationValues }: Request["inputs"]): Readonly<Record<string, unknown>> | undefined {
  if (configurationValues === undefined || configurationValues === "") return {};
  try {
    const read = load(stringOf(configurationValues));
    return isRecord(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The provider waits 20 minutes for an add-on whose pods cannot be scheduled.
 * @see https://github.com/pulumi/pulumi-eks/issues/1819
 */
function createFailure({ cloud, object }: ObjectRequest): string | undefined {
  if (hasNodes(cloud, object)) return undefined;
  const waited = "timeout while waiting for state to become 'ACTIVE' (last state: 'DEGRADED', timeout: 20m0s)";
  return `waiting for EKS Add-On (${object.id}) create: ${waited}`;
}

/** Inputs whose change starts an EKS update. The others are settings of the provider, or tags. */
const updatableInputs = ["addonVersion", "configurationValues", "podIdentityAssociations", "serviceAccountRoleArn"];

/**
 * An update waits for the pods as long as a create does.
 * @see https://github.com/aws/containers-roadmap/issues/2242
 */
function updateFailure({ cloud, object }: ObjectRequest, old: CloudObject): string | undefined {
  const hasUpdate = updatableInputs.some((key) => !isDeepStrictEqual(object.inputs[key], old.inputs[key]));
  if (!hasUpdate || hasNodes(cloud, object)) return undefined;
  const waited = "timeout while waiting for state to become 'Successful' (last state: 'InProgress', timeout: 20m0s)";
  const advice = 'Consider setting resolve_conflicts_on_update to "OVERWRITE"';
  const overwrites = object.inputs["resolveConflictsOnUpdate"] === "OVERWRITE";
  const update = uuidFor(cloud, `update ${object.id}`);
  return `waiting for EKS Add-On (${object.id}) update (${update}): ${waited}${overwrites ? "" : `. ${advice}`}`;
}

/** Whether the pods of an add-on can be scheduled, if it needs a node. */
function hasNodes(cloud: CloudState, { inputs }: CloudObject): boolean {
  if (knownAddon(stringOf(inputs["addonName"]))?.needsNode !== true) return true;
  return canSchedule(nodesOf(cloud, stringOf(inputs["clusterName"])), configurationOf(inputs));
}
