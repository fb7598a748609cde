import { valuesAt } from "../../../components/core/reader/paths";
import { CloudError } from "../../cloud/errors";
import type { Request, ResourceModel, CloudState } from "../../cloud/model";
import { types } from "../types";
import { arn, computedDefaults, regional, stringOf } from "../values";
import { authenticationMode } from "./cluster-rules";
import { timestampIn, uuidFor, clusterNamed, clusterReference, invalidParameter, objectsOfCluster } from "./common";

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/access_entry.go */
export const accessEntry: ResourceModel = {
  type: types.accessEntry,
  defaults: { type: "STANDARD" },
  required: ["clusterName", "principalArn"],
  references: [clusterReference("cascade")],
  unique: ({ clusterName, principalArn }) => ({
    key: `${stringOf(clusterName)} ${stringOf(principalArn)}`,
    error: new CloudError(
      "ResourceInUseException",
      "The specified access entry resource is already in use on this cluster.",
    ),
  }),
  id: ({ inputs }) => `${stringOf(inputs["clusterName"])}:${stringOf(inputs["principalArn"])}`,
  ...regional((request, _, old) => ({
    ...computedDefaults(request.inputs, { kubernetesGroups: [], userName: request.inputs["principalArn"] }),
    accessEntryArn: old?.["accessEntryArn"] ?? arnOf(request),
    createdAt: old?.["createdAt"] ?? timestampIn(request.cloud),
    modifiedAt: timestampIn(request.cloud),
  })),
  validateCreate: (request) => rejectAuthenticationMode(request) ?? rejectPrincipal(request),
  afterDelete: ({ cloud, inputs: { clusterName, principalArn } }) => {
    for (const { type, id, inputs } of objectsOfCluster(cloud, types.accessPolicyAssociation, stringOf(clusterName))) {
      if (inputs["principalArn"] === principalArn) cloud.remove(type, id);
    }
  },
};

function arnOf({ cloud, inputs }: Request): string {
  return entryArn(cloud, stringOf(inputs["clusterName"]), stringOf(inputs["principalArn"]));
}

/** A cluster that uses only its aws-auth ConfigMap accepts no access entries. */
function rejectAuthenticationMode({ cloud, inputs }: Request): CloudError | undefined {
  const cluster = clusterNamed(cloud, inputs["clusterName"]);
  if (!cluster || authenticationMode(cluster.inputs) !== "CONFIG_MAP") return undefined;
  return new CloudError(
    "InvalidRequestException",
    "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html */
function rejectPrincipal({ inputs }: Request): CloudError | undefined {
  const principal = stringOf(inputs["principalArn"]);
  if (principal.includes(":role/aws-service-role/")) {
    return invalidParameter(
      "The caller is not allowed to modify access entries with a principalArn value of a Service Linked Role",
    );
  }
  if (/^arn:[^:]+:iam::\d{12}:(role|user)\/.+/.test(principal)) return undefined;
  return invalidParameter("The principalArn parameter format is not valid");
}

/** @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/access_policy_association.go */
export const accessPolicyAssociation: ResourceModel = {
  type: types.accessPolicyAssociation,
  required: ["accessScope", "clusterName", "policyArn", "principalArn"],
  references: [clusterReference("cascade")],
  id: ({ inputs: { clusterName, principalArn, policyArn } }) => [clusterName, principalArn, policyArn].join("#"),
  computed: ({ cloud, inputs }) => ({
    ...computedDefaults(inputs, { region: cloud.account.region }),
    associatedAt: timestampIn(cloud),
    modifiedAt: timestampIn(cloud),
  }),
  validateCreate: (request) =>
    rejectAuthenticationMode(request) ?? rejectWithoutEntry(request) ?? rejectPolicy(request) ?? rejectScope(request),
};

function rejectWithoutEntry({ cloud, inputs: { clusterName, principalArn } }: Request): CloudError | undefined {
  if (cloud.find(types.accessEntry, { clusterName, principalArn }).length > 0) return undefined;
  return new CloudError(
    "ResourceNotFoundException",
    "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
  );
}

/** @see https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html */
function rejectPolicy({ cloud, inputs }: Request): CloudError | undefined {
  const known = `arn:${cloud.account.partition}:eks::aws:cluster-access-policy/AmazonEKS`;
  if (stringOf(inputs["policyArn"]).startsWith(known)) return undefined;
  return invalidParameter("The specified policyArn could not be found.");
}

function rejectScope({ inputs }: Request): CloudError | undefined {
  const named = valuesAt(inputs, "accessScope.namespaces[*]").length > 0;
  const isNamespace = valuesAt(inputs, "accessScope.type")[0] === "namespace";
  if (isNamespace && !named) {
    return invalidParameter("At least 1 namespace must be provided if the type is set as namespace");
  }
  if (isNamespace || !named) return undefined;
  return invalidParameter("accessScope should not include namespaces if the type is not set as namespace");
}

/**
 * The IAM principal behind a caller: an access entry names the role of a session, not the session.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html
 */
export function principalOf(callerArn: string): string {
  const session = /^(arn:[^:]+):sts::(\d+):assumed-role\/([^/]+)\//.exec(callerArn);
  return session ? `${session[1]}:iam::${session[2]}:role/${session[3]}` : callerArn;
}

/** ARN of the access policy that grants admin permissions on a whole cluster. */
export function adminPolicyArn({ account }: CloudState): string {
  return `arn:${account.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
}

/** `arn:aws:eks:…:access-entry/<cluster>/user/<account>/<name>/<uuid>` */
export function entryArn(cloud: CloudState, clusterName: string, principalArn: string): string {
  const [, account, kind, name] = /^arn:[^:]+:iam::(\d+):(role|user)\/(?:.*\/)?([^/]+)$/.exec(principalArn) ?? [];
  const owner = `${stringOf(kind)}/${stringOf(account)}/${stringOf(name)}`;
  return arn(cloud, "eks", `access-entry/${clusterName}/${owner}/${uuidFor(cloud, principalArn)}`);
}
