import { inject } from "vitest";
import "./own-project-setup";

/**
 * The folder in which tests open this project: links to its files, without stacks/Pulumi.*.yaml. Those belong to the user, so
 * no test depends on them.
 */
export const ownProject = inject("ownProject");
