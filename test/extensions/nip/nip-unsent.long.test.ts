import { rmSync } from 'node:fs';
import { getPublicKey, generateSecretKey } from 'nostr-tools/pure';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NipProject } from './nip-project.ts';
import { answers, asks, over, tag, waits } from '../../support/nip-request.ts';
import { finished } from '../../support/project.ts';
import { TestRelay } from '../../support/relay.ts';

/*
 * Events that a relay could not be sent when they were made, through the real program.
 */

let relay: TestRelay;
let project: NipProject | null = null;

beforeEach(async () => {
  relay = await TestRelay.open();
});

afterEach(async () => {
  await relay.close();
  project?.remove();
  project = null;
});

const key = generateSecretKey();

interface Report {
  readonly executionId: string;
  readonly run: string;
  readonly status: string;
  readonly unsentEvents: number;
}

async function status(place: NipProject, run: string): Promise<Report> {
  return JSON.parse((await place.run(['nip', 'status', run, '--json'])).stdout) as Report;
}

describe('events that a relay did not take when their run ended', () => {
  const execute = ['nip', 'execute', 'measure', '--input', 'text=a b', '--json'];

  function measured(): NipProject {
    const nip = `{ msats_per_usd: 1000000, relays: ['${relay.url}'], requesters: ['${getPublicKey(key)}'] }`;
    return (project = new NipProject({}, nip));
  }

  it('are sent by `up` when the relay is back, also by one that was started afterwards', async () => {
    const place = measured();
    await place.run(['nip', 'define', 'workflows/measure.json']);
    place.write('agents/clerk.mjs', `${waits}${place.read('agents/clerk.mjs')}`);
    const { port } = relay;
    const [definition] = place.events('definitions');
    const requests = [asks(definition!.id, key), asks(definition!.id, key)];
    for (const [index, request] of requests.entries()) {
      let up = place.start(['up']);
      let ended = finished(up);
      try {
        await relay.until(() => relay.filters.length === 1);
        relay.say(request);
        await relay.until(() => answers(relay, request).length > 0);
        const before = [...relay.events];
        await relay.close();
        place.write('go', '');
        let report = await status(place, request.id);
        while (report.status === 'running') report = await status(place, request.id);
        expect(report).toMatchObject({ status: 'completed' });
        expect(report.unsentEvents).toBeGreaterThan(0);
        if (index === 1) {
          up.kill('SIGKILL');
          await ended;
        }
        relay = await TestRelay.open(port);
        relay.events.push(...before);
        if (index === 1) {
          up = place.start(['up']);
          ended = finished(up);
        }
        await relay.until(() => over(relay, request) !== undefined);
        const said = place.events(report.run).slice(1);
        expect(new Set(answers(relay, request))).toEqual(new Set(said));
        while (report.unsentEvents > 0) report = await status(place, request.id);
        rmSync(`${place.root}/go`);
      } finally {
        up.kill('SIGTERM');
      }
      await ended;
    }
  });

  it('are counted, and sent by `nip send`; what the relay refuses is not sent again', async () => {
    const place = measured();
    const { port } = relay;
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const definitions = [...relay.events];
    await relay.close();
    const run = await place.run(execute);
    const report = JSON.parse(run.stdout) as Report;
    const said = place.events(report.executionId);
    expect(report.unsentEvents).toBe(said.length);
    const count = String(said.length);
    expect(run.stderr).toContain(
      `not sent: ${count} events of this run. Send with: \`mailroom nip send\` (\`mailroom up\` also sends)\n`,
    );
    expect((await place.run(['show', report.executionId])).stdout).toMatch(
      new RegExp(`^events +${count} not sent to a relay; send with: mailroom nip send$`, 'm'),
    );
    const away = await place.run(['nip', 'send']);
    expect(away).toMatchObject({ code: 1, stdout: `sent 0, ${count} left\n` });
    expect(away.stderr).toContain('ECONNREFUSED');
    relay = await TestRelay.open(port);
    relay.events.push(...definitions);
    relay.refuses = ({ kind }) => (kind === 6_920 ? 'blocked: no results' : null);
    expect(await place.run(['nip', 'send'])).toMatchObject({ code: 0, stdout: `sent ${count}, 0 left\n` });
    expect(relay.events.slice(1)).toEqual(said.filter(({ kind }) => kind !== 6_920));
    relay.refuses = () => null;
    expect(await place.run(['nip', 'send'])).toMatchObject({ code: 0, stdout: 'sent 0, 0 left\n' });
    expect((await status(place, report.executionId)).unsentEvents).toBe(0);
    expect(tag(relay.events.at(-1)!, 'status')).toBe('completed');
  });
});
