import { valuesAt } from "../../../components/core/reader/paths";
import { types } from "../../../simulation/aws/types";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";
import { seoulUsd } from "../../support/prices";

// List prices of AWS in Seoul. The units are stated here once more, so that a wrong sum of the tool shows.
const monthHours = 730;
const gp3GibHour = seoulUsd("ebs-gp3-storage") / monthHours;

/** What AWS charges for each object. Data, requests and log lines are not counted, and neither does the tool. */
const hourlyPrices: Readonly<Record<string, (object: CloudObject, cloud: SimulatedCloud) => number>> = {
  [types.cluster]: () => seoulUsd("eks-control-plane-standard"),
  [types.natGateway]: () => seoulUsd("nat-gateway"),
  [types.eip]: () => seoulUsd("public-ipv4"),
  [types.key]: () => seoulUsd("kms-key") / monthHours,
  [types.metricAlarm]: () => seoulUsd("cloudwatch-alarm") / monthHours,
  [types.instance]: (instance, cloud) =>
    seoulUsd(String(instance.inputs["instanceType"])) + volumeGib(cloud, instance) * gp3GibHour,
};

/** The root volume that the launch template of an instance's node group states. */
function volumeGib(cloud: SimulatedCloud, { computed }: CloudObject): number {
  const group = cloud.get(types.nodeGroup, String(computed["nodeGroupId"]));
  const [id] = valuesAt(group?.inputs ?? {}, "launchTemplate.id");
  const template = cloud.get(types.launchTemplate, String(id));
  const [size] = valuesAt(template?.inputs ?? {}, "blockDeviceMappings[*].ebs.volumeSize");
  if (typeof size !== "number") throw new Error(`The launch template ${String(id)} has no volume`);
  return size;
}

/** What a simulated account charges while its date moves. */
export class Bill {
  usd = 0;
  private paidUntil: Date;

  constructor(private readonly cloud: SimulatedCloud) {
    this.paidUntil = cloud.date;
    const skip = cloud.skip.bind(cloud);
    // Objects change only between two moves of the date, or in a schedule, before which the date moves.
    cloud.skip = (milliseconds) => {
      skip(milliseconds);
      const hours = (cloud.date.getTime() - this.paidUntil.getTime()) / 3_600_000;
      this.usd += hours * this.hourlyUsd();
      this.paidUntil = cloud.date;
    };
  }

  private hourlyUsd(): number {
    return this.cloud.objects.reduce((sum, one) => sum + (hourlyPrices[one.type]?.(one, this.cloud) ?? 0), 0);
  }
}
