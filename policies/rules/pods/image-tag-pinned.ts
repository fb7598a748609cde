import { all, not, type Reader } from "../../engine/values";
import { describeVersion } from "../../../components/core/reader/describe";
import { adviseAt, failAt, resourceRule, texts } from "../../engine/rule";
import { eachContainerOf, gpuEntries, podTypes } from "../../facts/pods";

/**
 * A publisher can move a tag, but not a digest. Digests are hard to read, so the rule requires them only where the
 * policy configuration says so.
 * @see https://kubernetes.io/docs/concepts/containers/images/#image-names
 */
export const imageTagPinned = resourceRule({
  id: "image-tag-pinned",
  title: "Container images have a fixed version.",
  severity: "medium",
  incident:
    "an image moved to CUDA 11.7 under the same tag, and pods no longer started because the driver of the nodes was older",
  types: podTypes,
  parameters: {
    floating: texts(
      ["latest", "main", "master", "nightly", "edge", "dev"],
      "Tags that publishers move to newer images.",
    ),
    digestsFor: texts(
      [],
      "Prefixes of images that get a warning if they have no digest. An empty string matches every image.",
    ),
  },
  *judge(resource, { floating, digestsFor }) {
    yield* eachContainerOf(resource, function* (container) {
      const image = container.text("image");
      const floats = image.is((name) => {
        const { tag, hasDigest } = imageReference(name);
        return !hasDigest && (tag === undefined ? !filledIn.test(name) : floating.includes(tag));
      });
      const tag = image.map((name) => imageReference(name).tag, describeVersion);
      yield failAt(image, floats, {
        got: tag.value === undefined ? "an image without a tag" : `the tag ${tag.shown}`,
        why: `The next node pulls the newest image of that day.${usesCuda(container) ? cudaWhy : " Its pods can then differ from those that run."}`,
        fix: `set a version or a digest in ${image.path}`,
      });
      const needsDigest = (name: string) => digestsFor.some((start) => name.startsWith(start));
      const lacksDigest = image.is((name) => !imageReference(name).hasDigest && needsDigest(name));
      yield adviseAt(image, all(not(floats), lacksDigest), {
        got: `the tag ${tag.shown} without a digest`,
        why: "The publisher can move a tag to another image.",
        fix: `append @sha256: and the digest of the image to ${image.path}`,
      });
    });
  },
});

/** What a controller fills in: `$(params.image)` of Tekton, `{{inputs.parameters.image}}` of Argo, `${schema.spec.image}` of kro. */
const filledIn = /\$[({]|\{\{/;

const cudaWhy = " A newer CUDA version may need a newer driver than the node has.";

/** Whether a container has CUDA, as its image or its GPU tells. */
function usesCuda(container: Reader): boolean {
  const image = container.text("image").value ?? "";
  const gpus = (["limits", "requests"] as const).some((kind) => (gpuEntries(container, kind).value ?? []).length > 0);
  return gpus || /cuda|nvcr\.io|nvidia/i.test(image);
}

/**
 * The version in an image reference. Without a tag it is `latest`.
 * @see https://github.com/distribution/reference/blob/v0.6.0/reference.go
 */
function imageReference(image: string) {
  const [name = "", digest] = image.trim().split("@");
  const last = name.slice(name.lastIndexOf("/") + 1);
  const colon = last.indexOf(":");
  const tag = colon < 0 ? "" : last.slice(colon + 1);
  return { tag: tag === "" ? undefined : tag, hasDigest: digest?.includes(":") === true };
}
