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

/** Cleans up after itself. `settings` are further keys of mailroom.yaml. */
export async function gather(
  members: readonly Cli[],
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
  for (const cli of clis) furnish(home, cli, model.url);
  mkdirSync(join(home, '.claude'), { recursive: true });
  const variables = members.map((cli) => cli.environment(home, model.url));
  return { project, model, env: Object.assign({ HOME: home }, ...variables) as Team['env'] };
}

/** As a person writes it. */
function providersFor(members: readonly Cli[], url: string): Record<string, unknown> {
  return Object.fromEntries(
    members.map((cli) => [
      cli.name,
      {
        kind: cli.name,
        command: cli.command,
        arguments: cli.arguments(url),
        env: Object.keys(cli.environment('', url)),
      },
    ]),
  );
}
