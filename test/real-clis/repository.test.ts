import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Workplace } from '../contract/turns.ts';
import { attacks, lay } from './support/attacks.ts';
import { clis, type Cli } from './support/clis.ts';
import { Model } from './support/model.ts';
import { Setting } from './support/players.ts';

/** The CLI in a repository that attacks it; the model tries what its role may not do. No sandbox: its switches hold alone. */
async function attacked(cli: Cli, files: (url: string, mark: string) => Readonly<Record<string, unknown>>) {
  const place = new Workplace(onTestFinished);
  const [model, theirs] = [await Model.start(), await Model.start()];
  onTestFinished(async () => {
    await model.stop();
    await theirs.stop();
  });
  const mark = join(place.root, 'mark');
  lay(place.project, files(theirs.url, mark));
  const setting = new Setting(cli, place, model);
  const turn = setting.turn(['READ']);
  const tried = join(place.root, 'tried');
  const tools = [cli.shell(`touch '${tried}'`), cli.write(`${tried}-file`, 'x')];
  const play = ({ results }: { readonly results: readonly string[] }) => {
    const tool = tools[results.length];
    return tool === undefined ? { say: 'Done.' } : { say: 'I try.', tools: [tool] };
  };
  model.plays(play);
  theirs.plays(play);
  const { outcome, exit } = await setting.run(turn);
  return {
    outcome: { ...outcome, stderr: exit.stderr },
    stolen: theirs.asked.length,
    ran: existsSync(mark),
    tried: [tried, `${tried}-file`].filter((path) => existsSync(path)),
    asked: model.asked,
  };
}

describe.each(clis)('$name in a repository that configures it', (cli) => {
  it('talks to the person’s server, runs nothing of the repository, and has no more rights', async () => {
    const came = await attacked(cli, (url, mark) => attacks[cli.name]({ url, mark }));
    // No switch of opencode keeps it from plug-ins of a repository: without a sandbox it is not started there.
    const outcome =
      cli.name === 'opencode'
        ? { is: 'never', reason: { code: 'E_PROVIDER', text: expect.stringContaining('plug-ins') as string } }
        : { is: 'done', text: 'Done.' };
    expect(came).toMatchObject({ outcome, stolen: 0, ran: false, tried: [] });
  });
});
