import { EC2 } from "@aws-sdk/client-ec2";
import { EKS } from "@aws-sdk/client-eks";
import { IAM } from "@aws-sdk/client-iam";
import { region } from "./orphans";
import type { Sent } from "./attack-server";

type Refusal = (id: (form: RegExp) => string) => Promise<string | false | undefined>;

/**
 * The deletions that AWS refuses and moto does not: of what something in it or on it uses. Asks the same moto, with the
 * environment as it is when it is called.
 */
export function refusalsOf(): (sent: Sent) => Promise<string | undefined> {
  const ec2 = new EC2({ region });
  const vpcFilter = (vpc: string) => ({ Filters: [{ Name: "vpc-id", Values: [vpc] }] });
  const instancesIn = async (Name: string, id: string) => {
    const { Reservations = [] } = await ec2.describeInstances({ Filters: [{ Name, Values: [id] }] });
    const all = Reservations.flatMap(({ Instances = [] }) => Instances);
    return all.some(({ State }) => State?.Name !== "terminated");
  };
  const refusals: Readonly<Record<string, Refusal>> = {
    DeleteSubnet: async (id) => {
      const nats = await ec2.describeNatGateways({ Filter: [{ Name: "subnet-id", Values: [id(/^subnet-/)] }] });
      const isUsed = (nats.NatGateways ?? []).some(({ State }) => State !== "deleted");
      return (isUsed || (await instancesIn("subnet-id", id(/^subnet-/)))) && "DependencyViolation";
    },
    DeleteSecurityGroup: async (id) => {
      const group = id(/^sg-/);
      const Filters = [{ Name: "ip-permission.group-id", Values: [group] }];
      const { SecurityGroups = [] } = await ec2.describeSecurityGroups({ Filters });
      const isNamed = SecurityGroups.some(({ GroupId }) => GroupId !== group);
      return (isNamed || (await instancesIn("instance.group-id", group))) && "DependencyViolation";
    },
    DeleteVpc: async (id) => {
      const of = vpcFilter(id(/^vpc-/));
      const [{ Subnets = [] }, { SecurityGroups = [] }, { RouteTables = [] }] = await Promise.all([
        ec2.describeSubnets(of),
        ec2.describeSecurityGroups(of),
        ec2.describeRouteTables(of),
      ]);
      const tables = RouteTables.filter(({ Associations = [] }) => !Associations.some(({ Main }) => Main === true));
      return Subnets.length + SecurityGroups.length - 1 + tables.length > 0 && "DependencyViolation";
    },
    DeleteRouteTable: async (id) => {
      const { RouteTables = [] } = await ec2.describeRouteTables({ RouteTableIds: [id(/^rtb-/)] });
      return RouteTables.some(({ Associations = [] }) => Associations.length > 0) && "DependencyViolation";
    },
    ReleaseAddress: async (id) => {
      const { Addresses = [] } = await ec2.describeAddresses({ AllocationIds: [id(/^eipalloc-/)] });
      const nats = await ec2.describeNatGateways({});
      const isOfNat = (nats.NatGateways ?? []).some(
        ({ State, NatGatewayAddresses = [] }) =>
          State !== "deleted" && NatGatewayAddresses.some((one) => one.AllocationId === id(/^eipalloc-/)),
      );
      return (isOfNat || Addresses.some(({ InstanceId }) => InstanceId)) && "InvalidIPAddress.InUse";
    },
    DeleteVolume: async (id) => {
      const { Volumes = [] } = await ec2.describeVolumes({ VolumeIds: [id(/^vol-/)] });
      return Volumes.some(({ State }) => State === "in-use") && "VolumeInUse";
    },
    DeleteRole: async (id) => {
      const RoleName = id(/./);
      const { InstanceProfiles = [] } = await new IAM({ region }).listInstanceProfilesForRole({ RoleName });
      return InstanceProfiles.length > 0 && "DeleteConflict";
    },
  };
  return async ({ operation, values, service }) => {
    const id = (form: RegExp) => values.find((value) => form.test(value) && !/^20\d\d-/.test(value)) ?? "";
    if (service === "eks" && /^DELETE clusters\/[^/]+$/.test(operation)) {
      const { nodegroups = [] } = await new EKS({ region }).listNodegroups({ clusterName: values.at(-1) });
      return nodegroups.length > 0 ? "ResourceInUseException" : undefined;
    }
    if (operation === "DeleteRole") {
      const name = values.find((value) => !/^(?:DeleteRole|2010-05-08)$/.test(value)) ?? "";
      return (await refusals["DeleteRole"]?.(() => name)) || undefined;
    }
    return (await refusals[operation]?.(id)) || undefined;
  };
}
