import { valuesAt } from "../../../components/core/reader/paths";
import { isRecord } from "../../../components/core/reader/records";
import { CloudError } from "../../cloud/errors";
import { type CloudObject, propertyOf, type Request, type ResourceModel } from "../../cloud/model";
import { groupInUse, subnetInUse } from "../network/references";
import { types } from "../types";
import { arn, computedDefaults, regional, stringOf } from "../values";
import { createOwnedObjects, deleteOwnedObjects } from "./owned-objects";
import { authenticationMode, kubernetesVersions, rejectCluster, rejectClusterUpdate } from "./cluster-rules";
import { arnReference, hexFor, timestampIn, invalidParameter } from "./common";

/**
 * An EKS cluster: the control plane.
 *
 * @see https://github.com/hashicorp/terraform-provider-aws/blob/main/internal/service/eks/cluster.go
 */
export const cluster: ResourceModel = {
  type: types.cluster,
  autoname: { property: "name", maxLength: 100 },
  defaults: { bootstrapSelfManagedAddons: true },
  required: ["roleArn", "vpcConfig"],
  normalize: ({ accessConfig, vpcConfig, kubernetesNetworkConfig = {}, ...inputs }) => ({
    ...inputs,
    // The provider compares with what EKS has chosen: the family that it would choose again replaces no cluster.
    ...withDefaults("kubernetesNetworkConfig", kubernetesNetworkConfig, { ipFamily: "ipv4" }),
    ...withDefaults("accessConfig", accessConfig, { bootstrapClusterCreatorAdminPermissions: true }),
    ...withDefaults("vpcConfig", vpcConfig, { endpointPrivateAccess: false, endpointPublicAccess: true }),
  }),
  references: [
    arnReference("roleArn", types.role, (given) => `roleArn, ${given}, does not exist`),
    {
      path: "vpcConfig.subnetIds[*]",
      to: types.subnet,
      missing: (id) => invalidParameter(`The subnet ID '${id}' does not exist`),
      onDelete: subnetInUse,
    },
    {
      path: "vpcConfig.securityGroupIds[*]",
      to: types.securityGroup,
      missing: (id) => invalidParameter(`The security group '${id}' does not exist`),
      onDelete: groupInUse,
    },
    arnReference("encryptionConfig.provider.keyArn", types.key, (given) => {
      return `The keyArn in encryptionConfig provider is not found: ${given}`;
    }),
  ],
  unique: ({ name }) => ({
    key: stringOf(name),
    error: new CloudError("ResourceInUseException", `Cluster already exists with name: ${stringOf(name)}`),
  }),
  id: ({ inputs }) => stringOf(inputs["name"]),
  ...regional((request, id, old) => ({
    ...(old ? stableOutputs(old) : initialOutputs(request, id)),
    ...computedDefaults(request.inputs, {
      deletionProtection: false,
      upgradePolicy: { supportType: "EXTENDED" },
      version: old?.["version"] ?? kubernetesVersions.at(-1),
    }),
    kubernetesNetworkConfig: { ...serviceNetwork(request), ...(request.inputs["kubernetesNetworkConfig"] as object) },
    accessConfig: accessConfig(request),
    platformVersion: "eks.9",
    status: "ACTIVE",
    vpcConfig: vpcConfig(request, id, old),
  })),
  validateCreate: rejectCluster,
  validateUpdate: rejectClusterUpdate,
  validateDelete: ({ object }) =>
    object.inputs["deletionProtection"] === true
      ? new CloudError("InvalidRequestException", "Cluster cannot be deleted while deletion protection is enabled")
      : undefined,
  afterChange: createOwnedObjects,
  afterDelete: deleteOwnedObjects,
  seconds: { create: 600, update: 600, delete: 150 },
};

/** An input object with the provider's defaults inside it, if it is set and known. */
function withDefaults(key: string, given: unknown, defaults: Request["inputs"]): Request["inputs"] {
  if (given === undefined) return {};
  return { [key]: isRecord(given) ? { ...defaults, ...given } : given };
}

function initialOutputs({ cloud }: Request, name: string): Request["inputs"] {
  const { region } = cloud.account;
  const digits = hexFor(cloud, `cluster ${name}`, 32).toUpperCase();
  const certificate = Buffer.from(`certificate of ${name}, ${digits}`).toString("base64");
  return {
    arn: arn(cloud, "eks", `cluster/${name}`),
    createdAt: timestampIn(cloud),
    endpoint: `https://${digits}.gr7.${region}.eks.amazonaws.com`,
    certificateAuthority: { data: certificate },
    identities: [{ oidcs: [{ issuer: `https://oidc.eks.${region}.amazonaws.com/id/${digits}` }] }],
  };
}

function stableOutputs(old: Request["inputs"]): Request["inputs"] {
  const { arn, createdAt, endpoint, certificateAuthority, identities } = old;
  return { arn, createdAt, endpoint, certificateAuthority, identities };
}

function accessConfig({ inputs }: Request): Request["inputs"] {
  const bootstrap = valuesAt(inputs, "accessConfig.bootstrapClusterCreatorAdminPermissions")[0] ?? true;
  return {
    authenticationMode: authenticationMode(inputs),
    bootstrapClusterCreatorAdminPermissions: bootstrap,
  };
}

/** EKS adds the VPC of the subnets and the cluster security group. */
function vpcConfig({ cloud, inputs }: Request, name: string, old: Request["inputs"] | undefined): Request["inputs"] {
  const made = valuesAt(old ?? {}, "vpcConfig.clusterSecurityGroupId")[0];
  return {
    endpointPrivateAccess: false,
    endpointPublicAccess: true,
    publicAccessCidrs: ["0.0.0.0/0"],
    ...(inputs["vpcConfig"] as Request["inputs"]),
    vpcId: vpcOf({ cloud, inputs }),
    clusterSecurityGroupId: made ?? `sg-${hexFor(cloud, `security group of ${name}`, 17)}`,
  };
}

function vpcOf({ cloud, inputs }: Pick<Request, "cloud" | "inputs">): unknown {
  const subnet = cloud.get(types.subnet, stringOf(valuesAt(inputs, "vpcConfig.subnetIds[*]")[0]));
  return subnet && propertyOf(subnet, "vpcId");
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html */
function serviceNetwork({ cloud, inputs }: Request): Request["inputs"] {
  const vpc: CloudObject | undefined = cloud.get(types.vpc, stringOf(vpcOf({ cloud, inputs })));
  const serviceIpv4Cidr = stringOf(vpc?.inputs["cidrBlock"]).startsWith("10.") ? "172.20.0.0/16" : "10.100.0.0/16";
  return { ipFamily: "ipv4", serviceIpv4Cidr };
}
