import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import {
  clusterNamed,
  clusterNotFound,
  invalidParameter,
  objectsOfCluster,
  timestampIn,
  uuidFor,
} from "../aws/eks/common";
import { scalingConfigOf } from "../aws/eks/nodes/node-group-rules";
import { scaleGroup } from "../aws/eks/nodes/instances";
import { types } from "../aws/types";
import { CloudError, existing } from "../cloud/errors";
import { propertyOf, type CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./service-api";
import { accessEntryAnswer, addonAnswer, associationAnswer, clusterAnswer, nodegroupAnswer } from "./eks-answers";
import { operation, restJson, type Labels } from "./rest-json";

/** A change of a node group. Its answer has the shape of the API. */
type Update = Readonly<Record<string, unknown>> & { readonly id: string };

const groupPath = "/clusters/{cluster}/node-groups/{group}";

/** HTTP status by the error of EKS; 400 for the others. @see https://docs.aws.amazon.com/eks/latest/APIReference */
const statuses: Readonly<Record<string, number>> = { ResourceInUseException: 409 };

/** The API of EKS: clusters, node groups, and the change of their sizes. Errors have the words of EKS. */
export function eksApi(cloud: SimulatedCloud): ServiceApi {
  const updates = new Map<string, Update>();
  const cluster = ({ cluster: name = "" }: Labels) => existing(clusterNamed(cloud, name), clusterNotFound(name));
  const group = (labels: Labels) => groupNamed(cloud, cluster(labels), labels["group"] ?? "");
  return restJson(statuses, [
    operation("GET", "/clusters", () => ({ clusters: cloud.find(types.cluster).map(({ id }) => id) })),
    operation("GET", "/clusters/{cluster}", (labels) => ({ cluster: clusterAnswer(cluster(labels)) })),
    operation("GET", "/clusters/{cluster}/node-groups", (labels) => ({
      nodegroups: objectsOfCluster(cloud, types.nodeGroup, cluster(labels).id).map(nameOf),
    })),
    operation("GET", groupPath, (labels) => ({ nodegroup: nodegroupAnswer(cloud, group(labels)) })),
    deletion(cloud, groupPath, group, "nodegroup", (found) => nodegroupAnswer(cloud, found)),
    deletion(cloud, "/clusters/{cluster}", cluster, "cluster", clusterAnswer),
    ...addonOperations(cloud, cluster),
    operation("GET", "/clusters/{cluster}/access-entries/{principal}", (labels) => {
      const entry = cloud.get(types.accessEntry, `${cluster(labels).id}:${labels["principal"]}`);
      const missing = notFound("The specified principalArn could not be found.");
      return { accessEntry: accessEntryAnswer(existing(entry, missing)) };
    }),
    operation("GET", "/clusters/{cluster}/pod-identity-associations", ({ namespace, serviceAccount, ...labels }) => ({
      associations: objectsOfCluster(cloud, types.podIdentityAssociation, cluster(labels).id)
        .filter(({ inputs }) => namespace === undefined || inputs["namespace"] === namespace)
        .filter(({ inputs }) => serviceAccount === undefined || inputs["serviceAccount"] === serviceAccount)
        .map(associationAnswer),
    })),
    operation("POST", `${groupPath}/update-config`, (labels, body) => {
      const update = changeSizes(cloud, group(labels), body);
      updates.set(update.id, update);
      return { update };
    }),
    operation("GET", "/clusters/{cluster}/updates/{update}", (labels) => ({
      update: finished(updates.get(labels["update"] ?? ""), cluster(labels), labels["update"] ?? ""),
    })),
  ]);
}

type Find = (labels: Labels) => CloudObject;

/** Deletes an object, and answers as EKS does while that takes place. @param key of the answer */
function deletion(
  cloud: SimulatedCloud,
  path: string,
  find: Find,
  key: string,
  answer: (found: CloudObject) => object,
) {
  return operation("DELETE", path, async (labels) => {
    const found = find(labels);
    const before = answer(found);
    await cloud.delete(found.type, found.id);
    return { [key]: { ...before, status: "DELETING" } };
  });
}

function addonOperations(cloud: SimulatedCloud, cluster: Find) {
  const path = "/clusters/{cluster}/addons/{addon}";
  const addon = (labels: Labels) => {
    const found = cloud.get(types.addon, `${cluster(labels).id}:${labels["addon"]}`);
    return existing(found, notFound(`No addon: ${labels["addon"]} found in cluster`));
  };
  return [
    operation("GET", "/clusters/{cluster}/addons", (labels) => ({
      addons: objectsOfCluster(cloud, types.addon, cluster(labels).id).map(({ inputs }) => inputs["addonName"]),
    })),
    operation("GET", path, (labels) => ({ addon: addonAnswer(addon(labels)) })),
    deletion(cloud, path, addon, "addon", addonAnswer),
  ];
}

function groupNamed(cloud: SimulatedCloud, cluster: CloudObject, name: string): CloudObject {
  const found = objectsOfCluster(cloud, types.nodeGroup, cluster.id).find((group) => nameOf(group) === name);
  return existing(found, notFound(`No node group found for name: ${name}.`));
}

function notFound(message: string): CloudError {
  return new CloudError("ResourceNotFoundException", message);
}

const nameOf = (group: CloudObject) => String(propertyOf(group, "nodeGroupName"));

/** The sizes that a request does not state stay. Other settings of a group are those of the stack. */
function changeSizes(cloud: SimulatedCloud, group: CloudObject, body: Properties): Update {
  const { scalingConfig, clientRequestToken, ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalidParameter(`The simulated account changes scalingConfig only, not ${other}`);
  if (!isRecord(scalingConfig)) throw invalidParameter("There are no changes to update");
  const before = scalingConfigOf(group.inputs);
  scaleGroup(cloud, group, { ...before, ...scalingConfig });
  return {
    id: uuidFor(cloud, `update ${cloud.now} of ${group.id} to ${JSON.stringify(scalingConfig)}`),
    status: "InProgress",
    type: "ConfigUpdate",
    params: Object.entries(scalingConfig).map(([key, value]) => ({
      type: `${key.charAt(0).toUpperCase()}${key.slice(1)}`,
      value: String(value),
    })),
    createdAt: Date.parse(timestampIn(cloud)) / 1000,
    errors: [],
  };
}

function finished(update: Update | undefined, cluster: CloudObject, id: string): object {
  if (update) return { ...update, status: "Successful" };
  throw notFound(`No update found for ID: ${id} in cluster ${cluster.id}`);
}
