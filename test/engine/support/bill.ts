import { valuesAt } from "../../../components/core/reader/paths";
import { types } from "../../../simulation/aws/types";
import type { CloudObject } from "../../../simulation/cloud/model";
import type { SimulatedCloud } from "../../../simulation/cloud/simulated-cloud";

// List prices of AWS in Seoul, in USD per hour. They are stated here once more, so that a wrong price of the tool shows.
const monthHours = 730;
const instanceHour: Readonly<Record<string, number>> = { "t3.medium": 0.052, "g5.xlarge": 1.237, "g6.xlarge": 0.9896 };
const gp3GibHour = 0.0912 / monthHours;

/** What AWS charges for each object. Data, requests and log lines are not counted, and neither does the tool. */
const hourlyPrices: Readonly<Record<string, (object: CloudObject, cloud: SimulatedCloud) => number>> = {
  [types.cluster]: () => 0.1,
  [types.natGateway]: () => 0.059,
  [types.eip]: () => 0.005,
  [types.key]: () => 1 / monthHours,
  [types.metricAlarm]: () => 0.1 / monthHours,
  [types.instance]: (instance, cloud) => instancePrice(instance) + volumeGib(cloud, instance) * gp3GibHour,
};

function instancePrice({ inputs: { instanceType } }: CloudObject): number {
  const usd = instanceHour[String(instanceType)];
  if (usd === undefined) throw new Error(`The test has no price of ${String(instanceType)}`);
  return usd;
}

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
