import { generateSecretKey, getPublicKey } from 'nostr-tools/pure';
import { afterEach, describe, expect, it } from 'vitest';
import { McpTools } from '../../support/mcp.ts';
import { answers, asks, over, tag, waits } from '../../support/nip-request.ts';
import { NipProject } from './nip-project.ts';
import { finished } from '../../support/project.ts';
import { TestRelay } from '../../support/relay.ts';

/*
 * What bounds runs of the language nip, through every way to start one.
 */

let project: NipProject | null = null;
let relay: TestRelay | null = null;

afterEach(async () => {
  await relay?.close();
  relay = null;
  project?.remove();
  project = null;
});

const key = generateSecretKey();
const input = ['--input', 'text=a b'];

describe('the limit of runs at once, and a budget of 0', () => {
  it('hold for `run`, a request in a file, `nip execute`, the tool, and a request over a relay', async () => {
    relay = await TestRelay.open();
    const nip = `relays: ['${relay.url}'], requesters: ['${getPublicKey(key)}'], maxConcurrentWorkflows: 1`;
    const place = (project = new NipProject({}, `{ msats_per_usd: 1000000, ${nip} }`));
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const { id } = place.events('definitions')[0]!;
    place.write('agents/clerk.mjs', `${waits}${place.read('agents/clerk.mjs')}`);
    const up = place.start(['up']);
    const ended = finished(up);
    const tools = await McpTools.open(place);
    try {
      await relay.until(() => relay!.filters.length === 1);
      const first = asks(id, key);
      relay.say(first);
      await relay.until(() => answers(relay!, first).length > 0);
      place.write('request.json', JSON.stringify(asks(id, key)));
      const tool = { workflowId: 'measure', inputs: { text: 'a b' } };
      const asked = asks(id, key);
      relay.say(asked);
      await relay.until(() => over(relay!, asked) !== undefined);
      const refused = [
        (await place.run(['run', 'measure', ...input])).stderr,
        (await place.run(['run', 'request.json'])).stderr,
        (await place.run(['nip', 'execute', 'measure', ...input])).stderr,
        (await place.run(['nip', 'execute', 'measure', ...input, '--async'])).stderr,
        (await tools.call('execute_workflow', tool)).text,
        over(relay, asked)!.content,
      ];
      for (const text of refused) expect(text).toContain('the limit of parallel nip runs is reached: 1');
      place.write('go', '');
      await relay.until(() => over(relay!, first) !== undefined);
      expect(tag(over(relay, first)!, 'status')).toBe('completed');
      const poor = asks(id, key, { bid: '0' });
      relay.say(poor);
      await relay.until(() => over(relay!, poor) !== undefined);
      const without = [
        (await place.run(['nip', 'execute', 'measure', ...input, '--budget', 'msats=0'])).stdout,
        (await tools.call('execute_workflow', { ...tool, budget: 0 })).text,
        over(relay, poor)!.content,
      ];
      for (const text of without)
        expect(text).toContain('the budget of the run is used up: 0 of 0 msats are spent');
      // No role was given anything to do for them.
      const last = relay.events.filter((event) => event.kind === 7_920 && tag(event, 'e') !== first.id);
      expect(new Set(last.map((event) => tag(event, 'cost')))).toEqual(new Set(['0']));
    } finally {
      place.write('go', '');
      await tools.close();
      up.kill('SIGTERM');
    }
    await ended;
  });
});
