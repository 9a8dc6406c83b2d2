import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { letter, forbidden } from '../providers/provider-contract.ts';
import { TurnFixture } from '../providers/turns.ts';
import { acpClis, AcpSetting, type AcpCli } from './support/acp-clis.ts';
import { Model, type Answer } from './support/model.ts';

/** Answers the turn's own requests one after the other, and those for titles and suggestions aside. */
function plays(model: Model, answers: readonly Answer[]): void {
  model.plays(({ tools, prompt, conversation }) => {
    if (tools.length === 0 || /SUGGESTION MODE/.test(prompt)) return { say: 'A title' };
    const done = answers.filter(
      (each) => typeof each === 'object' && 'say' in each && conversation.includes(each.say),
    );
    return answers[Math.min(done.length, answers.length - 1)] ?? 'silence';
  });
}

/** What each counts of four requests, with 1000 tokens in and 50 out each. */
const counted: Readonly<Record<string, unknown>> = {
  gemini: { usd: null, tokens: null },
  opencode: { usd: 0.015, tokens: null },
  copilot: { usd: null, tokens: 4200 },
  qwen: { usd: null, tokens: null },
};

/** What each introduces itself in, and may not leave, whatever its person has set. */
const modes: Readonly<Record<string, string | null>> = {
  gemini: 'default',
  opencode: null,
  copilot: 'https://agentclientprotocol.com/protocol/session-modes#agent',
  qwen: 'default',
  'codex-acp': 'read-only',
};

/** Settings by which it would ask for nothing. */
const bold: Readonly<Record<string, Partial<Pick<AcpCli, 'environment' | 'files'>>>> = {
  qwen: {
    files: () => ({
      '.qwen/settings.json': {
        security: { auth: { selectedType: 'openai' } },
        tools: { approvalMode: 'yolo' },
      },
    }),
  },
};

const modeIn = (stdout: string): string | undefined => /"type":"mode","mode":(.+)\}/.exec(stdout)?.[1];

describe.concurrent.each(acpClis)('an attack by $name', { timeout: 240_000 }, (known) => {
  const environment: AcpCli['environment'] = (home, url) => ({
    ...known.environment(home, url),
    ...(known.name === 'codex-acp' && { INITIAL_AGENT_MODE: 'agent-full-access' }),
  });
  const cli = { ...known, environment, ...bold[known.name] };

  it('that may only read writes nothing and runs nothing', async ({ onTestFinished: finished }) => {
    const model = await Model.start();
    finished(() => model.stop());
    const place = new TurnFixture(finished);
    const setting = new AcpSetting(cli, place, model);
    const ran = `${place.project}/ran.txt`;
    plays(model, [
      { say: 'I write.', tools: [cli.write(forbidden(place), 'x')] },
      { say: 'I run.', tools: [cli.shell(`echo x > '${ran}'`)] },
      { say: 'Done.' },
    ]);
    const { outcome, exit } = await place.run(setting.provider, setting.turn(['READ']));
    expect(outcome).toMatchObject({ is: 'done' });
    expect(model.asked.some(({ conversation }) => conversation.includes('I run.'))).toBe(true);
    expect(modeIn(exit.stdout)).toBe(JSON.stringify(modes[cli.name]));
    expect([forbidden(place), ran].filter((path) => existsSync(path))).toEqual([]);
  });
});

const drivers = acpClis.filter(({ name }) => name !== 'codex-acp');

it('counts what codex-acp counts, whose shell writes nothing in its mode', async () => {
  const model = await Model.start();
  onTestFinished(() => model.stop());
  const place = new TurnFixture(onTestFinished);
  const cli = acpClis.find(({ name }) => name === 'codex-acp');
  if (cli === undefined) throw new Error('it is not among them');
  const setting = new AcpSetting(cli, place, model);
  plays(model, [{ say: 'I look.', tools: [cli.shell('ls')] }, { say: 'Done.' }]);
  const first = await place.run(setting.provider, setting.turn(['READ', 'RUN_COMMANDS']));
  expect(first.outcome).toMatchObject({ is: 'done', usage: { usd: null, tokens: 2100 } });
  plays(model, [{ say: 'Again.' }]);
  const again = await place.run(setting.provider, setting.turn(['READ'], first.outcome.session));
  expect(again.outcome).toMatchObject({ is: 'done', text: 'Again.', usage: { usd: null, tokens: 1050 } });
});

describe.concurrent.each(drivers)('$name by the Agent Client Protocol', { timeout: 240_000 }, (cli) => {
  it('writes its mail, runs its tests, is refused the rest, and resumes', async ({
    onTestFinished: finished,
  }) => {
    const model = await Model.start();
    finished(() => model.stop());
    const place = new TurnFixture(finished);
    const setting = new AcpSetting(cli, place, model);
    writeFileSync(`${place.project}/package.json`, JSON.stringify({ scripts: { test: 'touch tested' } }));
    const turn = setting.turn(['READ', 'RUN_TESTS']);
    plays(model, [
      { say: 'I write.', tools: [cli.write(`${turn.paths.outbox}/answer.md`, letter)] },
      { say: 'I test.', tools: [cli.shell('npm test')] },
      { say: 'I try.', tools: [cli.write(forbidden(place), 'x')] },
      { say: 'Done.' },
    ]);
    const first = await place.run(setting.provider, turn);
    expect(first).toMatchObject({
      outcome: { is: 'done', text: 'Done.', usage: counted[cli.name] },
      left: [],
    });
    expect(first.staged).toEqual({ 'answer.md': letter });
    expect([existsSync(`${place.project}/tested`), existsSync(forbidden(place))]).toEqual([true, false]);
    if (first.outcome.is !== 'done') return;
    expect(first.outcome.denials).toEqual([expect.stringContaining(`denied.txt`)]);
    // Gemini CLI does not always find a conversation that it is asked to load.
    if (cli.name === 'gemini') return;
    plays(model, [{ say: 'Again.' }]);
    const second = await place.run(setting.provider, setting.turn(['READ'], first.outcome.session));
    expect(second.outcome).toMatchObject({
      is: 'done',
      text: 'Again.',
      session: { id: first.outcome.session?.id },
    });
    expect(model.asked.some(({ conversation }) => conversation.includes('I try.'))).toBe(true);
  });
});
