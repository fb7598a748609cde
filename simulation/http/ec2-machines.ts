import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { types } from "../aws/types";
import { CloudError } from "../cloud/errors";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import { createdAt, nameOf } from "./objects";
import { filtersIn } from "./query";

/** The zones that offer instance types. */
export function offerings(cloud: SimulatedCloud, form: URLSearchParams): Properties {
  const found = cloud.call("aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings", {
    locationType: form.get("LocationType") ?? "region",
    filters: filtersIn(form).map(({ name, values }) => ({ name, values: [...values] })),
  });
  const locations = listOf(found["locations"]);
  return {
    instanceTypeOfferingSet: listOf(found["instanceTypes"]).map((instanceType, index) => {
      return { instanceType, locationType: "availability-zone", location: locations[index] };
    }),
  };
}

/** The latest version of a launch template: the simulation keeps no earlier one. */
export function templateVersions(cloud: SimulatedCloud, form: URLSearchParams): Properties {
  const id = form.get("LaunchTemplateId") ?? "";
  const template = cloud.get(types.launchTemplate, id);
  if (!template) {
    const message = `The specified launch template, with template ID ${id}, does not exist.`;
    throw new CloudError("InvalidLaunchTemplateId.NotFound", message);
  }
  const { instanceType, blockDeviceMappings } = template.inputs;
  const version = {
    ...{ launchTemplateId: id, launchTemplateName: nameOf(template), createTime: createdAt(cloud, template) },
    ...{ versionNumber: template.computed["latestVersion"] ?? 1, defaultVersion: true },
    launchTemplateData: { instanceType, blockDeviceMappingSet: listOf(blockDeviceMappings).filter(isRecord) },
  };
  return { launchTemplateVersionSet: [version] };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
