import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NostrEvent } from '../../../src/extensions/nip/letters/nostr-event.ts';
import { TestProject } from '../../support/project.ts';

/** The example of the repository: its roles, the program that plays them, its workflow. */
function example(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');
}

/** A project with room for one run at a time, whose roles `counter`, `shortener` and `reporter` do tasks of the kinds 5100, 5200 and 5300. */
export class NipProject extends TestProject {
  constructor(
    more: Readonly<Record<string, string>> = {},
    nip = '{ msats_per_usd: 1000000, maxConcurrentWorkflows: 1 }',
  ) {
    super({
      'mailroom.yaml': `providers:\n  clerk: { command: [node, agents/clerk.mjs] }\ntrail: off\nsandbox: off\nnip: ${nip}\n`,
      'protocols/tasks.yaml': example('protocols/tasks.yaml'),
      'agents/clerk.mjs': example('agents/clerk.mjs'),
      'workflows/measure.json': example('workflows/measure.json'),
      ...more,
    });
  }

  /** The events of a log, as they were signed; none when there is no log. */
  events(log: string): NostrEvent[] {
    if (!existsSync(`${this.root}/.mailroom/events/${log}.jsonl`)) return [];
    const lines = this.read(`.mailroom/events/${log}.jsonl`).trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as NostrEvent);
  }
}
