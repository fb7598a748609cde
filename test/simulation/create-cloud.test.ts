import { describe, expect, test } from "vitest";
import { awsModels, eksModels } from "../../simulation/aws/models";
import { types } from "../../simulation/aws/types";
import type { ResourceModel } from "../../simulation/cloud/model";
import { createCloud } from "../../simulation/create-cloud";
import { kubernetesModels } from "../../simulation/kubernetes/kinds";

describe("the simulated cloud", () => {
  test("has one model for each type", () => {
    const types = [...awsModels, ...eksModels, ...kubernetesModels].map(({ type }) => type);
    expect(types.filter((type, index) => types.indexOf(type) !== index)).toEqual([]);
  });

  test("refers only to types that have a model", () => {
    const kinds = [...awsModels, ...eksModels, ...kubernetesModels];
    const known = new Set(kinds.map(({ type }) => type));
    const unknown = kinds.flatMap(({ type, references = [] }) =>
      references.filter(({ to }) => !known.has(to)).map(({ to }) => `${type} -> ${to}`),
    );
    expect(unknown).toEqual([]);
  });

  test("starts empty, with the given account", () => {
    const cloud = createCloud({ account: { gpuVcpuQuota: 96 } });
    expect(cloud.objects).toEqual([]);
    expect(cloud.account).toMatchObject({ gpuVcpuQuota: 96, region: "ap-northeast-2" });
  });

  test("takes models that replace those of the same type", () => {
    const model: ResourceModel = { type: types.cluster, id: () => "mine" };
    expect(createCloud({ models: [model] }).modelOf(types.cluster)).toBe(model);
    expect(createCloud().modelOf(types.cluster)).not.toBe(model);
  });

  test("answers provider functions", () => {
    const cloud = createCloud();
    expect(cloud.call("aws:index/getPartition:getPartition", {})).toMatchObject({ partition: "aws" });
    expect([...cloud.unsimulated]).toEqual([]);
  });
});
