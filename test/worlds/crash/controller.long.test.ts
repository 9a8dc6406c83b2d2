import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { readJournal } from '../../support/read-journal.ts';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { checkFolders, checkHistory, checkLaunches } from '../simulation/mail/properties.ts';
import { protocols } from '../simulation/mail/protocols.ts';
import { Random } from '../simulation/random.ts';
import { simulated } from '../simulation/mail/protocol-choice.ts';
import { finished, said, TestProject, type Ran } from '../../support/project.ts';

const agent = fileURLToPath(new URL('../../fixtures/agents/team.mjs', import.meta.url));
const rounds = Number(process.env['MAILROOM_KILLS'] ?? 15);
const tasks = 4;

/** Retries for many kills: what is shown here is that each is counted, not that three are enough. */
const protocol = (protocols['team'] ?? '').replaceAll(
  'provider: scripted',
  'provider: scripted, retries: 100',
);

describe('a controller that is killed again and again', () => {
  let project: TestProject;
  let events: MailEvent[];
  let last: Ran;
  const seed = Number(process.env['MAILROOM_SEED'] ?? Date.now());
  const random = new Random(seed);

  beforeAll(async () => {
    project = new TestProject({
      'mailroom.yaml': `providers: { scripted: { command: [node, ${agent}] } }\ntrail: off\n`,
      'protocols/team.yaml': protocol.replaceAll('retries: 2, timeout', 'timeout'),
    });
    for (let round = 0; round < rounds; round += 1) {
      if (round < tasks)
        project.drop(`agents/architect/inbox/task-${String(round)}.md`, `Task ${String(round)}\n`);
      const child = project.start(['up', '--until-idle']);
      const end = finished(child);
      // Some are killed while they start or recover, most while a turn runs.
      const begun = random.chance(0.25) ? after(random.below(600)) : said(child, 'starts');
      await Promise.race([begun.then(() => after(random.below(300))), end]);
      child.kill('SIGKILL');
      await end;
    }
    last = await project.run(['up', '--until-idle']);
    events = readJournal<MailEvent>(new RealDisk(project.root)).records.map(({ event }) => event);
  });

  afterAll(() => project.remove());

  it('comes to rest', () => {
    expect(last, `seed ${String(seed)}`).toMatchObject({ code: 0 });
  });

  it('delivers every task exactly once', () => {
    const delivered = events.flatMap((event) => (event.type === 'committed' ? event.sent : []));
    const threads = delivered
      .filter(({ message }) => message.type === 'delivered')
      .map(({ message }) => message.thread);
    expect(new Set(threads).size).toBe(tasks);
    expect(threads).toHaveLength(tasks);
  });

  it('was really killed while turns ran', () => {
    expect(events.filter(({ type }) => type === 'attempt-failed').length).toBeGreaterThan(0);
  });

  it('keeps the properties of the journal and the folders', () => {
    const rules = simulated('team');
    expect(checkHistory(events, rules)).toEqual([]);
    expect(checkFolders(new RealDisk(project.root), events, rules)).toEqual([]);
  });

  it('asks no agent more often than its journal says', () => {
    const asked = readFileSync(`${project.root}/asked.log`, 'utf8').trim().split('\n');
    const keys = asked.map((line) => `${line.split(' ').slice(0, 2).join('/')}/0`);
    const launched = events.filter(({ type }) => type === 'launched').length;
    expect(asked.length).toBeLessThanOrEqual(launched);
    expect(checkLaunches(keys, [], simulated('team')).filter((problem) => problem.includes('twice'))).toEqual(
      [],
    );
  });

  it('leaves no one running', () => {
    expect(project.survivors()).toEqual([]);
  });
});
