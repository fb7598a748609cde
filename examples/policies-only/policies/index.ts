import { failIf, lab, pack, resourceRule, serve } from "eks-gpu-lab/policies";

const costCenter = resourceRule({
  id: "gpu-cost-center",
  title: "GPU node groups have a cost center.",
  severity: "medium",
  incident: "a bill for GPU nodes had no owner",
  types: ["aws:eks/nodeGroup:NodeGroup"],
  *judge(group) {
    const tag = group.text("tags.cost-center");
    const violation = { path: tag.path, got: tag.shown, why: "The bill has no owner.", fix: "set the tag" };
    yield failIf(tag.isAbsent, () => violation);
  },
});

const quotas = { gOnDemand: 32, gSpot: 0, pOnDemand: 0, pSpot: 0 };
const settings = {
  "gpu-vcpu-quota": { quotas },
  "gpu-update-headroom": { quotas },
  "gpu-node-disk": { enforcementLevel: "mandatory", minGiB: 200 },
} as const;
const without = ["gpu-lease-present", "cluster-logging"] as const; // another stack ends the nodes and makes the cluster
const rules = [{ rule: costCenter, level: "mandatory" }] as const;
const about = { name: "acme-gpu", version: "1.0.0", description: "Rules for GPU clusters of Acme." };
serve(pack({ ...about, extends: lab, without, settings, rules }));
