import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { finalizeEvent, generateSecretKey, verifyEvent } from 'nostr-tools/pure';
import { afterEach, describe, expect, it } from 'vitest';
import { NipProject } from './nip-project.ts';
import { finished, said } from '../../support/project.ts';

/*
 * Workflows of the language nip, through the real program, with a program in the place of agents.
 */

let project: NipProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

function projectWith(more: Readonly<Record<string, string>> = {}, nip?: string): NipProject {
  return (project = new NipProject(more, nip));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((each) =>
    each.isFile() ? [join(each.parentPath, each.name)] : [],
  );
}

interface Document {
  readonly run: string;
  readonly status: string;
  readonly reason: string | null;
  readonly cost: { readonly msats?: number };
  readonly budget?: { readonly msats: number; readonly left: number };
  readonly steps: Readonly<Record<string, { readonly status: string; readonly values: object }>>;
}

async function run(place: NipProject, file: string, ...options: string[]): Promise<Document> {
  const { stdout } = await place.run(['run', file, '--json', ...options]);
  return JSON.parse(stdout) as Document;
}

const long = 'one two three four five six seven eight nine ten eleven twelve thirteen';

/** The example of the document that describes the language. */
const translate = {
  kind: 30_920,
  tags: [
    ['d', 'translate-and-summarize-v1'],
    ['name', 'Translate and Summarize'],
    ['version', '1.0.0'],
    ['step', 'translate', '5100', 'input:$input.text', 'output:translated'],
    ['step', 'summarize', '5200', 'input:$translated', 'output:summary'],
    ['edge', 'translate', 'summarize', 'always'],
    ['input', 'text', 'string', 'true'],
    ['output', 'summary', 'string'],
  ],
  content: 'Translate input text and summarize the result',
};

const echo = `import { readFileSync } from 'node:fs';
const given = /\`\`\`json\\n(.*?)\\n\`\`\`/s.exec(readFileSync(process.env.MAILROOM_MESSAGES, 'utf8'))[1];
console.log(process.env.MAILROOM_ROLE + ' got ' + Object.values(JSON.parse(given)).join(', '));
`;

describe('the example of the language', () => {
  const yaml = [
    'kind: 30920',
    'tags:',
    ...translate.tags.map((words) => `  - [${words.join(', ')}]`),
    `content: ${translate.content}`,
    '',
  ].join('\n');

  it.each([
    ['JSON', 'workflows/translate.json', JSON.stringify(translate)],
    ['YAML', 'workflows/translate.yaml', yaml],
  ])('is validated, planned and run as %s', async (_name, file, text) => {
    const place = projectWith({ [file]: text, 'agents/clerk.mjs': echo });
    expect(await place.run(['validate', file])).toMatchObject({
      code: 0,
      stdout: 'ok: 1 workflow, 2 steps\n',
    });
    const plan = await place.run(['plan', file, '--input', 'text=hello']);
    expect(plan.stdout).toMatch(
      /Batch 1\n {2}translate {2}role counter\n[^]*Batch 2\n {2}summarize {2}role shortener\n/,
    );
    const document = await run(place, file, '--input', 'text=hello');
    expect(document.status).toBe('SUCCEEDED');
    expect(document.steps['summarize']?.values).toEqual({ summary: 'shortener got counter got hello' });
  });
});

