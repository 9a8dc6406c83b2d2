import { RealDisk } from '../../../src/disk/real-disk.ts';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import { readJournal } from '../../support/read-journal.ts';
import type { TestProject } from '../../support/project.ts';

/** An engineer on workers builds; a checker on the controller's host looks for what was built. */
export const team = `
workspace: { worktree: role }
roles:
  engineer: { capabilities: [READ, EDIT], on: workers }
  checker: { capabilities: [READ] }
messages:
  task: { from: user, to: engineer }
  review: { from: engineer, to: checker }
  done: { from: checker, to: user, closes: true }
start: { type: task, to: engineer }
`;

/** The play of the engineer. `begun`: what it notes before it waits for `go`, as an expression. */
export function building(begun = `'begun'`): string {
  return `
    note(${begun});
    await untilStaged('go');
    writeFileSync('built.txt', 'built\\n');
    send('review', 'checker', 'Words', 'subject: Build it well\\n');
    note('built-' + process.env.MAILROOM_ATTEMPT);`;
}

export const checker = `send('done', 'user', existsSync('built.txt') ? 'It is there' : 'It is not there');`;

/** The starts of the engineer, as its log in a worker's folder has them. */
export function startsOf(project: TestProject): string[] {
  return project.read('engineer.log').trim().split('\n');
}

/** The attempts that have failed, as the journal of a controller has them. */
export function failuresOf({ root }: TestProject): MailEvent[] {
  return readJournal<MailEvent>(new RealDisk(root))
    .records.map(({ event }) => event)
    .filter(({ type }) => type === 'attempt-failed');
}
