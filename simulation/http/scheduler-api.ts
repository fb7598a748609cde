import { isRecord } from "../../components/core/reader/records";
import type { Properties } from "../../components/core/wire";
import { types } from "../aws/types";
import { CloudError, existing } from "../cloud/errors";
import type { CloudObject } from "../cloud/model";
import type { SimulatedCloud } from "../cloud/simulated-cloud";
import type { ServiceApi } from "./service-api";
import { createdSeconds, deleteOrFail, namedLike, tagList } from "./objects";
import { operation, restJson } from "./rest-json";

/** The API of EventBridge Scheduler: groups, and their schedules. The simulation does not start their targets. */
export function schedulerApi(cloud: SimulatedCloud): ServiceApi {
  const change = async (name: string, body: Properties, isNew: boolean) => {
    const { clientToken, ...given } = lower(body);
    const inputs: Properties = { state: "ENABLED", scheduleExpressionTimezone: "UTC", ...given, name };
    const id = idOf(inputs["groupName"], name);
    if (!isNew) scheduleNamed(cloud, id);
    const object = isNew ? await cloud.create(types.schedule, inputs) : await cloud.update(types.schedule, id, inputs);
    return { ScheduleArn: object.computed["arn"] };
  };
  return restJson({ ConflictException: 409 }, [
    ...groupOperations(cloud),
    operation("GET", "/schedules", ({ ScheduleGroup: groupName }) => ({
      Schedules: schedulesIn(cloud, groupName).map((object) => {
        const { GroupName, Name, Target } = scheduleAnswer(object);
        const { Arn } = Target as Properties;
        return { Arn: object.computed["arn"], GroupName, Name, State: "ENABLED", Target: { Arn } };
      }),
    })),
    operation("GET", "/schedules/{name}", ({ name = "", groupName }) =>
      scheduleAnswer(scheduleNamed(cloud, idOf(groupName, name))),
    ),
    operation("POST", "/schedules/{name}", ({ name = "" }, body) => change(name, body, true)),
    operation("PUT", "/schedules/{name}", ({ name = "" }, body) => change(name, body, false)),
    operation("DELETE", "/schedules/{name}", async ({ name = "", groupName }) => {
      const { type, id } = scheduleNamed(cloud, idOf(groupName, name));
      await cloud.delete(type, id);
      return {};
    }),
  ]);
}

const idOf = (groupName: unknown, name: string) => `${typeof groupName === "string" ? groupName : "default"}/${name}`;

function groupOperations(cloud: SimulatedCloud) {
  return [
    operation("GET", "/schedule-groups", ({ NamePrefix: prefix = "" }) => ({
      ScheduleGroups: namedLike(cloud, types.scheduleGroup, prefix).map((group) => ({
        ...{ Arn: group.computed["arn"], Name: group.id, State: "ACTIVE" },
        CreationDate: createdSeconds(cloud, group),
      })),
    })),
    operation("DELETE", "/schedule-groups/{name}", ({ name = "" }) =>
      deleteOrFail(cloud, types.scheduleGroup, name, groupNotFound(name)),
    ),
    operation("GET", "/tags/{arn}", ({ arn = "" }) => ({
      Tags: tagList(existing(cloud.find(types.scheduleGroup, { arn })[0], groupNotFound(arn))),
    })),
  ];
}

function groupNotFound(name: string): CloudError {
  return new CloudError("ResourceNotFoundException", `Schedule group ${name} does not exist.`);
}

function schedulesIn(cloud: SimulatedCloud, groupName: string | undefined): CloudObject[] {
  if (groupName === undefined) return cloud.find(types.schedule);
  existing(cloud.get(types.scheduleGroup, groupName), groupNotFound(groupName));
  return cloud.find(types.schedule, { groupName });
}

function scheduleNamed(cloud: SimulatedCloud, id: string): CloudObject {
  const message = `Schedule ${id.split("/").at(-1)} does not exist.`;
  return existing(cloud.get(types.schedule, id), new CloudError("ResourceNotFoundException", message));
}

/** A schedule as GetSchedule answers. */
function scheduleAnswer({ inputs, computed }: CloudObject): Properties {
  const { namePrefix, region, ...all }: Properties = { ...computed, ...inputs };
  return upper(all);
}

/** The provider's inputs have the names of the API, with another first letter. Maps with free keys do not occur. */
const upper = (value: Properties): Properties => spelled(value, (letter) => letter.toUpperCase());
const lower = (value: Properties): Properties => spelled(value, (letter) => letter.toLowerCase());

function spelled(value: Properties, change: (letter: string) => string): Properties {
  const entries = Object.entries(value).map(([key, item]) => {
    return [change(key.charAt(0)) + key.slice(1), isRecord(item) ? spelled(item, change) : item] as const;
  });
  return Object.fromEntries(entries);
}