describe('a run', () => {
  it('takes the branch whose condition holds, within its budget to the last unit', async () => {
    const place = projectWith();
    const document = await run(place, 'measure', '--input', `text=${long}`, '--budget', 'msats=3000');
    expect(document).toMatchObject({ status: 'SUCCEEDED', cost: { msats: 3_000 }, budget: { left: 0 } });
    expect(document.steps['report']?.values).toEqual({
      report: '13 words: one two three four five six seven eight …',
    });
    const short = await run(place, 'measure', '--input', 'text=a b', '--budget', 'msats=1999');
    expect(short).toMatchObject({ status: 'FAILED', budget: { msats: 1_999, left: -1 } });
    expect(short.reason).toContain('2000 of 1999 msats are spent');
    expect(short.steps['shorten']?.status).toBe('SKIPPED');
    expect(short.steps['report']?.values).toEqual({ report: '2 words: a b' });
  });

  it('says in signed events what is asked, what each step gave, and how it stands', async () => {
    const place = projectWith();
    const { run: id } = await run(place, 'measure', '--input', 'text=a b', '--budget', 'msats=5000');
    expect(statSync(`${place.root}/.mailroom/nostr.key`).mode & 0o777).toBe(0o600);
    const [definition] = place.events('definitions');
    const events = place.events(id);
    for (const event of [definition!, ...events]) expect(verifyEvent(event as never)).toBe(true);
    const [request, ...rest] = events;
    expect(request?.tags).toEqual([
      ['e', definition?.id, '', 'workflow'],
      ['d', id],
      ['bid', '5000'],
      ['timeout', '300'],
      ['input', 'text', '"a b"'],
    ]);
    for (const { tags } of rest)
      expect(tags.slice(0, 2)).toEqual([
        ['e', request?.id, '', 'execution'],
        ['d', id],
      ]);
    const told = (kind: number, name: string) =>
      rest
        .filter((event) => event.kind === kind)
        .map(({ tags }) =>
          tags
            .find((tag) => tag[0] === name)
            ?.slice(1)
            .join('/'),
        );
    expect(told(6_920, 'step')).toEqual(['count', 'shorten', 'report']);
    expect(told(6_920, 'status')).toEqual(['completed', 'skipped', 'completed']);
    expect(rest.find(({ kind }) => kind === 6_920)?.content).toBe('{"words":2,"long":false}');
    // How many of the `running` ones are held back depends on how fast the steps are.
    const progress = told(7_920, 'progress');
    expect([progress[0], progress.at(-1), progress]).toEqual([
      '0/3',
      '2/3',
      progress.toSorted((a, b) => a!.localeCompare(b!)),
    ]);
    const statuses = told(7_920, 'status');
    expect(statuses).toEqual([...statuses.slice(1).map(() => 'running'), 'completed']);
    expect(told(7_920, 'cost').at(-1)).toBe('2000');
    // The same definition is not said again.
    await run(place, 'measure', '--input', 'text=c');
    expect(place.events('definitions')).toHaveLength(1);
  });

  it('continues after a failure, and says what came of it', async () => {
    // What prints the key of the project, leaves it nowhere.
    const failing = `import { readFileSync as take } from 'node:fs';
if (process.env.MAILROOM_ROLE === 'reporter') {
  console.log('it is ' + take('.mailroom/nostr.key', 'utf8'));
  process.exit(2);
}
`;
    const place = projectWith();
    const clerk = place.read('agents/clerk.mjs');
    place.write('agents/clerk.mjs', `${failing}${clerk}`);
    const failed = await run(place, 'measure', '--input', 'text=a b');
    expect(failed.status).toBe('FAILED');
    const key = place.read('.mailroom/nostr.key').trim();
    const kept = filesBelow(`${place.root}/.mailroom`).filter((file) => !file.endsWith('nostr.key'));
    expect(kept.filter((file) => readFileSync(file, 'utf8').includes(key))).toEqual([]);
    expect(kept.some((file) => readFileSync(file, 'utf8').includes('it is ***'))).toBe(true);
    place.write('agents/clerk.mjs', clerk);
    expect(await place.run(['resume', failed.run])).toMatchObject({ code: 0 });
    const statuses = place
      .events(failed.run)
      .filter(({ kind, tags }) => kind === 6_920 && tags.some((tag) => tag[1] === 'report'))
      .map(({ tags }) => tags.find((tag) => tag[0] === 'status')?.[1]);
    expect(statuses).toEqual(['failed', 'completed']);
  });
});

