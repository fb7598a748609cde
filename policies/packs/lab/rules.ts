import { pack, rulePages } from "../../engine/define-pack";
import { gpuAlertZeroNotAbsent } from "../../rules/alerts/gpu-alert-zero-not-absent";
import { addonsPinned } from "../../rules/cluster/addons-pinned";
import { clusterAccessMode } from "../../rules/cluster/cluster-access-mode";
import { clusterEndpointPublic } from "../../rules/cluster/cluster-endpoint-public";
import { clusterLogging } from "../../rules/cluster/cluster-logging";
import { clusterSecretsEncrypted } from "../../rules/cluster/cluster-secrets-encrypted";
import { clusterVersionSupported } from "../../rules/cluster/cluster-version-supported";
import { iamRolePolicyConflict } from "../../rules/cluster/iam-role-policy-conflict";
import { nodeRoleMinimal } from "../../rules/cluster/node-role-minimal";
import { gpuDesiredZero } from "../../rules/cost/gpu-desired-zero";
import { gpuLeasePresent } from "../../rules/cost/gpu-lease-present";
import { gpuUpdateHeadroom } from "../../rules/cost/gpu-update-headroom";
import { gpuVcpuQuota } from "../../rules/cost/gpu-vcpu-quota";
import { experimentToggleLeftOn } from "../../rules/experiments/experiment-toggle-left-on";
import { nmaNodeRepair } from "../../rules/health/nma-node-repair";
import { nodeRepairOverrides } from "../../rules/health/node-repair-overrides";
import { oneDcgmEngine } from "../../rules/health/one-dcgm-engine";
import { asgLaunchTemplate } from "../../rules/machines/asg-launch-template";
import { capacityReservationTarget } from "../../rules/machines/capacity-reservation-target";
import { gpuNodeDisk } from "../../rules/machines/gpu-node-disk";
import { gpuUserdataDrift } from "../../rules/machines/gpu-userdata-drift";
import { launchTemplateImdsv2 } from "../../rules/machines/launch-template-imdsv2";
import { launchTemplateNoPublicIp } from "../../rules/machines/launch-template-no-public-ip";
import { launchTemplateVolumesEncrypted } from "../../rules/machines/launch-template-volumes-encrypted";
import { securityGroupPublicIngress } from "../../rules/network/security-group-public-ingress";
import { securityGroupRuleConflict } from "../../rules/network/security-group-rule-conflict";
import { gpuAmiFamily } from "../../rules/nodes/gpu-ami-family";
import { gpuSingleAz } from "../../rules/nodes/gpu-single-az";
import { gpuTaintPresent } from "../../rules/nodes/gpu-taint-present";
import { nodeGroupDiskConflict } from "../../rules/nodes/node-group-disk-conflict";
import { nodeReleasePinned } from "../../rules/nodes/node-release-pinned";
import { nodeRemoteAccess } from "../../rules/nodes/node-remote-access";
import { systemNodeGroupPresent } from "../../rules/nodes/system-node-group-present";
import { devicePluginEnabled } from "../../rules/operator/device-plugin-enabled";
import { gpuOperatorChartPinned } from "../../rules/operator/gpu-operator-chart-pinned";
import { gpuOperatorK8sCompat } from "../../rules/operator/gpu-operator-k8s-compat";
import { helmWaitSane } from "../../rules/operator/helm-wait-sane";
import { nriNeedsToolkit } from "../../rules/operator/nri-needs-toolkit";
import { nvidiaAmiDriverToolkitOff } from "../../rules/operator/nvidia-ami-driver-toolkit-off";
import { operatorToleratesTaints } from "../../rules/operator/operator-tolerates-taints";
import { imageTagPinned } from "../../rules/pods/image-tag-pinned";
import { oneGpuDevicePlugin } from "../../rules/pods/one-gpu-device-plugin";
import { podHostAccess } from "../../rules/pods/pod-host-access";
import { podResources } from "../../rules/pods/pod-resources";
import { podSensitiveHostPath } from "../../rules/pods/pod-sensitive-host-path";
import { rbacClusterPolicyWrite } from "../../rules/rbac/rbac-cluster-policy-write";
import { rbacSecretsRead } from "../../rules/rbac/rbac-secrets-read";
import { rbacWildcards } from "../../rules/rbac/rbac-wildcards";
import { casScaleFromZeroTags } from "../../rules/scaling/cas-scale-from-zero-tags";
import { gpuPoolConsolidation } from "../../rules/scaling/gpu-pool-consolidation";
import { gpuPoolLimit } from "../../rules/scaling/gpu-pool-limit";
import { gpuSharingScaleUp } from "../../rules/scaling/gpu-sharing-scale-up";
import { nodegroupScalingOrder } from "../../rules/scaling/nodegroup-scaling-order";
import { oneGpuProvisioner } from "../../rules/scaling/one-gpu-provisioner";
import { gpuPodShape } from "../../rules/workloads/gpu-pod-shape";
import { gpuRolloutDeadlock } from "../../rules/workloads/gpu-rollout-deadlock";
import { hostpathSocketType } from "../../rules/workloads/hostpath-socket-type";
import { modelFitsGpu } from "../../rules/workloads/model-fits-gpu";
import { nodeselectorHostname } from "../../rules/workloads/nodeselector-hostname";
import { version } from "./package.json";

