import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import type { Ran, TestProject } from '../support/project.ts';

const protocol = smallTeam.replace('  done:', '  note: { from: maker, to: maker }\n  done:');
/** Ten levels of which each names the one before twice. */
const alias = `a: &a [x, x]\n${'bcdefghij'.replaceAll(/./g, (key) => `${key}: &${key} [*${String.fromCodePoint((key.codePointAt(0) ?? 0) - 1)}, *${String.fromCodePoint((key.codePointAt(0) ?? 0) - 1)}]\n`)}`;

/** Texts that are no message, and what is said of each. */
const texts: Readonly<Record<string, readonly [text: string | Uint8Array, reason: RegExp]>> = {
  'alias-bomb': [`---\n${alias}type: task\n---\nBoom\n`, /alias|anchor/],
  javascript: ['---js\nrequire("fs").writeFileSync("executed", "")\n---\nRun\n', /opens with exactly `---`/],
  binary: [new Uint8Array([77, 0, 90, 255]), /it is binary/],
  'not-utf8': [new Uint8Array([0x48, 0xff, 0xfe, 0x0a]), /not text in UTF-8/],
  'leads-up': ['---\ntype: task\nattachments: [../../etc/passwd]\n---\nLook\n', /would leave the project/],
  'to-a-path': ['---\ntype: task\nto: ../user\n---\nLook\n', /is for \.\.\/user/],
};

/** Files that are none, how each is made, and what is said of it. */
const kinds: Readonly<Record<string, readonly [make: (path: string) => unknown, reason: RegExp]>> = {
  fifo: [(path) => execFileSync('mkfifo', [path]), /a fifo/],
  folder: [(path) => mkdirSync(path), /a folder/],
  link: [(path) => symlinkSync('/etc/passwd', path), /a link/],
  'link-to-nowhere': [(path) => symlinkSync('../nowhere', path), /a link/],
  huge: [
    (path) => {
      writeFileSync(path, '');
      truncateSync(path, 100 * 1024 * 1024);
    },
    /it has 100 MiB, the limit is 4 MiB/,
  ],
};

describe('whatever lies in an inbox', () => {
  let project: TestProject;
  let ran: Ran;
  let rows: { type: string; from: string; to: string[]; subject: string; body: string }[];
  let reasons: string[];
  const server = createServer();

  beforeAll(async () => {
    project = playProject(protocol, {
      maker: `if (type === 'task') send('note', 'maker', mail[0].split('---').at(-1).trim()); else send('done', 'user');`,
    });
    for (const [name, [text]] of Object.entries(texts)) {
      mkdirSync(`${project.root}/agents/maker/inbox`, { recursive: true });
      writeFileSync(`${project.root}/agents/maker/inbox/${name}.md`, text);
    }
    for (const [name, [make]] of Object.entries(kinds)) make(`${project.root}/agents/maker/inbox/${name}.md`);
    await new Promise<void>((ready) => server.listen(`${project.root}/agents/maker/inbox/socket.md`, ready));
    project.write('agents/maker/inbox/a\nname\nof lines.md', 'Said under a name of three lines\n');
    ran = await project.run(['up', '--until-idle']);
    rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as typeof rows;
    const [month = ''] = project.list('agents/maker/failed');
    reasons = project
      .list(`agents/maker/failed/${month}`)
      .filter((name) => name.endsWith('.reason.txt'))
      .map((name) => project.read(`agents/maker/failed/${month}/${name}`));
  });

  afterAll(() => {
    server.close();
    project.remove();
  });

  it('the controller comes to rest, and says by its exit code that something was refused', () => {
    expect(ran).toMatchObject({ code: 1, stderr: '' });
    expect(ran.stdout.trim().split('\n').at(-1)).toMatch(
      /^idle: failed \(\d+ files\); see `mailroom inbox`$/,
    );
    expect(project.list('agents/maker/inbox')).toEqual([]);
  });

  it.each(Object.entries({ ...texts, ...kinds, socket: ['', /a socket/] as const }))(
    '%s is refused with a reason, and `user` is notified',
    (name, [, reason]) => {
      expect(reasons.filter((text) => reason.test(text)).length).toBeGreaterThan(0);
      expect(rows.some(({ subject }) => subject === `Refused: agents/maker/inbox/${name}.md`)).toBe(true);
    },
  );

  it('nothing of it was run, followed or opened', () => {
    expect(project.list('.')).not.toContain('executed');
    expect(readFileSync('/etc/passwd', 'utf8')).not.toBe('');
    expect(rows.some(({ body }) => body.includes('root:'))).toBe(false);
    expect(reasons).toHaveLength(Object.keys(texts).length + Object.keys(kinds).length + 1);
  });

  it('a good message among it is delivered, whatever its name, and one to oneself arrives', () => {
    const good = rows.filter(({ type }) => type !== 'notice');
    expect(good.map(({ type }) => type)).toEqual(['task', 'note', 'done']);
    expect(good[1]).toMatchObject({ from: 'maker', to: ['maker'] });
    expect(good[1]?.body).toContain('Said under a name of three lines');
  });
});