describe('as many runs as mailroom.yaml allows', () => {
  it('continue at once, and one more is refused', async () => {
    const place = projectWith(
      {
        'agents/clerk.mjs':
          "import { existsSync } from 'node:fs';\nconst cell = new Int32Array(new SharedArrayBuffer(4));\nwhile (!existsSync('go')) Atomics.wait(cell, 0, 0, 20);\nconsole.log('{}');\n",
      },
      '{ maxConcurrentWorkflows: 1 }',
    );
    const first = place.start(['run', 'measure', '--input', 'text=a', '--plain']);
    const ended = finished(first);
    await said(first, 'count');
    expect(await place.run(['run', 'measure', '--input', 'text=b'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'error E_LOCKED: the limit of parallel nip runs is reached: 1',
      ) as string,
    });
    place.write('go', '');
    expect(await ended).toMatchObject({ code: 0 });
  });
});

describe('a signed definition', () => {
  const key = generateSecretKey();
  const signed = finalizeEvent({ ...translate, created_at: 1_700_000_000 }, key);

  it('is run as its author signed it', async () => {
    const place = projectWith({ 'workflows/signed.json': JSON.stringify(signed), 'agents/clerk.mjs': echo });
    const document = await run(place, 'workflows/signed.json', '--input', 'text=hello');
    expect(document.status).toBe('SUCCEEDED');
    expect(place.events('definitions').map(({ id }) => id)).toEqual([signed.id]);
  });

  it('is refused when anything in it was changed', async () => {
    const changed = { ...signed, content: 'Something else' };
    const place = projectWith({ 'workflows/signed.json': JSON.stringify(changed, null, 1) });
    const { code, stderr } = await place.run(['run', 'workflows/signed.json', '--input', 'text=hello']);
    expect(code).toBe(2);
    expect(stderr).toContain('error E_WORKFLOW: the signature is not that of this text and this author');
    expect(stderr).toMatch(/workflows\/signed\.json:\d+:\d+/);
  });
});

describe('a request of somebody else', () => {
  const key = generateSecretKey();
  const id = 'their-run';
  const asks = (definition: string, ...tags: string[][]) =>
    finalizeEvent(
      {
        kind: 5_920,
        created_at: 1_700_000_000,
        tags: [['e', definition, '', 'workflow'], ['d', id], ['bid', '2000'], ['timeout', '60'], ...tags],
        content: '',
      },
      key,
    );
  const text = ['input', 'text', '"a b"'];

  it('is followed once, within its budget, and answered under the name that it gave the run', async () => {
    const place = projectWith();
    await run(place, 'measure', '--input', 'text=c');
    const [definition] = place.events('definitions');
    const request = asks(definition!.id, text);
    place.write('request.json', JSON.stringify(request));
    const document = await run(place, 'request.json');
    expect(document).toMatchObject({ status: 'SUCCEEDED', budget: { msats: 2_000, left: 0 } });
    const [first, ...rest] = place.events(document.run);
    expect(first?.id).toBe(request.id);
    for (const { tags } of rest)
      expect([...tags.slice(0, 2), tags.at(-1)]).toEqual([
        ['e', request.id, '', 'execution'],
        ['d', id],
        ['p', request.pubkey],
      ]);
    expect(await place.run(['run', 'request.json'])).toMatchObject({
      code: 1,
      stderr: 'error E_FORBIDDEN: the request is refused: it was followed before\n',
    });
  });

  it.each([
    [
      'a changed text',
      (event: object) => ({ ...event, content: 'x' }),
      'its signature is not that of its text and its author',
    ],
    [
      'no signature',
      (event: object) => ({ ...event, sig: undefined }),
      'it is not a signed event: `sig` must be 128 hexadecimal digits in lower case',
    ],
    ['a workflow that nobody knows', (event: object) => event, 'nothing is known of the workflow 00ff'],
  ])('is refused with %s', async (_name, change, reason) => {
    const place = projectWith({ 'request.json': JSON.stringify(change(asks('00ff', text))) });
    const { code, stderr } = await place.run(['run', 'request.json']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`error E_FORBIDDEN: the request is refused: ${reason}`) as string,
    });
  });
});
