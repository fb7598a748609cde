import { describeVersion } from "../../../components/core/reader/describe";
import { all, not } from "../../../components/core/reader/truth";
import { texts } from "../../engine/parameters";
import { adviseIf, failIf, resourceRule } from "../../engine/rule";
import { podKinds, podTemplate } from "../../facts/pods";

/**
 * A tag can be moved too, a digest cannot. Yet a lab whose images come from public registries gains little by digests
 * that nobody can read, so they are asked for only where a configuration says so.
 * @see https://kubernetes.io/docs/concepts/containers/images/#image-names
 */
export const imageTagPinned = resourceRule({
  id: "image-tag-pinned",
  title: "Every container names the version of its image.",
  severity: "medium",
  incident:
    "an image moved on to CUDA 11.7 under the same name and no pod started again: the driver of the nodes was older",
  types: podKinds,
  parameters: {
    floating: texts(["latest"], "Tags that their publishers move."),
    digestsFor: texts([], "Beginnings of images that get a warning without a digest; an empty text is every image's."),
  },
  *judge(resource, { floating, digestsFor }) {
    yield* podTemplate(resource).eachContainer(function* (container) {
      const image = container.text("image");
      const floats = image.is((name) => {
        const { tag, hasDigest } = imageReference(name);
        return !hasDigest && (tag === undefined || floating.includes(tag));
      });
      const tag = image.map((name) => imageReference(name).tag, describeVersion);
      yield failIf(floats, () => ({
        path: image.path,
        got: tag.value === undefined ? "an image without a tag" : `the tag ${tag.shown}`,
        why: "The next node pulls whatever its publisher offers that day, and a newer CUDA may need a newer driver than the node has.",
        fix: `state a version in ${image.path}, such as 12.4.1-base-ubuntu22.04, or a digest`,
      }));
      const lacksDigest = image.is(
        (name) => !imageReference(name).hasDigest && digestsFor.some((start) => name.startsWith(start)),
      );
      yield adviseIf(all(not(floats), lacksDigest), () => ({
        path: image.path,
        got: `the tag ${tag.shown} without a digest`,
        why: "A tag can be moved to another image.",
        fix: `add @sha256: and the digest of the image to ${image.path}`,
      }));
    });
  },
});

/** What an image reference says of its version. */
interface ImageReference {
  /** Without a registry's port it is what follows the last colon; `undefined` means `latest`. */
  readonly tag: string | undefined;
  readonly hasDigest: boolean;
}

/** @see https://github.com/distribution/reference/blob/v0.6.0/reference.go */
function imageReference(image: string): ImageReference {
  const [name = "", digest] = image.trim().split("@");
  const last = name.slice(name.lastIndexOf("/") + 1);
  const colon = last.indexOf(":");
  const tag = colon < 0 ? "" : last.slice(colon + 1);
  return { tag: tag === "" ? undefined : tag, hasDigest: digest !== undefined && digest.includes(":") };
}
