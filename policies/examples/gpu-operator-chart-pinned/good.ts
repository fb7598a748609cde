import { Provider } from "@pulumi/kubernetes";
import { GpuOperator } from "../../../components";

const kubernetes = new Provider("cluster", { kubeconfig: "{}" });

new GpuOperator(
  "gpu-operator",
  {
    chartVersion: "v26.3.1",
    kubernetesVersion: "1.35",
    taints: [{ key: "nvidia.com/gpu", value: "true", effect: "NO_SCHEDULE" }],
  },
  { providers: { kubernetes } },
);
