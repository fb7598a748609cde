import * as ec2 from "@pulumi/aws/ec2";

export function example(good: boolean) {
  new ec2.LaunchTemplate("gpu", {
    instanceType: "g5.xlarge",
    metadataOptions: { httpTokens: "required" },
    blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { volumeSize: 100, encrypted: "true" } }],
    capacityReservationSpecification: {
      // Without a reservation, instances start on demand while you pay for the reservation.
      capacityReservationTarget: good ? { capacityReservationId: "cr-0a1b2c3d4e5f60718" } : {},
    },
  });
}
