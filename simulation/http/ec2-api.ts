import { valuesAt } from "../../components/core/reader/paths";
import type { Properties } from "../../components/core/wire";
import { dependencyViolation } from "../aws/network/references";
import { types } from "../aws/types";
import { CloudError, existing } from "../cloud/errors";
import type { CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./service-api";
import { ec2Kinds, type Ec2Kind } from "./ec2-answers";
import { tagList, tagsOf, createdAt, nameOf } from "./objects";
import { ec2QueryApi, filtersIn, listIn, type Action, type Filter } from "./query";
import { isRecord } from "../../components/core/reader/records";

/** The operations that delete one object, and the kind of it. */
const deletes: Readonly<Record<string, string>> = {
  DeleteVpc: "Vpcs",
  DeleteSubnet: "Subnets",
  DeleteInternetGateway: "InternetGateways",
  DeleteNatGateway: "NatGateways",
  ReleaseAddress: "Addresses",
  DeleteRouteTable: "RouteTables",
  DeleteSecurityGroup: "SecurityGroups",
  DeleteLaunchTemplate: "LaunchTemplates",
};

/** The operations that delete several objects, and name those that stay. */
const batchDeletes: Readonly<Record<string, string>> = {
  DeleteVpcEndpoints: "VpcEndpoints",
  DeleteFlowLogs: "FlowLogs",
};

/** Kinds without a model. The account has none of them. */
const empty: Readonly<Record<string, string>> = {
  DescribeVolumes: "volumeSet",
  DescribeNetworkInterfaces: "networkInterfaceSet",
  DescribeVpcPeeringConnections: "vpcPeeringConnectionSet",
  DescribeVpnGateways: "vpnGatewaySet",
};

/** The API of EC2: it describes and deletes what the stacks create. Rejections are those of the models. */
export function ec2Api(cloud: SimulatedCloud): ServiceApi {
  const describes = Object.entries(ec2Kinds).map(([name, kind]) => {
    return [`Describe${name}`, describe(cloud, kind)] as const;
  });
  const single = Object.entries(deletes).map(([operation, name]) => [operation, remove(cloud, kindOf(name))] as const);
  const several = Object.entries(batchDeletes).map(([operation, name]) => {
    return [operation, removeEach(cloud, kindOf(name))] as const;
  });
  const none = Object.entries(empty).map(([operation, list]): [string, Action] => [operation, () => ({ [list]: [] })]);
  return ec2QueryApi("http://ec2.amazonaws.com/doc/2016-11-15/", {
    ...Object.fromEntries<Action>([...describes, ...single, ...several, ...none]),
    DescribeInstanceTypeOfferings: (form) => offerings(cloud, form),
    DescribeLaunchTemplateVersions: (form) => templateVersions(cloud, form),
    DetachInternetGateway: (form) => detach(cloud, form),
    DisassociateRouteTable: (form) =>
      done(deleteEach(cloud, [types.routeTableAssociation], [form.get("AssociationId") ?? ""], "InvalidAssociationID")),
    RevokeSecurityGroupIngress: (form) => revoke(cloud, types.ingressRule, form),
    RevokeSecurityGroupEgress: (form) => revoke(cloud, types.egressRule, form),
    TerminateInstances: (form) => terminate(cloud, listIn(form, "InstanceId")),
  });
}

function kindOf(name: string): Ec2Kind {
  const kind = ec2Kinds[name];
  if (!kind) throw new Error(`${name} is not a kind of EC2`);
  return kind;
}

async function done(change: Promise<unknown>): Promise<Properties> {
  await change;
  return { return: true };
}

function describe(cloud: SimulatedCloud, { types: all, param, list, missing, item }: Ec2Kind): Action {
  return (form) => {
    const ids = listIn(form, param);
    const absent = ids.find((id) => !all.some((type) => cloud.get(type, id)));
    if (absent !== undefined) throw notFound(missing, absent);
    const objects = all.flatMap((type) => cloud.find(type)).filter(({ id }) => ids.length === 0 || ids.includes(id));
    const filters = filtersIn(form);
    const found = objects
      .map((object) => ({ object, fields: { ...item(object, cloud), tagSet: tagList(object, "key", "value") } }))
      .filter(({ object, fields }) => filters.every((filter) => matches(object, fields, filter)))
      .map(({ fields }) => fields);
    if (list !== "reservationSet") return { [list]: found };
    return { [list]: found.map((one, at) => ({ reservationId: `r-${at}`, instancesSet: [one] })) };
  };
}

function notFound(missing: string, id: string): CloudError {
  const code = missing === "NatGateway" ? "NatGatewayNotFound" : `${missing}.NotFound`;
  return new CloudError(code, `The ID '${id}' does not exist`);
}

/** Where the answer has what a filter compares. */
const filterPaths: Readonly<Record<string, string>> = {
  "vpc-id": "vpcId",
  "subnet-id": "subnetId",
  "attachment.vpc-id": "attachmentSet[*].vpcId",
  "resource-id": "resourceId",
  "group-id": "groupId",
  "ip-permission.group-id": "ipPermissions[*].groups[*].groupId",
  "egress.ip-permission.group-id": "ipPermissionsEgress[*].groups[*].groupId",
  "instance-type": "instanceType",
  "instance-state-name": "instanceState.name",
  "instance-lifecycle": "instanceLifecycle",
};

function matches(object: CloudObject, fields: Properties, { name, values }: Filter): boolean {
  const tags = tagsOf(object);
  if (name === "tag-key") return values.some((key) => Object.hasOwn(tags, key));
  if (name.startsWith("tag:")) return values.includes(tags[name.slice("tag:".length)] ?? "");
  const path = filterPaths[name];
  if (path === undefined) throw new CloudError("InvalidParameterValue", `The filter '${name}' is invalid`);
  return valuesAt(fields, path).some((value) => values.includes(String(value)));
}

async function deleteEach(cloud: SimulatedCloud, all: readonly string[], ids: readonly string[], missing: string) {
  for (const id of ids) {
    const type = all.find((one) => cloud.get(one, id));
    if (type === undefined) throw notFound(missing, id);
    await cloud.delete(type, id);
  }
}

function remove(cloud: SimulatedCloud, { types: all, param, missing }: Ec2Kind): Action {
  return (form) => {
    const id = form.get(param) ?? "";
    const attached = cloud.get(types.internetGateway, id)?.inputs["vpcId"];
    if (attached !== undefined) throw dependencyViolation(`internetGateway '${id}'`);
    const answer = param === "NatGatewayId" ? { natGatewayId: id } : {};
    return done(deleteEach(cloud, all, [id], missing)).then((success) => ({ ...success, ...answer }));
  };
}

function removeEach(cloud: SimulatedCloud, { types: all, param, missing }: Ec2Kind): Action {
  return async (form) => {
    const unsuccessful: Properties[] = [];
    for (const id of listIn(form, param)) {
      try {
        await deleteEach(cloud, all, [id], missing);
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        unsuccessful.push({ resourceId: id, error: { code: error.code, message: error.explanation } });
      }
    }
    return { unsuccessful };
  };
}

/** A gateway without a VPC. The model rejects it while the VPC has public addresses. */
function detach(cloud: SimulatedCloud, form: URLSearchParams): Promise<Properties> {
  const id = form.get("InternetGatewayId") ?? "";
  const gateway = existing(cloud.get(types.internetGateway, id), notFound("InvalidInternetGatewayID", id));
  if (gateway.inputs["vpcId"] !== form.get("VpcId")) {
    const message = `resource ${id} is not attached to network ${form.get("VpcId") ?? ""}`;
    throw new CloudError("Gateway.NotAttached", message);
  }
  const { vpcId, ...inputs } = gateway.inputs;
  return done(cloud.update(types.internetGateway, id, inputs));
}

function revoke(cloud: SimulatedCloud, type: string, form: URLSearchParams): Promise<Properties> {
  return done(deleteEach(cloud, [type], listIn(form, "SecurityGroupRuleId"), "InvalidSecurityGroupRuleId"));
}

function terminate(cloud: SimulatedCloud, ids: readonly string[]): Properties {
  const absent = ids.find((id) => !cloud.get(types.instance, id));
  if (absent !== undefined) throw notFound("InvalidInstanceID", absent);
  for (const id of ids) cloud.remove(types.instance, id);
  const currentState = { code: 32, name: "shutting-down" };
  const previousState = { code: 16, name: "running" };
  return { instancesSet: ids.map((instanceId) => ({ instanceId, currentState, previousState })) };
}

/** The zones that offer instance types. */
function offerings(cloud: SimulatedCloud, form: URLSearchParams): Properties {
  const found = cloud.call("aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings", {
    locationType: form.get("LocationType") ?? "region",
    filters: filtersIn(form).map(({ name, values }) => ({ name, values: [...values] })),
  });
  const locations = valuesAt(found, "locations[*]");
  return {
    instanceTypeOfferingSet: valuesAt(found, "instanceTypes[*]").map((instanceType, index) => {
      return { instanceType, locationType: "availability-zone", location: locations[index] };
    }),
  };
}

/** The latest version of a launch template: the simulation keeps no earlier one. */
function templateVersions(cloud: SimulatedCloud, form: URLSearchParams): Properties {
  const id = form.get("LaunchTemplateId") ?? "";
  const message = `The specified launch template, with template ID ${id}, does not exist.`;
  const missing = new CloudError("InvalidLaunchTemplateId.NotFound", message);
  const template = existing(cloud.get(types.launchTemplate, id), missing);
  const blockDeviceMappingSet = valuesAt(template.inputs, "blockDeviceMappings[*]").filter(isRecord);
  const version = {
    ...{ launchTemplateId: id, launchTemplateName: nameOf(template), createTime: createdAt(cloud, template) },
    ...{ versionNumber: template.computed["latestVersion"] ?? 1, defaultVersion: true },
    launchTemplateData: { instanceType: template.inputs["instanceType"], blockDeviceMappingSet },
  };
  return { launchTemplateVersionSet: [version] };
}
