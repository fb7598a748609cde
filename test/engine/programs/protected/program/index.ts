import { GpuEnvironment } from "../../../../../components";

new GpuEnvironment("lab", {
  publicAccessCidrs: ["8.8.8.8/32"],
  transform: {
    cluster: {
      cluster: (_, opts) => void (opts.protect = true),
      secretsKey: { deletionWindowInDays: 30 },
    },
  },
});
