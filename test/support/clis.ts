import { chmodSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { untilThere } from './play.ts';
import { TestProject } from './project.ts';

/**
 * What programs under the names of the agent CLIs have at hand: `prompt`, `outbox`, `messages` (texts), `env`, `argv`;
 * `until` waits for a file, `event` writes a line of JSON, `send` a message into the staging folder, `claude` and `codex` the last events of a success.
 */
const prelude = `#!${process.execPath}
const fs = require('node:fs');
const { readFileSync, writeFileSync, appendFileSync, existsSync } = fs;
const { dirname } = require('node:path');
const until = ${untilThere};
const { env, argv } = process;
if (argv[2] === '--version') { console.log('9.9.9 (' + require('node:path').basename(argv[1]) + ')'); process.exit(0); }
const prompt = readFileSync(0, 'utf8');
const outbox = env.MAILROOM_OUTBOX;
const messages = (env.MAILROOM_MESSAGES || '').split('\\n').filter(Boolean).map((path) => readFileSync(path, 'utf8'));
const event = (value) => console.log(JSON.stringify(value));
const send = (type, to, body) =>
  writeFileSync(outbox + '/' + type + '.md', '---\\ntype: ' + type + '\\nto: ' + to + '\\n---\\n' + body + '\\n');
const claude = (result, usd = 0.01, tokens = 100) => event({
  type: 'result', subtype: 'success', is_error: false, result, session_id: 'session-of-claude', total_cost_usd: usd,
  modelUsage: { 'claude-sonnet-4-5': { inputTokens: tokens, outputTokens: 0 } }, permission_denials: [],
});
const codex = (text, tokens = 100) => {
  event({ type: 'thread.started', thread_id: 'thread-of-codex' });
  event({ type: 'item.completed', item: { type: 'agent_message', text } });
  event({ type: 'turn.completed', usage: { input_tokens: tokens, cached_input_tokens: 0, output_tokens: 0 } });
};
`;

/** A project whose PATH begins with programs of the test's own, by the names of the CLIs. */
export class CliProject extends TestProject {
  constructor(files: Readonly<Record<string, string>>, clis: Readonly<Record<string, string>>) {
    super(files);
    for (const [name, body] of Object.entries(clis)) {
      this.write(`bin/${name}`, `${prelude}\n(async () => {\n${body}\n})();\n`);
      chmodSync(join(this.root, 'bin', name), 0o755);
    }
  }

  protected override readonly environment = {
    PATH: [join(this.root, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: this.root,
  };
}
