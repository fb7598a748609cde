import { Provider } from "@pulumi/kubernetes/provider";
import * as pulumi from "@pulumi/pulumi";
import { GpuDeployment, GpuProbe } from "../../../../../components";

const config = new pulumi.Config();
const value = config.requireNumber("priority");
const provider = new Provider("cluster", { kubeconfig: config.require("kubeconfig") });

new GpuDeployment("server", { namespace: "default", priority: { value } }, { provider });
const transform = { priorityClass: { value } };
new GpuProbe("canary", { namespace: "default", schedule: "@hourly", transform }, { provider });
