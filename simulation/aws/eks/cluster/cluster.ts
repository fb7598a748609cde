import { isRecord } from "../../../../components/core/reader/records";
import { CloudError } from "../../../world/cloud-error";
import type { Asked, Kind, WorldObject } from "../../../world/kind";
import { valuesAt } from "../../../world/paths";
import { propertyOf } from "../../../world/world";
import { holdsGroup, holdsSubnet } from "../../network/references";
import { types } from "../../types";
import { arn, besides, recomputesTags, regional, regionalOutputs, shown } from "../../values";
import { makeParts, takePartsAlong } from "./cluster-parts";
import { authenticationMode, kubernetesVersions, refuseCluster, refuseClusterUpdate } from "./cluster-rules";
import { invalid } from "../errors";
import { digitsFor, timeIn } from "../hashes";
import { eksTypes } from "../types";

/**
 * The control plane. A second of the world is one of AWS's: a control plane takes ten minutes, its update as long, its
 * deletion two and a half.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/cluster.go
 */
export const cluster: Kind = {
  type: eksTypes.cluster,
  autoname: { property: "name", maxLength: 100 },
  defaults: { bootstrapSelfManagedAddons: true },
  required: ["roleArn", "vpcConfig"],
  refine: ({ accessConfig, vpcConfig, ...inputs }) => ({
    ...inputs,
    ...laidUnder("accessConfig", accessConfig, { bootstrapClusterCreatorAdminPermissions: true }),
    ...laidUnder("vpcConfig", vpcConfig, { endpointPrivateAccess: false, endpointPublicAccess: true }),
  }),
  immutable: [
    "name",
    "roleArn",
    "bootstrapSelfManagedAddons",
    "accessConfig.bootstrapClusterCreatorAdminPermissions",
    "kubernetesNetworkConfig.ipFamily",
    "kubernetesNetworkConfig.serviceIpv4Cidr",
    "outpostConfig",
  ],
  // Encryption with a key can be added, and never be taken away.
  replaces: (path, change) => change === "delete" && path === "encryptionConfig",
  references: [
    { path: "roleArn", to: types.role, by: "arn", missing: (given) => invalid(`roleArn, ${given}, does not exist`) },
    {
      path: "vpcConfig.subnetIds[*]",
      to: types.subnet,
      missing: (id) => invalid(`The subnet ID '${id}' does not exist`),
      held: holdsSubnet,
    },
    {
      path: "vpcConfig.securityGroupIds[*]",
      to: types.securityGroup,
      missing: (id) => invalid(`The security group '${id}' does not exist`),
      held: holdsGroup,
    },
    {
      path: "encryptionConfig.provider.keyArn",
      to: types.key,
      by: "arn",
      missing: (given) => invalid(`The keyArn in encryptionConfig provider is not found: ${given}`),
    },
  ],
  unique: ({ name }) => ({
    key: shown(name),
    error: new CloudError("ResourceInUseException", `Cluster already exists with name: ${shown(name)}`),
  }),
  id: ({ inputs }) => shown(inputs["name"]),
  computes: [
    ...regionalOutputs,
    "accessConfig",
    "arn",
    "certificateAuthority",
    "createdAt",
    "deletionProtection",
    "endpoint",
    "identities",
    "kubernetesNetworkConfig",
    "platformVersion",
    "status",
    "upgradePolicy",
    "version",
    "vpcConfig.clusterSecurityGroupId",
    "vpcConfig.publicAccessCidrs",
    "vpcConfig.vpcId",
  ],
  recomputes: recomputesTags,
  computed: (asked, id, old) => ({
    ...regional(asked),
    ...(old ? lasting(old) : bornWith(asked, id)),
    ...besides(asked.inputs, {
      deletionProtection: false,
      kubernetesNetworkConfig: serviceNetwork(asked),
      upgradePolicy: { supportType: "EXTENDED" },
      version: old?.["version"] ?? kubernetesVersions.at(-1),
    }),
    accessConfig: accessConfig(asked),
    platformVersion: "eks.9",
    status: "ACTIVE",
    vpcConfig: vpcConfig(asked, id, old),
  }),
  create: refuseCluster,
  update: refuseClusterUpdate,
  remove: ({ object }) =>
    object.inputs["deletionProtection"] === true
      ? new CloudError("InvalidRequestException", "Cluster cannot be deleted while deletion protection is enabled")
      : undefined,
  after: makeParts,
  afterRemove: takePartsAlong,
  seconds: { create: 600, update: 600, delete: 150 },
};

/** The provider's defaults inside of an input, where that is given and known. */
function laidUnder(key: string, given: unknown, defaults: Asked["inputs"]): Asked["inputs"] {
  if (given === undefined) return {};
  return { [key]: isRecord(given) ? { ...defaults, ...given } : given };
}

function bornWith({ world }: Asked, name: string): Asked["inputs"] {
  const { region } = world.account;
  const digits = digitsFor(world, `cluster ${name}`, 32).toUpperCase();
  const certificate = Buffer.from(`certificate of ${name}, ${digits}`).toString("base64");
  return {
    arn: arn(world, "eks", `cluster/${name}`),
    createdAt: timeIn(world),
    endpoint: `https://${digits}.gr7.${region}.eks.amazonaws.com`,
    certificateAuthority: { data: certificate },
    identities: [{ oidcs: [{ issuer: `https://oidc.eks.${region}.amazonaws.com/id/${digits}` }] }],
  };
}

function lasting({ arn, createdAt, endpoint, certificateAuthority, identities }: Asked["inputs"]): Asked["inputs"] {
  return { arn, createdAt, endpoint, certificateAuthority, identities };
}

function accessConfig({ inputs }: Asked): Asked["inputs"] {
  const bootstrap = valuesAt(inputs, "accessConfig.bootstrapClusterCreatorAdminPermissions")[0] ?? true;
  return {
    authenticationMode: authenticationMode(inputs),
    bootstrapClusterCreatorAdminPermissions: bootstrap,
  };
}

/** EKS adds the VPC of the subnets and a security group of its own. */
function vpcConfig({ world, inputs }: Asked, name: string, old: Asked["inputs"] | undefined): Asked["inputs"] {
  const made = valuesAt(old ?? {}, "vpcConfig.clusterSecurityGroupId")[0];
  return {
    endpointPrivateAccess: false,
    endpointPublicAccess: true,
    publicAccessCidrs: ["0.0.0.0/0"],
    ...(inputs["vpcConfig"] as Asked["inputs"]),
    vpcId: vpcOf({ world, inputs }),
    clusterSecurityGroupId: made ?? `sg-${digitsFor(world, `security group of ${name}`, 17)}`,
  };
}

function vpcOf({ world, inputs }: Pick<Asked, "world" | "inputs">): unknown {
  const subnet = world.get(types.subnet, shown(valuesAt(inputs, "vpcConfig.subnetIds[*]")[0]));
  return subnet && propertyOf(subnet, "vpcId");
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html */
function serviceNetwork({ world, inputs }: Asked): Asked["inputs"] {
  const vpc: WorldObject | undefined = world.get(types.vpc, shown(vpcOf({ world, inputs })));
  const serviceIpv4Cidr = shown(vpc?.inputs["cidrBlock"]).startsWith("10.") ? "172.20.0.0/16" : "10.100.0.0/16";
  return { ipFamily: "ipv4", serviceIpv4Cidr };
}
