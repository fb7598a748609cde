import type { Properties } from "../../../components/core/wire";
import { CloudError, IncompleteError } from "../../world/cloud-error";
import type { Operation } from "../../world/faults";
import type { World } from "../../world/world";
import type { Plugin } from "../plugin";
import type { Checked } from "./autoname";
import { checked } from "./check";
import { difference, type Compared, type Difference } from "./difference";
import { Refused, Unfinished, type Found, type Made } from "./failures";
import { outputsOf, plannedCreate, plannedUpdate, withSecrets } from "./outputs";

/** What a request is about. */
export interface Subject {
  readonly urn: string;
  readonly type: string;
  /** The resource's name in the program. */
  readonly name: string;
  /** The configuration of the provider that was asked. */
  readonly config: Properties;
}

export interface Wanted {
  readonly id: string;
  readonly inputs: Properties;
  readonly oldInputs: Properties;
  readonly oldOutputs: Properties;
  readonly ignoreChanges: readonly string[];
  readonly preview: boolean;
}

/** The resources and functions of one provider, as those of a world. Everything here is plain values; unknown ones are the sentinel. */
export class Resources {
  constructor(
    private readonly world: World,
    private readonly plugin: Plugin,
  ) {}

  /** @throws Refused */
  invoke(token: string, args: Properties): Properties {
    try {
      return this.world.call(token, args);
    } catch (error) {
      if (error instanceof CloudError) throw new Refused(this.plugin.explain("invoke", token, error));
      throw error;
    }
  }

  check({ type, name }: Subject, news: Properties, olds: Properties, seed: Uint8Array): Checked {
    const { suffixLength } = this.plugin;
    return checked(this.world.kindOf(type), news, olds, { name, seed, suffixLength });
  }

  diff({ type, name, config }: Subject, compared: Omit<Compared, "config">): Difference {
    const { suffixLength } = this.plugin;
    return difference(this.world.kindOf(type), { ...compared, config }, { name, suffixLength });
  }

  /** @throws Refused, Unfinished, ProviderCrash */
  async create(subject: Subject, inputs: Properties, preview: boolean): Promise<Made> {
    const { type, config } = subject;
    if (preview) return { id: "", properties: plannedCreate(this.world.kindOf(type), inputs) };
    return this.told("create", subject, async () => {
      const { id } = await this.world.create(type, inputs, config);
      return this.found(type, id);
    });
  }

  /** @throws Refused, Unfinished, ProviderCrash */
  async update(subject: Subject, wanted: Wanted): Promise<Properties> {
    const { type, config } = subject;
    const { id, inputs, oldInputs, ignoreChanges, preview } = wanted;
    if (preview) {
      const { changed } = this.diff(subject, { olds: oldInputs, news: inputs, ignoreChanges });
      return plannedUpdate(this.world.kindOf(type), wanted, changed);
    }
    return this.told("update", subject, async () => {
      await this.world.update(type, id, inputs, config, oldInputs);
      return this.found(type, id).properties;
    });
  }

  /** Undefined when the object is gone. @throws Refused */
  read(subject: Subject, id: string): Promise<Found | undefined> {
    const { type, config } = subject;
    return this.told("read", subject, () => Promise.resolve(this.world.read(type, id, config) && this.found(type, id)));
  }

  /** @throws Refused, ProviderCrash */
  delete(subject: Subject, id: string): Promise<void> {
    const { type, config } = subject;
    return this.told("delete", subject, () => this.world.delete(type, id, config));
  }

  private found(type: string, id: string): Found {
    const object = this.world.get(type, id);
    if (!object) throw new CloudError("NotFound", `${type} ${id} does not exist any more`);
    const kind = this.world.kindOf(type);
    const read = { ...kind.live?.(object, this.world), ...outputsOf(object) };
    return { id, inputs: object.inputs, properties: withSecrets(kind, read) };
  }

  /** Does what is asked for, with the errors of the cloud told as the provider would. */
  private async told<T>(operation: Operation, { urn, type }: Subject, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof CloudError) throw new Refused(this.plugin.explain(operation, urn, error));
      if (error instanceof IncompleteError) throw new Unfinished(this.found(type, error.id), error.reason);
      throw error;
    }
  }
}