/** The rules for a lab, each with its level. */
export const lab = pack({
  name: "eks-gpu-lab",
  version,
  description: "Rules for GPU labs on Amazon EKS that prevent late failures, unnoticed costs and unexpected changes.",
  pages: rulePages(),
  rules: [
    { rule: nodegroupScalingOrder, level: "mandatory" },
    { rule: casScaleFromZeroTags, level: "advisory" },
    { rule: gpuPoolLimit, level: "mandatory" },
    { rule: gpuPoolConsolidation, level: "advisory" },
    { rule: gpuSharingScaleUp, level: "advisory" },
    { rule: oneGpuProvisioner, level: "advisory" },
    { rule: gpuDesiredZero, level: "mandatory" },
    { rule: gpuLeasePresent, level: "advisory" },
    { rule: gpuVcpuQuota, level: "mandatory" },
    { rule: gpuUpdateHeadroom, level: "mandatory" },
    { rule: gpuSingleAz, level: "mandatory" },
    { rule: gpuTaintPresent, level: "mandatory" },
    { rule: gpuAmiFamily, level: "mandatory" },
    { rule: nodeReleasePinned, level: "advisory" },
    { rule: nodeRemoteAccess, level: "mandatory" },
    { rule: systemNodeGroupPresent, level: "advisory" },
    { rule: nodeGroupDiskConflict, level: "mandatory" },
    { rule: gpuNodeDisk, level: "advisory" },
    { rule: gpuUserdataDrift, level: "advisory" },
    { rule: capacityReservationTarget, level: "mandatory" },
    { rule: launchTemplateImdsv2, level: "mandatory" },
    { rule: launchTemplateVolumesEncrypted, level: "mandatory" },
    { rule: launchTemplateNoPublicIp, level: "mandatory" },
    { rule: asgLaunchTemplate, level: "advisory" },
    { rule: gpuOperatorChartPinned, level: "mandatory" },
    { rule: nvidiaAmiDriverToolkitOff, level: "mandatory" },
    { rule: gpuOperatorK8sCompat, level: "mandatory" },
    { rule: devicePluginEnabled, level: "mandatory" },
    { rule: operatorToleratesTaints, level: "mandatory" },
    { rule: nriNeedsToolkit, level: "mandatory" },
    { rule: helmWaitSane, level: "advisory" },
    { rule: nmaNodeRepair, level: "mandatory" },
    { rule: oneDcgmEngine, level: "mandatory" },
    { rule: nodeRepairOverrides, level: "mandatory" },
    { rule: clusterEndpointPublic, level: "mandatory" },
    { rule: clusterLogging, level: "advisory" },
    { rule: clusterSecretsEncrypted, level: "advisory" },
    { rule: clusterVersionSupported, level: "mandatory" },
    { rule: clusterAccessMode, level: "advisory" },
    { rule: addonsPinned, level: "advisory" },
    { rule: nodeRoleMinimal, level: "advisory" },
    { rule: iamRolePolicyConflict, level: "mandatory" },
    { rule: securityGroupRuleConflict, level: "mandatory" },
    { rule: securityGroupPublicIngress, level: "mandatory" },
    { rule: hostpathSocketType, level: "mandatory" },
    { rule: gpuRolloutDeadlock, level: "mandatory" },
    { rule: gpuPodShape, level: "mandatory" },
    { rule: modelFitsGpu, level: "mandatory" },
    { rule: nodeselectorHostname, level: "advisory" },
    { rule: podHostAccess, level: "mandatory" },
    { rule: podSensitiveHostPath, level: "advisory" },
    { rule: imageTagPinned, level: "mandatory" },
    { rule: podResources, level: "advisory" },
    { rule: oneGpuDevicePlugin, level: "advisory" },
    { rule: rbacClusterPolicyWrite, level: "mandatory" },
    { rule: rbacWildcards, level: "advisory" },
    { rule: rbacSecretsRead, level: "advisory" },
    { rule: gpuAlertZeroNotAbsent, level: "mandatory" },
    { rule: experimentToggleLeftOn, level: "mandatory" },
  ],
});

/** The id of every rule. */
export type RuleId = (typeof lab.rules)[number]["rule"]["id"];
