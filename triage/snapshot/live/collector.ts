import type { Unread } from "../dump";
import { ObjectReader } from "../objects/object-reader";
import { resources, type KubernetesObject, type Resource } from "../objects/resources";
import { Unreachable, type Get } from "../../../components/core/kubernetes-api/api";

/** The part of a resource to list. */
export interface Query {
  /** @default all namespaces */
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

const pageSize = 500;
/** 20,000 objects. Longer lists are cut, and the report says so. */
const maxPages = 40;

/**
 * Reads objects and records what could not be read. A list that is denied is skipped. If the server does not respond at
 * all, reading fails, unless the server has responded before.
 */
export class Collector {
  readonly objects: KubernetesObject[] = [];
  readonly read = new Set<Resource>();
  readonly unread: Unread[] = [];
  private answered = false;

  constructor(private readonly get: Get) {}

  /**
   * Lists a resource. If the user may not list it in all namespaces, tries the `fallback` namespaces one by one.
   *
   * @returns the objects, which are also added to `objects`
   */
  async list(resource: Resource, query: Query = {}, fallback: readonly string[] = []): Promise<KubernetesObject[]> {
    const { found, status, why } = await this.pages(resource, query);
    if (status === undefined) return found;
    // A resource that the API server does not know has no objects.
    if (status === 404 && query.namespace === undefined) {
      this.read.add(resource);
      return [];
    }
    this.recordUnread(resource, query, why);
    if (status !== 403 || query.namespace !== undefined) return found;
    const rest: KubernetesObject[] = [];
    for (const namespace of new Set(fallback)) rest.push(...(await this.list(resource, { ...query, namespace })));
    return rest;
  }

  /** Reads one object by its name; undefined if it does not exist or may not be read. */
  async getOne(resource: Resource, name: string, namespace?: string): Promise<KubernetesObject | undefined> {
    const answer = await this.request(pathOf(resource, inNamespace(namespace), name));
    if (!answer.ok) {
      if (answer.status !== 404) this.recordUnread(`${resource}/${name}`, inNamespace(namespace), reasonOf(answer));
      else this.read.add(resource);
      return undefined;
    }
    return this.keep(resource, ObjectReader.of(answer.body, resource));
  }

  /** The last lines of a pod's log. */
  async log(namespace: string, pod: string, lines: number): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?tailLines=${lines}`;
    const answer = await this.request(path);
    if (answer.ok) return typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    // A pod that has not started has no log.
    if (answer.status !== 400 && answer.status !== 404) this.recordUnread("logs", { namespace }, reasonOf(answer));
    return "";
  }

  private async pages(
    resource: Resource,
    query: Query,
  ): Promise<{ found: KubernetesObject[]; status?: number; why: string }> {
    const found: KubernetesObject[] = [];
    let token: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const answer = await this.request(
        pathOf(resource, query, undefined, { limit: String(pageSize), continue: token }),
      );
      if (!answer.ok) {
        // The rest of a long list can expire during the read.
        if (answer.status === 410 && token !== undefined) break;
        return { found, status: answer.status, why: reasonOf(answer) };
      }
      const list = ObjectReader.of(answer.body, resource);
      for (const item of list.at("items").items()) found.push(this.keep(resource, item));
      this.read.add(resource);
      token = list.at("metadata").at("continue").string();
      if (token === undefined || token === "") return { found, why: "" };
    }
    const why = `only the first ${found.length} objects were read`;
    this.recordUnread(resource, query, why);
    return { found, why };
  }

  private async request(path: string): Promise<Awaited<ReturnType<Get>>> {
    try {
      const answer = await this.get(path);
      this.answered = true;
      return answer;
    } catch (error) {
      if (!(error instanceof Unreachable) || !this.answered) throw error;
      return { ok: false, status: 0, why: error.why };
    }
  }

  private keep(resource: Resource, item: ObjectReader): KubernetesObject {
    const object = resources[resource].read(item);
    this.objects.push(object);
    this.read.add(resource);
    return object;
  }

  private recordUnread(what: string, query: Query, why: string): void {
    const where = scopeText(query);
    if (!this.unread.some((one) => one.what === what && one.where === where)) this.unread.push({ what, where, why });
  }
}

function reasonOf({ status, why }: { status: number; why: string }): string {
  if (status === 403) return "access denied (403)";
  return status === 0 ? why : `${why} (${status})`;
}

function inNamespace(namespace: string | undefined): Query {
  return namespace === undefined ? {} : { namespace };
}

function scopeText({ namespace }: Query): string {
  return namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
}

function pathOf(
  resource: Resource,
  query: Query,
  name?: string,
  paging: Record<string, string | undefined> = {},
): string {
  const { namespace, fieldSelector, labelSelector } = query;
  const entries = Object.entries({ fieldSelector, labelSelector, ...paging });
  const search = new URLSearchParams(entries.filter((one): one is [string, string] => one[1] !== undefined));
  const place = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const tail = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  const text = search.toString();
  return `${resources[resource].api}${place}/${resource}${tail}${text === "" ? "" : `?${text}`}`;
}
