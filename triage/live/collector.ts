import type { Unread } from "../dump/dump";
import { Cursor } from "../objects/cursor";
import { resources, type KubernetesObject, type Resource } from "../objects/kinds";
import { Unreachable, type Get } from "./api";

/** What part of a resource is asked for. */
export interface Query {
  /** One namespace; all of them where none is named. */
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

const pageSize = 500;
/** 20,000 objects. A larger answer is cut, and the report says so. */
const mostPages = 40;

/**
 * Reads objects and remembers what it could not read. One refused list ends nothing; no answer at all ends everything,
 * unless something has been read already.
 */
export class Collector {
  readonly objects: KubernetesObject[] = [];
  readonly read = new Set<Resource>();
  readonly unread: Unread[] = [];
  private answered = false;

  constructor(private readonly get: Get) {}

  /**
   * Lists a resource. Where the caller may not list it everywhere, the `fallback` namespaces are tried one by one.
   *
   * @returns what was found, also kept in `objects`
   */
  async list(resource: Resource, query: Query = {}, fallback: readonly string[] = []): Promise<KubernetesObject[]> {
    const { found, status, why } = await this.pages(resource, query);
    if (status === undefined) return found;
    // A kind that the API server does not know has no objects: that is an answer.
    if (status === 404 && query.namespace === undefined) {
      this.read.add(resource);
      return [];
    }
    this.remember(resource, query, why);
    if (status !== 403 || query.namespace !== undefined) return found;
    const rest: KubernetesObject[] = [];
    for (const namespace of new Set(fallback)) rest.push(...(await this.list(resource, { ...query, namespace })));
    return rest;
  }

  /** One object by its name; undefined when there is none, or none that may be read. */
  async one(resource: Resource, name: string, namespace?: string): Promise<KubernetesObject | undefined> {
    const answer = await this.ask(pathOf(resource, inside(namespace), name));
    if (!answer.ok) {
      if (answer.status !== 404) this.remember(`${resource}/${name}`, inside(namespace), reasonOf(answer));
      else this.read.add(resource);
      return undefined;
    }
    return this.keep(resource, new Cursor(answer.body, resource, []));
  }

  /** The last lines of a pod's log. */
  async log(namespace: string, pod: string, lines: number): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?tailLines=${lines}`;
    const answer = await this.ask(path);
    if (answer.ok) return typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    // A pod that has not started has no log: nothing is missing.
    if (answer.status !== 400 && answer.status !== 404) this.remember("logs", { namespace }, reasonOf(answer));
    return "";
  }

  private async pages(
    resource: Resource,
    query: Query,
  ): Promise<{ found: KubernetesObject[]; status?: number; why: string }> {
    const found: KubernetesObject[] = [];
    let token: string | undefined;
    for (let page = 0; page < mostPages; page += 1) {
      const answer = await this.ask(pathOf(resource, query, undefined, { limit: String(pageSize), continue: token }));
      if (!answer.ok) {
        // The rest of a long list can expire while it is read.
        if (answer.status === 410 && token !== undefined) break;
        return { found, status: answer.status, why: reasonOf(answer) };
      }
      const list = new Cursor(answer.body, resource, []);
      for (const item of list.at("items").each()) found.push(this.keep(resource, item));
      this.read.add(resource);
      token = list.at("metadata").at("continue").text();
      if (token === undefined || token === "") return { found, why: "" };
    }
    const why = `only the first ${found.length} were read`;
    this.remember(resource, query, why);
    return { found, why };
  }

  private async ask(path: string): Promise<Awaited<ReturnType<Get>>> {
    try {
      const answer = await this.get(path);
      this.answered = true;
      return answer;
    } catch (error) {
      if (!(error instanceof Unreachable) || !this.answered) throw error;
      return { ok: false, status: 0, why: error.why };
    }
  }

  private keep(resource: Resource, item: Cursor): KubernetesObject {
    const object = resources[resource].read(item);
    this.objects.push(object);
    this.read.add(resource);
    return object;
  }

  private remember(what: string, query: Query, why: string): void {
    const where = placeOf(query);
    if (!this.unread.some((one) => one.what === what && one.where === where)) this.unread.push({ what, where, why });
  }
}

function reasonOf({ status, why }: { status: number; why: string }): string {
  if (status === 403) return "you may not read it (403)";
  return status === 0 ? why : `${why} (${status})`;
}

function inside(namespace: string | undefined): Query {
  return namespace === undefined ? {} : { namespace };
}

function placeOf({ namespace }: Query): string {
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
