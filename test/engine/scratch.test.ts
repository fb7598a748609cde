import { test } from "vitest";
import { writeFileSync, appendFileSync } from "node:fs";
import { describeEngine, ownAddress, sharedWorkspace, cloudChanges, errorsOf } from "./support/engine";
import { scaleGpuNodes } from "./support/gpu-nodes";
const say = (s: string) => appendFileSync("/tmp/keys-out.txt", `${s}\n`);
const base = [ownAddress, "gpuOperator.enabled=true", "monitoring.enabled=true", "controllers.loadBalancerController.install=true", "tags.team=a"];
const keys = `
clusterName=other
secretsKey=none
secretsKey=arn:aws:kms:ap-northeast-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef
network.zones=["ap-northeast-2a","ap-northeast-2b","ap-northeast-2c","ap-northeast-2d"]
network.zones=["ap-northeast-2a","ap-northeast-2b"]
network.natGateways=perAz
network.natGateways=none|network.interfaceEndpoints=true
network.interfaceEndpoints=true
network.flowLogs=true
kubernetesVersion=1.36
admins=["arn:aws:iam::123456789012:role/x"]
systemNodes.instanceType=t3.large
systemNodes.desiredSize=3
systemNodes.minSize=2
systemNodes.maxSize=5
systemNodes.owner=session
systemNodes.diskSizeGiB=100
systemNodes.releaseVersion=1.35.9-20261101
systemNodes.labels.x=y
systemNodes.maxPods=60
systemNodes.tools=["htop"]
gpuNodes.instanceType=g6.xlarge
gpuNodes.desiredSize=1
gpuNodes.minSize=1|gpuNodes.desiredSize=1
gpuNodes.maxSize=3
gpuNodes.owner=pulumi
gpuNodes.diskSizeGiB=200
gpuNodes.releaseVersion=1.35.9-20261101
gpuNodes.capacityType=SPOT
gpuNodes.capacityReservation.id=cr-0123456789abcdef0
gpuNodes.placementGroup=pg
gpuNodes.efa=true|gpuNodes.instanceType=g5.8xlarge
gpuNodes.localStorage=raid0
gpuNodes.labels.x=y
gpuNodes.taints=[{"key":"a","value":"b","effect":"NO_SCHEDULE"}]
gpuNodes.maxPods=60
gpuNodes.tools=["htop"]
gpuNodes.azIndex=1
nccl=blocked
gpuOperator.enabled=false
gpuOperator.chartVersion=v26.3.3
gpuOperator.namespace=nvidia
gpuOperator.devicePlugin=false
gpuOperator.dcgmExporter=false
gpuOperator.serviceMonitor=false
gpuOperator.validatorWorkload=false
gpuOperator.timeSlicing=4
gpuOperator.timeoutSeconds=1200
monitoring.enabled=false
monitoring.namespace=mon
monitoring.grafana=false
monitoring.alertmanager=false
monitoring.retentionHours=48
monitoring.retentionGiB=4
monitoring.timeoutSeconds=1200
gpuHealth.engine=operator
gpuHealth.repair.maxUnhealthyNodeCount=1
addons.coredns=v1.12.4-eksbuild.1
controllers.loadBalancerController.install=false
controllers.clusterAutoscaler.install=true
controllers.externalDns.hostedZoneIds=["Z0123456789ABCDEFGHIJ"]
lease.enabled=false
lease.nightly=22:00
lease.timeZone=Europe/Berlin
lease.expiresAt=2026-12-24
lease.lab=x
lease.owner=me
controlPlaneLogs=["api"]
controlPlaneLogs=[]
logRetentionDays=14
deletionProtection=true
tags.team=b
tags.x=y
network.cidr=10.20.0.0/16
network.publicSubnetCidrs=["192.168.100.0/24","192.168.101.0/24","192.168.102.0/24"]|network.privateSubnetCidrs=["192.168.12.0/22","192.168.16.0/22","192.168.20.0/22"]
network.existing={"vpcId":"vpc-0123456789abcdef0","cidrBlock":"10.0.0.0/16","zones":["ap-northeast-2a","ap-northeast-2b"],"publicSubnetIds":[],"privateSubnetIds":["subnet-0123456789abcdef0","subnet-0123456789abcdef1"]}
`.trim().split("\n");
describeEngine("scratch", () => {
  const shared = sharedWorkspace({ config: base });
  test("x", async () => {
    writeFileSync("/tmp/keys-out.txt", "");
    const w = shared.current;
    const o = await w.up();
    say(`up ${o.status} ${errorsOf(o)}`);
    scaleGpuNodes(w.cloud, 2);
    for (const k of keys) {
      w.configure([...base, ...k.split("|")]);
      const p = await w.preview();
      say(`\n### ${k} rc ${p.status}\n${cloudChanges(p).join("\n")}\n${p.status ? errorsOf(p).slice(0, 700) : ""}`);
    }
  }, 2000000);
});
