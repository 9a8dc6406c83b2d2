import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { onTestFinished } from 'vitest';
import { TestProject } from '../../support/project.ts';
import { clis, furnish, type Cli } from './clis.ts';
import { Model } from './model.ts';

/** A project whose providers are the real CLIs, with the scripted model behind all of them. */
export interface Team {
  readonly project: TestProject;
  readonly model: Model;
  /** What `mailroom` gets in its environment, for the CLIs. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program, driven as its own kind or by the Agent Client Protocol. */
export type Member = Pick<Cli, 'command' | 'environment' | 'files'> &
  Partial<Pick<Cli, 'arguments'>> & {
    readonly name: string;
    readonly kind?: 'acp';
    readonly systemPrompt?: 'short';
  };

/** Cleans up after itself. `settings` are further keys of mailroom.yaml. */
export async function gather(
  members: readonly Member[],
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Team> {
  const model = await Model.start();
  const home = mkdtempSync(join(tmpdir(), 'mailroom-home-'));
  const config = { trail: 'off', ...settings, providers: providersFor(members, model.url) };
  const project = new TestProject({ 'mailroom.yaml': stringify(config), ...files });
  onTestFinished(async () => {
    await model.stop();
    project.remove();
  });
  for (const cli of new Set<Member>([...clis, ...members])) furnish(home, cli, model.url);
  mkdirSync(join(home, '.claude'), { recursive: true });
  const variables = members.map((cli) => cli.environment(home, model.url));
  return { project, model, env: Object.assign({ HOME: home }, ...variables) as Team['env'] };
}

/** As a person writes it. */
function providersFor(members: readonly Member[], url: string): Record<string, unknown> {
  return Object.fromEntries(
    members.map((cli) => [
      cli.name,
      {
        kind: cli.kind ?? cli.name,
        command: cli.command,
        arguments: cli.arguments?.(url) ?? [],
        env: Object.keys(cli.environment('', url)),
        ...(cli.systemPrompt !== undefined && { system_prompt: cli.systemPrompt }),
      },
    ]),
  );
}
