import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { probeContainment } from '../../src/process/sandbox/containment.ts';
import { TestProject } from '../support/project.ts';

const { bubblewrap } = await probeContainment();

let project: TestProject;
afterEach(() => project.remove());

const roles = `
name: two
version: "1"
roles:
  worker: { provider: opencode, capabilities: [READ] }
  helper: { provider: claude, fallback: [mine], capabilities: [READ] }
messages:
  task: { from: user, to: [worker, helper] }
  done: { from: [worker, helper], to: user, closes: true }
start: { type: task, to: worker }
`;

const steps = `
name: two
version: "1"
timeout: 1m
steps:
  reads: { worker: OPENCODE, instructions: Read., capabilities: [READ] }
  each:
    for_each:
      items: [1]
      steps:
        runs: { command: [/usr/local/bin/codex, exec, "\${{ item }}"] }
`;

const settings = {
  'opencode.json': '{\n  "theme": "dark",\n  "plugin": ["./x.js"]\n}\n',
  '.opencode/plugin/x.js': '\n',
  '.claude/settings.json': '{\n  "env": {}\n}\n',
  '.codex/config.toml': 'model_provider = "theirs"\n',
};

function begin(sandbox: string, files: Readonly<Record<string, string>> = settings) {
  const config = `trail: off\nsandbox: ${sandbox}\nproviders: { mine: { command: [claude, -p] } }\n`;
  project = new TestProject({
    'mailroom.yaml': config,
    'protocols/two.yaml': roles,
    'workflows/two.yaml': steps,
    ...files,
  });
}

const refuses = '`capabilities: strict` or `sandbox: required` in mailroom.yaml refuses this: ';

const ofOpencode = (who: string, severity = 'warning', strict = '') => `\
opencode.json:3:4: ${severity} E_CAPABILITY: opencode.json configures the agent of \`${who}\`: it may name or hold plug-ins, and no switch keeps opencode from them
    "plugin": ["./x.js"]
     ^^^^^^
hint: ${strict}install bubblewrap and leave \`sandbox\` at auto: without a sandbox its turns are refused there; or remove opencode.json

${severity} E_CAPABILITY: .opencode configures the agent of \`${who}\`: it may name or hold plug-ins, and no switch keeps opencode from them
hint: ${strict}install bubblewrap and leave \`sandbox\` at auto: without a sandbox its turns are refused there; or remove .opencode
`;

const ofClaude = (severity = 'warning', strict = '') => `\
.claude/settings.json:2:4: ${severity} E_CAPABILITY: .claude/settings.json configures the agent of \`helper\`: it may name other servers, programs and permissions for claude, which your command starts
    "env": {}
     ^^^
hint: ${strict}use the provider \`claude\`, which keeps the settings of repositories from it; or remove .claude/settings.json
`;

const ofCodex = `\
.codex/config.toml:1:1: warning E_CAPABILITY: .codex/config.toml configures the agent of \`runs\`: it may name other servers, programs and permissions for codex, which your command starts
  model_provider = "theirs"
  ^^^^^^^^^^^^^^
hint: use the provider \`codex\`, which keeps the settings of repositories from it; or remove .codex/config.toml
`;

/** Without what is said of programs that this machine lacks. */
const withoutMissing = (text: string) =>
  text.replaceAll(/^\S+ warning E_PROVIDER: `\w+` is not installed here[^]*?\nhint: install it.*\n\n/gm, '');

const said = (...parts: readonly string[]) => `${parts.join('\n')}\n`;

describe('files of a repository that configure an agent whatever Mailroom says', () => {
  it('are named by check, validate and plan, with their line and what to do', async () => {
    begin('off');
    const checked = await project.run(['check', '--no-explore']);
    expect(checked).toMatchObject({ code: 0 });
    const parts = [ofOpencode('worker'), ofClaude(), ofOpencode('reads'), ofCodex];
    expect(withoutMissing(checked.stderr)).toBe(said(...parts));
    for (const command of ['validate', 'plan'])
      expect(await project.run([command, 'two'])).toMatchObject({
        code: 0,
        stderr: said(ofOpencode('reads'), ofCodex),
      });
  });

  it('are refused where mailroom.yaml wants everything held', async () => {
    begin('off\ncapabilities: strict');
    expect(await project.run(['check'])).toMatchObject({
      code: 2,
      stderr: said(ofOpencode('worker', 'error', refuses), ofClaude('error', refuses)),
    });
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 2 });
  });

  it('are refused with a required sandbox, too, where none hides them', async () => {
    begin('required', { '.claude/settings.json': settings['.claude/settings.json'] });
    expect(await project.run(['check'])).toMatchObject({ code: 2, stderr: said(ofClaude('error', refuses)) });
  });

  it('are not mentioned where the sandbox hides them', async () => {
    begin('auto', { 'opencode.json': settings['opencode.json'] });
    const { code, stderr } = await project.run(['check', '--no-explore']);
    expect({ code, stderr: withoutMissing(stderr) }).toEqual({
      code: 0,
      stderr: bubblewrap.works ? '' : (expect.stringContaining('opencode.json:3:4') as string),
    });
  });

  it('are those of agy, too', async () => {
    begin('off', { '.agents/hooks.json': '{}\n' });
    project.drop('protocols/two.yaml', roles.replace('provider: opencode', 'provider: agy'));
    const { stderr } = await project.run(['check', '--no-explore']);
    expect(stderr).toContain('.agents/hooks.json configures the agent of `worker`');
  });

  it('count in the folders above a project that is in no repository', async () => {
    begin('off', {});
    const inner = join(project.root, 'inner');
    project.drop('inner/mailroom.yaml', 'trail: off\nsandbox: off\n');
    project.drop('inner/protocols/two.yaml', roles.replace('fallback: [mine], ', ''));
    writeFileSync(join(project.root, 'opencode.jsonc'), '{}\n');
    const ran = await project.run(['-C', inner, 'check', '--no-explore']);
    expect(ran.stderr).toContain(`${project.root}/opencode.jsonc configures the agent of \`worker\``);
  });
});
