import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extensions } from '../../src/extensions/list.ts';
import type { Route } from '../../src/server/http/route.ts';
import { ApiFixture } from '../server/http/api-fixture.ts';

const page = readFileSync(new URL('../../docs/http-api.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/```http\n([^]*?)```/g)].map(([, block = '']) => block.trim());

/** A line of the examples, in its parts. */
const examples = blocks
  .flatMap((block) => block.split('\n'))
  .filter((line) => !line.startsWith('# '))
  .map((line) => {
    const [, method = '', path = '', query = '', body] =
      /^(\S+) ([^\s?]+)(?:\?(\S+))?(?: (\{.*\}))?$/.exec(line) ?? [];
    return { line, method, path, query, body };
  });

const added = await Promise.all(
  extensions.map(({ routes }) => routes?.({ openStreams: () => 0 }) ?? Promise.resolve([])),
);
const { routes } = new ApiFixture(undefined, undefined, added.flat());

/** What fits only this route: a route with fewer parameters comes before the others. */
function routeOf(method: string, path: string): Route | undefined {
  const fits = routes.filter(
    (route) =>
      route.method.toUpperCase() === method &&
      new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
  return fits.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

describe('the examples of the HTTP API', () => {
  it('are one for each address', () => {
    const shown = examples
      .map(({ method, path }) => routeOf(method, path))
      .map((route) => (route === undefined ? '' : nameOf(route)));
    expect(shown.toSorted()).toEqual(routes.map(nameOf).toSorted());
  });

  it('begin with what they do', () => {
    for (const block of blocks) expect(block).toMatch(/^# \S/);
  });

  it.each(examples)('is a request that is taken: $line', ({ method, path, query, body }) => {
    const route = routeOf(method, path)!;
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const values = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path)?.slice(1) ?? [];
    const params = Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index]!)]));
    route.params?.parse(params);
    expect(route.query?.parse(Object.fromEntries(new URLSearchParams(query)))).not.toBeNull();
    expect(query === '' || route.query !== undefined).toBe(true);
    expect(body === undefined).toBe(method === 'GET');
    if (body !== undefined) route.body?.parse(JSON.parse(body));
  });
});

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}
