import type { Properties } from "../../components/core/wire";
import type { CloudError } from "./cloud-error";
import type { ChangeKind } from "./diff";
import type { Operation } from "./faults";
import type { World } from "./world";

/** An object of the simulated cloud. */
export interface WorldObject {
  readonly type: string;
  readonly id: string;
  /** What was asked for, defaults included. */
  readonly inputs: Properties;
  /** What the cloud added: ARNs, addresses, states. */
  readonly computed: Properties;
}

/** What a kind gets to see of a request. */
export interface Asked {
  readonly world: World;
  readonly inputs: Properties;
  /** The configuration of the provider through which the request came, e.g. its kubeconfig. */
  readonly provider: Properties;
}

/** A request that concerns an object that is there. */
export interface AskedOf extends Asked {
  readonly object: WorldObject;
}

/** What becomes of an object whose deletion another one is in the way of: refused, or both go. */
export type Hold = CloudError | "goes-along";

/** New inputs of an object, before anything is asked of the cloud. */
export type Proposed = Pick<Asked, "inputs" | "provider">;

/** A request of which nothing is known yet but where it goes. */
export interface Call {
  readonly world: World;
  readonly operation: Operation;
  readonly provider: Properties;
}

/** An input that must name another object. */
export interface Reference {
  /** Where the name stands: `vpcId`, `subnetIds[*]`, `launchTemplate.id`. */
  readonly path: string;
  /** The type of what is named. */
  readonly to: string;
  /** Which property of the other object is given. @default "id" */
  readonly by?: string;
  /** The error of the API when there is no such object. */
  readonly missing: (given: string) => CloudError;
  /**
   * The error of the API when the other object is to be deleted while this one is there. Without it the other can go,
   * and this one stays behind; with "goes-along" this one is deleted with it. A function decides for each pair.
   */
  readonly held?: Hold | ((other: WorldObject, holder: WorldObject) => Hold | undefined);
}

/** What a provider says about inputs before the cloud is asked. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** How long things take, in seconds. */
export interface Durations {
  readonly create?: number;
  readonly update?: number;
  readonly delete?: number;
}

/** All that the simulation knows of one type of resource. */
export interface Kind {
  /** The Pulumi type token, e.g. `aws:ec2/vpc:Vpc`. */
  readonly type: string;
  /** Inputs that the provider fills in when they are left out. A function sees the other inputs. */
  readonly defaults?: Properties | ((inputs: Properties) => Properties);
  /** The input that gets the resource's name and a random suffix when it and its prefix are left out. */
  readonly autoname?: { readonly property: string; readonly prefix?: string; readonly maxLength?: number };
  /** Inputs that must be there. */
  readonly required?: readonly string[];
  /** What else the provider checks by itself. Unknown values are the sentinel of the wire. */
  readonly check?: (inputs: Properties) => readonly CheckFailure[];
  /** What else the provider makes of inputs, once names and defaults are filled in: of a range of versions one version. */
  readonly refine?: (inputs: Properties) => Properties;
  /** Inputs whose change means another object. */
  readonly immutable?: readonly string[];
  /** Whether a change means another object, where that depends on more than its path. */
  readonly replaces?: (path: string, change: ChangeKind, proposed: Proposed) => boolean;
  /** Whether the old object goes before the new one comes. @default where the program states the name */
  readonly deleteBeforeReplace?: boolean;
  /** Inputs that tell two objects apart: where one of them changes, both can be there. @default none: a stated name decides */
  readonly identity?: readonly string[];
  readonly references?: readonly Reference[];
  /** What must not be there twice, e.g. a name; undefined when nothing is. */
  readonly unique?: (inputs: Properties, asked: Asked) => { key: string; error: CloudError } | undefined;
  /** The id of a new object. `serial` is unique in the world. */
  readonly id: (asked: Asked, serial: string) => string;
  /** What the cloud adds to the inputs: at creation, and again after each update. */
  readonly computed?: (asked: Asked, id: string, old: Properties | undefined) => Properties;
  /** What the provider reads besides, because other objects made it so: the policies of a role, the rules of a group. */
  readonly live?: (object: WorldObject, world: World) => Properties;
  /**
   * The names of what `computed` and `live` give: unknown until the object is there. A path such as `vpcConfig.vpcId` is a part that
   * the cloud adds inside of an input.
   */
  readonly computes?: readonly string[];
  /** Those of them that an update of the given inputs makes unknown again. */
  readonly recomputes?: (changed: readonly string[]) => readonly string[];
  /** The computed values that are secret. */
  readonly secrets?: readonly string[];
  /**
   * What keeps the API from answering at all, e.g. a cluster that is gone. Asked before each request, also for objects
   * that are no longer there.
   */
  readonly reach?: (call: Call) => CloudError | undefined;
  /** The API's own rules. */
  readonly create?: (asked: Asked) => CloudError | undefined;
  /** What keeps a made object from becoming ready: it is there, and the create fails with this reason. */
  readonly settle?: (asked: AskedOf) => string | undefined;
  readonly update?: (asked: AskedOf) => CloudError | undefined;
  /** What keeps a changed object from becoming ready: it is changed, and the update fails with this reason. */
  readonly settleUpdate?: (asked: AskedOf, old: WorldObject) => string | undefined;
  readonly remove?: (asked: AskedOf) => CloudError | undefined;
  /** What else changes in the world when an object came or was changed, e.g. an Auto Scaling group beside a node group. */
  readonly after?: (asked: AskedOf, old?: WorldObject) => void;
  readonly afterRemove?: (asked: AskedOf) => void;
  /** @default 1 second each */
  readonly seconds?: Durations;
}
