import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { GpuDeployment, GpuProbe, ModelServer } from "../../../../../components";

const config = new pulumi.Config();
const provider = new Provider("cluster", { kubeconfig: config.require("kubeconfig") });

const model = config.get("model");
if (model !== undefined) new ModelServer("llm", { namespace: "default", model }, { provider });

const value = config.getNumber("priority");
if (value !== undefined) {
  new GpuDeployment("server", { namespace: "default", priority: { value } }, { provider });
  const transform = { priorityClass: { value } };
  new GpuProbe("canary", { namespace: "default", schedule: "@hourly", transform }, { provider });
}
