import type { ResourceTransformation } from "@pulumi/pulumi";
import { nameTag, stackTag, tagValue } from "../../components/core/stack-tags";
import { tagging } from "../../components/core/tagging";

/** Tags every resource that has tags with its stack and its logical name, and what launch templates create. */
export function stackTags(stack: string): ResourceTransformation {
  return tagging((name) => ({ [stackTag]: stack, [nameTag]: tagValue(name) }), { instances: true });
}
