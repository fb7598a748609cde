/** The Pulumi type token of a component of this library. Policies match on it: part of the public interface. */
export function token<Class extends string>(name: Class): `eks-gpu-lab:index:${Class}` {
  return `eks-gpu-lab:index:${name}`;
}

/** Tags that every taggable resource gets; the caller's own win. */
export type Tags = Readonly<Record<string, string>>;

/** The tags of one resource: the shared ones and its Name. */
export function named(name: string, tags: Tags | undefined): Record<string, string> {
  return { Name: name, ...tags };
}
