import type { Hono } from 'hono';
import type { Json } from '../../../src/kernel/json.ts';
import { maskerFactory, secretFinder } from '../../../src/process/output/mask.ts';
import type { ApiKey, ApiServices, Topic } from '../../../src/project/api.ts';
import { makeApp } from '../../../src/server/http/app.ts';
import type { HttpServices, Route } from '../../../src/server/http/route.ts';
import { allRoutes } from '../../../src/server/http/routes/all.ts';
import { Streams } from '../../../src/server/http/stream.ts';
import { ProjectFixture } from '../../cli/project-fixture.ts';

export const ada: ApiKey = { name: 'ada', access: 'write', key: 'a'.repeat(43) };
export const reader: ApiKey = { name: 'grace', access: 'read', key: 'b'.repeat(43) };

/** An answer of the API. */
export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly document: Json;
}

/** The API of a fixture's project, without a port. */
export class ApiFixture {
  readonly project: ProjectFixture;
  readonly streams: Streams;
  readonly routes: readonly Route[];
  readonly app: Hono;
  /** The bugs that were reported. */
  readonly bugs: unknown[] = [];
  readonly pageFiles = new Map<string, string>();
  keys: readonly ApiKey[] = [ada, reader];
  secret = 'no secret';
  readonly numbers = new Map<Topic, number>();
  /** How many watches of the project are open. */
  watches = 0;
  change: (topic: Topic, number: number) => void = () => {};

  /** `opened`: what answers of the project; default: the fixture. `added`: routes of extensions. */
  constructor(
    project = new ProjectFixture(),
    opened: HttpServices['project'] = project.project(),
    added: readonly Route[] = [],
  ) {
    this.project = project;
    const services: HttpServices = {
      project: opened,
      api: this.#services(),
      version: '1.2.3',
      now: () => project.now,
    };
    this.streams = new Streams(services);
    this.routes = allRoutes(this.streams, added);
    this.app = makeApp(services, this.routes, (error) => this.bugs.push(error));
  }

  #services(): ApiServices {
    return {
      socket: null,
      keys: () => this.keys,
      mask: (document) =>
        JSON.parse(JSON.stringify(document).replaceAll(this.secret, '***')) as typeof document,
      maskText: (text) => text.replaceAll(this.secret, '***'),
      masker: () => maskerFactory([this.secret])(),
      secretsIn: (bytes) => secretFinder([this.secret])(bytes),
      pageFile: (name) => this.pageFiles.get(name) ?? null,
      manual: () => null,
      watch: (onChange) => {
        this.watches += 1;
        this.change = (topic, number) => {
          this.numbers.set(topic, number);
          onChange(topic, number);
        };
        return { numbers: () => this.numbers, close: () => void (this.watches -= 1) };
      },
      open: () => {},
      close: () => Promise.resolve(),
    };
  }

  /** The raw response; without `Authorization` in the options it has the key of ada. */
  ask(path: string, options: RequestInit = {}): Promise<Response> {
    const headers = new Headers(options.headers);
    if (!headers.has('host')) headers.set('host', '127.0.0.1:6246');
    if (!headers.has('authorization')) headers.set('authorization', `Bearer ${ada.key}`);
    return Promise.resolve(this.app.request(path, { ...options, headers }));
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Told> {
    return told(await this.ask(path, { headers }));
  }

  async put(path: string, body: Json, headers: Record<string, string> = {}): Promise<Told> {
    const all = { 'content-type': 'application/json', ...headers };
    return told(await this.ask(path, { method: 'PUT', headers: all, body: JSON.stringify(body) }));
  }

  async post(path: string, body: Json | string, headers: Record<string, string> = {}): Promise<Told> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const all = { 'content-type': 'application/json', ...headers };
    return told(await this.ask(path, { method: 'POST', headers: all, body: text }));
  }
}

async function told(response: Response): Promise<Told> {
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, document: text === '' ? null : (JSON.parse(text) as Json) };
}
