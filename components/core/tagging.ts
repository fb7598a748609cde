import * as pulumi from "@pulumi/pulumi";
import { mostTags } from "./stack-tags";

type Tags = Readonly<Record<string, unknown>>;

/** The part of a launch template's arguments that tags instances, their volumes and their network interfaces. */
interface Specification {
  readonly tags?: unknown;
}

/**
 * Adds tags to every resource that has tags. Works in this process, so that a preview does not slow down; the children of a
 * component from another process get the tags of that component.
 *
 * @param tagsOf the tags of the resource with this logical name
 * @param instances also tags what launch templates create; another tag there replaces the nodes
 */
export function tagging(tagsOf: (name: string) => Tags, { instances }: { readonly instances: boolean }) {
  const transformation: pulumi.ResourceTransformation = ({ type, name, props, opts }) => {
    const given = props as Readonly<Record<string, unknown>>;
    if (given["tags"] === undefined || !/^(?:aws|eks):/.test(type)) return undefined;
    const own = tagsOf(name);
    const specifications = given["tagSpecifications"] as readonly Specification[] | undefined;
    const changed = {
      ...given,
      tags: withTags(given["tags"], own),
      ...(instances && specifications && { tagSpecifications: specifications.map((one) => withSpecified(one, own)) }),
    };
    return { props: changed, opts };
  };
  return transformation;
}

function withSpecified(specification: Specification, own: Tags): Specification {
  return { ...specification, tags: withTags(specification.tags ?? {}, own) };
}

/** AWS accepts 50 tags on a resource. With more, it keeps those of the configuration. */
function withTags(tags: unknown, own: Tags): unknown {
  if (pulumi.Output.isInstance(tags) || tags instanceof Promise) {
    return pulumi.output(tags).apply((values: unknown) => withTags(values, own));
  }
  const merged = { ...(tags as Tags), ...own };
  return Object.keys(merged).length > mostTags ? tags : merged;
}
