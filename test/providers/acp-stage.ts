import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { namedProvider } from '../../src/providers/index.ts';
import { TurnFixture, type Ends, type Ran } from './turns.ts';
import type { Invocation, Provider } from '../../src/providers/provider.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

const path = (name: string) => fileURLToPath(new URL(`../../bin/${name}`, import.meta.url));
const agent = fileURLToPath(new URL('../fixtures/agents/acp.mjs', import.meta.url));

/** A provider of the kind `acp` that starts this program. */
export function acpProviderOf(command: readonly string[] = [process.execPath, agent]): Provider {
  return namedProvider(
    {
      name: 'fake',
      kind: 'acp',
      command,
      arguments: [],
      env: [],
      writable: [],
      tests: ['npm test'],
      prices: null,
    },
    {
      variables: { HOME: '/nowhere' },
      node: process.execPath,
      replayAgent: path('replay-agent.mjs'),
      acpAgent: path('acp-agent.mjs'),
      piExtension: '',
    },
  );
}

/** A project, and an agent of the test's own that plays what a test says. */
export class Stage {
  readonly place = new TurnFixture(onTestFinished);
  readonly #heard = join(this.place.root, 'heard');

  run(play: JsonObject, changes: Partial<Invocation> = {}, ends: Ends = {}): Promise<Ran> {
    return this.playTurn(play, this.place.turn(changes), ends);
  }

  /** The same in a turn whose folders are already known. */
  playTurn(play: JsonObject, turn: Invocation, ends: Ends = {}): Promise<Ran> {
    const env = { MAILROOM_PLAY: JSON.stringify({ heard: this.#heard, ...play }) };
    return this.place.run(acpProviderOf(), { ...turn, env }, ends);
  }

  /** The parameters of everything that the agent heard by this name. */
  heard(method: string): JsonObject[] {
    if (!existsSync(this.#heard)) return [];
    const lines = readFileSync(this.#heard, 'utf8').trimEnd().split('\n');
    const all = lines.map((line) => JSON.parse(line) as { method: string; params: JsonObject });
    return all.filter((each) => each.method === method).map(({ params }) => params);
  }

  path(name: string): string {
    return join(this.place.project, name);
  }
}

/** A play in which the agent says these words. */
export const says = (...texts: readonly string[]): JsonObject => ({
  prompts: [texts.map((say) => ({ say }))],
});
