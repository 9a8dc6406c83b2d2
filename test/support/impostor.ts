import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Plays } from './play.ts';
import { type Ran, TestProject } from './project.ts';

/** A program that speaks as Claude Code does and does what the test says: `play/<role>.mjs` of the project. */
const program = `#!/usr/bin/env node
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const { MAILROOM_ROLE: role, MAILROOM_OUTBOX: outbox, MAILROOM_PROJECT: project } = process.env;
const prompt = readFileSync(0, 'utf8');
const args = process.argv.slice(2);
// The code of the error that the system answered with, or 'done'.
const attempt = (act) => { try { act(); return 'done'; } catch (error) { return error.code ?? String(error); } };
const tries = (path) => attempt(() => appendFileSync(path, 'tried\\n'));
const send = (type, to, text = 'Words', more = '') =>
  writeFileSync(outbox + '/' + type + '.md', '---\\ntype: ' + type + '\\nto: ' + to + '\\n' + more + '---\\n' + text + '\\n');
const { play } = await import(project + '/play/' + role + '.mjs');
const said = await play({ role, outbox, project, prompt, args, attempt, tries, send });
const resumed = args.indexOf('--resume');
const session_id = resumed < 0 ? 'session-' + process.env.MAILROOM_TURN : args[resumed + 1];
for (const event of [
  { type: 'system', subtype: 'init', session_id, model: 'none' },
  { type: 'result', subtype: 'success', is_error: false, result: said ?? '', session_id, total_cost_usd: 0, modelUsage: {} },
]) console.log(JSON.stringify(event));
`;

/** A project whose roles are played by a program that is called `claude`: an agent whose rights are ours to hold. */
export class ImpostorProject extends TestProject {
  /** The home folder of the agents; it holds nothing but what a test puts there. */
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-home-')));

  constructor(plays: Plays, files: Readonly<Record<string, string>>) {
    const bodies = Object.entries(plays).map(([role, body]) => [
      `play/${role}.mjs`,
      `import * as fs from 'node:fs';\nexport async function play({ role, outbox, project, prompt, args, attempt, tries, send }) {\n${body}\n}\n`,
    ]);
    super({
      'bin/package.json': '{"type": "module"}',
      'bin/claude': program,
      ...Object.fromEntries(bodies),
      ...files,
    });
    chmodSync(join(this.root, 'bin/claude'), 0o755);
  }

  protected override readonly environment = {
    PATH: [join(this.root, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: this.home,
    MAILROOM_CLAUDE_BIN: '',
  };

  /** Gives a role its task and lets everybody work until nothing happens any more. */
  async works(role: string, task = 'Do it\n'): Promise<Ran> {
    this.drop(`agents/${role}/inbox/task.md`, task);
    return this.run(['up', '--until-idle']);
  }

  override remove(): void {
    super.remove();
    rmSync(this.home, { recursive: true, force: true });
  }
}
