/** What an image reference says of its version. */
export interface ImageReference {
  /** Without a registry's port it is what follows the last colon; `undefined` means `latest`. */
  readonly tag: string | undefined;
  readonly hasDigest: boolean;
}

/** @see https://github.com/distribution/reference/blob/v0.6.0/reference.go */
export function imageReference(image: string): ImageReference {
  const [name = "", digest] = image.trim().split("@");
  const last = name.slice(name.lastIndexOf("/") + 1);
  const colon = last.indexOf(":");
  const tag = colon < 0 ? "" : last.slice(colon + 1);
  return { tag: tag === "" ? undefined : tag, hasDigest: digest !== undefined && digest.includes(":") };
}
