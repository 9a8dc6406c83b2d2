import { afterEach, describe, expect, it } from 'vitest';
import { CliProject } from '../support/clis.ts';

let project: CliProject;
afterEach(() => project.remove());

interface Document {
  readonly ok: boolean;
  readonly findings: readonly { readonly topic: string; readonly state: string; readonly text: string }[];
}

async function doctor(...args: string[]): Promise<(topic: string) => string[]> {
  const none = {
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_AUTH_TOKEN: '',
    CLAUDE_CODE_OAUTH_TOKEN: '',
    CODEX_HOME: '',
  };
  const env = { ...none, CODEX_API_KEY: '', CLAUDE_CONFIG_DIR: '' };
  const { stdout } = await project.run(['doctor', '--json', ...args], env);
  const { findings } = JSON.parse(stdout) as Document;
  return (topic) =>
    findings.filter((each) => each.topic === topic).map(({ state, text }) => `${state} ${text}`);
}

describe('doctor', { timeout: 60_000 }, () => {
  it('says what each CLI that is here logs in with, and asks none', async () => {
    project = new CliProject(
      { '.codex/auth.json': '{}' },
      {
        claude: `appendFileSync(env.HOME + '/asked', 'x')`,
        codex: `appendFileSync(env.HOME + '/asked', 'x')`,
      },
    );
    const found = await doctor();
    expect(found('claude')).toContainEqual(
      'warning no login was found: run `claude` once and log in, or set ANTHROPIC_API_KEY',
    );
    expect(found('codex')).toContainEqual(`ok login: ${project.root}/.codex/auth.json`);
    expect(project.list('.')).not.toContain('asked');
    // The version that it tells is newer than any that is known.
    expect(found('claude')).toContainEqual(
      expect.stringMatching(/^info known of this version, and minded: `stream-json` needs `--verbose`; /),
    );
    expect(found('codex')).toContainEqual(expect.stringMatching(/^info retries .*: a provider of your own/));
  });

  it('lets each answer once when it is told to', async () => {
    project = new CliProject(
      {},
      {
        claude: `claude('ready', 0.002, 120);`,
        codex: `event({ type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized: bad key' } }); process.exit(1);`,
      },
    );
    const found = await doctor('--probe');
    expect(found('claude').at(-1)).toMatch(/^ok answers, in \d+\.\d s, 120 tokens \(\$0\.0020\)$/);
    expect(found('codex').at(-1)).toMatch(/^problem does not answer: codex may not use its model/);
  });
});
