import { failure, type Answer, type Answers } from "../../../../support/aws-server";
import { accepted, instances, nodegroup } from "./answers";

/** A node group of which AWS shows old states, and that others change. Its time is the number of its requests. */
export interface Weather {
  /** Requests that an update takes. */
  readonly updateTakes: number;
  /** Whether EKS shows the sizes from before an update while it runs. */
  readonly showsOld: boolean;
  /** Requests by which a reading of the group is old. */
  readonly lag: number;
  /** Requests that an instance needs to stop. */
  readonly stopTakes: number;
}

interface State {
  readonly desired: number;
  readonly min: number;
  readonly status: string;
}

export class GroupModel {
  /** The sizes that hold. */
  now: { desired: number; min: number };
  readonly requests: object[] = [];
  private readonly history: State[] = [];
  private update: { desired: number; min: number; endsAt: number } | undefined;
  private stopsAt: number | undefined;
  private running: number;

  constructor(
    private readonly weather: Weather,
    start: { readonly desired: number; readonly min?: number },
  ) {
    this.now = { desired: start.desired, min: start.min ?? 0 };
    this.running = start.desired;
  }

  get time(): number {
    return this.history.length;
  }

  /** Another writer, or a command that was killed: false while an update runs. */
  change(desired: number, min = 0): boolean {
    if (this.update) return false;
    this.update = { desired, min, endsAt: this.time + this.weather.updateTakes };
    if (this.weather.updateTakes === 0) this.settle();
    return true;
  }

  /** The answers of EKS and EC2 Auto Scaling; `before` runs before each request. */
  answers(before: (time: number) => void = () => undefined): Answers {
    const at = (answer: () => Answer) => () => {
      before(this.time);
      this.settle();
      this.history.push(this.state());
      return answer();
    };
    return {
      DescribeNodegroup: at(() => nodegroup(this.history.at(-1 - Math.min(this.weather.lag, this.time - 1)))),
      DescribeAutoScalingGroups: at(() => this.instances()),
      UpdateNodegroupConfig: ({ scalingConfig }) => {
        const { desiredSize, minSize } = scalingConfig as { desiredSize: number; minSize: number };
        return at(() => {
          if (!this.change(desiredSize, minSize)) return failure("ResourceInUseException", 409, "update in progress");
          this.requests.push(scalingConfig as object);
          return accepted;
        })();
      },
    };
  }

  private state(): State {
    if (!this.update) return { ...this.now, status: "ACTIVE" };
    const { desired, min } = this.weather.showsOld ? this.now : this.update;
    return { desired, min, status: "UPDATING" };
  }

  private settle(): void {
    if (this.update && this.time >= this.update.endsAt) {
      const { desired, min } = this.update;
      this.now = { desired, min };
      this.update = undefined;
      this.stopsAt = desired < this.running ? this.time + this.weather.stopTakes : undefined;
      this.running = Math.max(this.running, desired);
    }
    if (this.stopsAt !== undefined && this.time >= this.stopsAt) this.running = this.now.desired;
  }

  private instances(): Answer {
    const stopping = this.running - this.now.desired;
    return instances(...Array.from({ length: this.running }, (_, at) => (at < stopping ? "Terminating" : "InService")));
  }
}
