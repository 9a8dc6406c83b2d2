import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchemas } from '../../src/project/definition/json-schemas.ts';
import { parseConfig } from '../../src/config/read.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { parseYaml } from '../../src/yaml/yaml.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The committed schema, as an editor would apply it. */
function schema(name: string): z.ZodType {
  return z.fromJSONSchema(JSON.parse(read(`schemas/${name}`)));
}

function value(path: string): unknown {
  const yaml = parseYaml(read(path), path);
  if (!yaml.ok) throw new Error(`${path} is not YAML`);
  return yaml.value.value;
}

interface Described {
  readonly description?: string;
  readonly $ref?: string;
}

/** What a reference stands for. */
function referred(whole: object, { $ref = '' }: Described): Described {
  const { $defs = {} } = whole as { $defs?: Record<string, Described> };
  return $defs[$ref.replace('#/$defs/', '')] ?? {};
}

/** The example project, and the templates that become one. */
// `base` is what the templates share.
const templates = readdirSync(new URL('templates/', root)).filter((name) => name !== 'base');
const projects = ['', ...templates.map((name) => `templates/${name}/`)];

describe('the committed schemas', () => {
  test.each([...jsonSchemas()])('%s is current (else: npm run schemas)', (name, current) => {
    expect(JSON.parse(read(`schemas/${name}`))).toEqual(JSON.parse(JSON.stringify(current)));
  });

  test('identify themselves by a URL that ends in their file name', () => {
    const ids = [...jsonSchemas()].map(
      ([name]) => (JSON.parse(read(`schemas/${name}`)) as { $id: string }).$id,
    );
    const names = [...jsonSchemas().keys()];
    expect(ids).toEqual(names.map((name) => new URL(name, ids[0]).href));
    expect(ids[0]).toMatch(/^https:\/\//);
  });

  test('describe every key, for editors', () => {
    for (const [name, current] of jsonSchemas()) {
      const text = JSON.stringify(current, (key, part: unknown) => {
        if (key !== 'properties') return part;
        for (const [property, inner] of Object.entries(part as Record<string, Described>)) {
          const { description } = inner.description === undefined ? referred(current, inner) : inner;
          expect(description, `${name}: ${property}`).toBeTypeOf('string');
        }
        return part;
      });
      expect(text).not.toBe('');
    }
  });

  test('refuse what we refuse', () => {
    expect(schema('protocol.schema.json').safeParse({ rolls: {} }).success).toBe(false);
    expect(schema('protocol.schema.json').safeParse({ roles: { a: { timeout: 5 } } }).success).toBe(false);
    expect(schema('protocol.schema.json').safeParse({ roles: { a: { timeout: '5 m' } } }).success).toBe(
      false,
    );
    expect(schema('mailroom.schema.json').safeParse({ trail: 'on' }).success).toBe(false);
  });
});

test.each([
  ['an agent without roles', { id: 'a' }, false],
  ['an agent', { id: 'a', roles: { primary: { artifact: 'agent:x' } } }, true],
  ['a gate without a gate', { id: 'a', type: 'gate', roles: { primary: { artifact: 'agent:x' } } }, false],
  ['a gate', { id: 'a', type: 'gate', gate: { kind: 'manual_approval' } }, true],
  ['a fan-out without a list', { id: 'a', type: 'fan_out' }, false],
  [
    'a template without roles',
    { id: 'a', type: 'fan_out', fan_out: { source: [1], stage_template: {} } },
    false,
  ],
])('editors know of a stage of swdl: %s', (_what, stage, isRight) => {
  const file = { workflow: { id: 'w', name: 'W', version: '1.0.0' }, stages: [stage] };
  expect(schema('swdl.schema.json').safeParse(file).success).toBe(isRight);
});

describe('a workflow of another language', () => {
  const [, demonstration = ''] =
    /`(version: "1\.0"[^`]+)`/.exec(read('test/scenario/orchestrate.test.ts')) ?? [];

  test.each([
    ['orchestrate.schema.json', read('workflows/orchestrate.yaml')],
    ['orchestrate.schema.json', demonstration],
    ['swdl.schema.json', read('workflows/stages.yaml')],
    ['swdl.schema.json', read('test/fixtures/swdl/quick-review.yaml')],
    ['swdl.schema.json', read('test/fixtures/swdl/ship-feature.yaml')],
  ])('%s: is right for editors, too', (name, text) => {
    const yaml = parseYaml(text, 'w.yaml');
    const file = yaml.ok ? yaml.value.value : null;
    expect(schema(name).safeParse(file).error).toBeUndefined();
    expect(schema(name).safeParse({ ...(file as object), stepps: [] }).success).toBe(false);
  });
});

describe('a project that we ship', () => {
  test.each(projects)('%j is right, for us and for editors', (project) => {
    const own = `${project}mailroom.yaml`;
    const configPath = existsSync(new URL(own, root)) ? own : 'templates/base/mailroom.yaml';
    expect(schema('mailroom.schema.json').safeParse(value(configPath) ?? {}).error).toBeUndefined();
    const config = parseConfig(read(configPath), configPath);
    expect(config).toMatchObject({ ok: true });
    if (!config.ok) return;
    const names = readdirSync(new URL(`${project}protocols/`, root)).filter((name) => name.endsWith('.yaml'));
    const files = names.map((name) => ({
      file: `${project}protocols/${name}`,
      text: read(`${project}protocols/${name}`),
    }));
    for (const { file } of files)
      expect(schema('protocol.schema.json').safeParse(value(file)).error).toBeUndefined();
    expect(parseProtocol(files, config.value)).toMatchObject({ ok: true, warnings: [] });
  });

  // Without a network, an editor has the copies that `init`, `check` and `up` write.
  test('names the local schema in the first line of each of its files', () => {
    const folder = new URL('templates/', root);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.yaml'))
      .map((path) => ({ path, first: read(`templates/${path}`).split('\n', 1)[0] ?? '' }));
    expect(files.length).toBeGreaterThan(3);
    for (const { path, first } of files) {
      const [, named = ''] = /^# yaml-language-server: \$schema=(\S+)$/.exec(first) ?? [];
      const inProject = new URL(path.replace(/^[^/]+/, '/project'), 'file:///');
      const { pathname } = new URL(named, inProject);
      expect(pathname).toMatch(/^\/project\/\.mailroom\/schemas\//);
      const name = pathname.slice('/project/.mailroom/schemas/'.length);
      expect([...jsonSchemas().keys()]).toContain(name);
      expect(schema(name).safeParse(value(`templates/${path}`)).error).toBeUndefined();
    }
  });

  test('and so is the example of the manual', () => {
    expect(
      schema('protocol.schema.json').safeParse(value('test/mail/protocol/feature-team.yaml')).error,
    ).toBeUndefined();
  });
});
