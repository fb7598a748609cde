import { main } from "@pulumi/pulumi/provider";
import { version } from "./package.json";
import { ComponentProvider } from "./component-provider";
import type { PackageSchema } from "./package-schema";
import schema from "./schema.json";

// The program of PulumiPlugin.yaml: the `main` of package.json. The engine starts it, and reads its port from stdout.
// The components load when one is created, because they take a second and a schema does not need them.

const provider = new ComponentProvider({
  schema: schema as PackageSchema,
  version,
  classes: () => import("../components/index.js"),
});
void main(provider, process.argv.slice(2));
