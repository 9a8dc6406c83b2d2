import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { OrchestrateProject, sh } from '../support/orchestrate.ts';
import { TestProject } from '../support/project.ts';

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

/** The files below a folder that hold a text. */
function holding(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile() === true)
    .filter((name) => readFileSync(join(folder, name), 'latin1').includes(text));
}

describe('secrets', () => {
  it('are masked whatever the step that prints them lists', async () => {
    const place = new OrchestrateProject(`secrets: [GITHUB_TOKEN, API_KEY]
steps:
${sh('Build', 'echo "token=$API_KEY" > .npmrc', '', 'Deploy')}
${sh('Deploy', 'cat .npmrc; cat .npmrc >&2; exit 1', '    output_file: d.txt\n    secrets: [GITHUB_TOKEN]\n')}
`);
    project = place;
    const env = { GITHUB_TOKEN: 'ghp_sample-1234', API_KEY: 'ak_othersecret' };
    const { code, stderr } = await place.flow([], env);
    expect(code).toBe(1);
    const shown = await place.run(['logs', place.ids[0] ?? ''], env);
    expect(`${stderr}${shown.stdout}`).not.toContain('ak_othersecret');
    expect(shown.stdout).toContain('token=***');
    expect(holding(place.root, 'ak_othersecret')).toEqual(['workspace/.npmrc']);
  });

  it('of several lines are in nothing that a run leaves and shows, though printed line by line', async () => {
    const text = `name: sample
version: "1"
timeout: 1m
secrets: [PEM]
steps:
  lines: { command: [sh, -c, 'echo "$PEM" | while read -r line; do echo "got $line"; echo "$line" >&2; done'] }
  given:
    depends_on: [lines]
    values: { last: { type: string } }
    command: [sh, -c, 'printf "{\\"last\\": \\"%s\\"}" "$(echo "$PEM" | sed -n 3p)" > "$MAILROOM_VALUES"']
  bad:
    depends_on: [given]
    command: [sh, -c, 'echo "$PEM" | sed "s/^/x /" > key.txt; echo "$PEM" | tail -n 2; exit 2']
`;
    const place = new TestProject({
      'mailroom.yaml': 'trail: off\n',
      '.gitignore': '.mailroom/\ncontext/\n',
      'work.yaml': text,
    });
    project = place;
    place.makeRepository();
    const lines = ['MIIEvQIBADANBgkqhkiG', 'w0BAQEFAASCBKcwggSj', 'AgEAAoIBAQDGtJxR8m2z'];
    const env = { PEM: ['-----BEGIN KEY-----', ...lines, '-----END KEY-----'].join('\n') };
    const { code, stdout, stderr } = await place.run(['run', 'work.yaml'], env);
    expect(code).toBe(1);
    const shown = [
      await place.run(['show', 'last']),
      await place.run(['show', 'last', '--json']),
      await place.run(['logs', 'last'], env),
      await place.run(['why', 'last']),
    ];
    const said = [stdout, stderr, ...shown.flatMap((each) => [each.stdout, each.stderr])].join('');
    expect(said).toContain('got ***');
    expect(holding(place.root, '+x ***')).toEqual([expect.stringMatching(/difference\.patch$/)]);
    for (const line of lines) {
      expect(said).not.toContain(line);
      expect(holding(place.root, line)).toEqual(['key.txt']);
    }
  });

  it('of the host are masked, though no workflow names them', async () => {
    const text = `name: sample
version: "1"
timeout: 1m
inherit: [DEPLOY_TOKEN]
steps:
  one: { command: [sh, -c, 'echo "$DEPLOY_TOKEN"; echo "{\\"at\\": \\"$DEPLOY_TOKEN\\"}" > $MAILROOM_VALUES'], values: { at: { type: string } } }
`;
    const place = new TestProject({ 'mailroom.yaml': 'trail: off\n', 'work.yaml': text });
    project = place;
    const env = { DEPLOY_TOKEN: 'correct-horse-battery' };
    const { code, stdout } = await place.run(['run', 'work.yaml', '--json'], env);
    expect([code, stdout]).toEqual([0, expect.stringContaining('"at": "***"')]);
    expect(holding(place.root, env.DEPLOY_TOKEN)).toEqual([]);
  });

  it.each(['out', 'on', 'run', 'output', 'status', '1', '{', '*'])(
    'of the value %s stop no run, and damage none of its documents',
    async (value) => {
      const place = new OrchestrateProject(`secrets: [API_KEY]
steps:
${sh('One', 'echo "it is $API_KEY only"', '    timeout: 20\n', 'Two')}
${sh('Two', 'echo "${steps.One.output} again"; test -e go', '    timeout: 20\n')}`);
      project = place;
      const env = { API_KEY: value };
      const { code, stderr } = await place.flow([], env);
      expect(code).toBe(1);
      expect(stderr).toContain('WARNING: the value of the secret `API_KEY`');
      expect(stderr.split('the value of the secret `API_KEY`')).toHaveLength(2);
      const masked = value === '*' ? '*' : '***';
      expect(place.told()).toMatchObject({
        run_id: place.ids[0],
        workflow_name: 'sample',
        status: 'failed',
        steps: {
          One: { status: 'completed', exit_code: 0, output: `it is ${masked} only` },
          Two: { status: 'failed', exit_code: 1, output: `it is ${masked} only again` },
        },
      });
      expect(place.events().map(({ event }) => event)).toContain('run_failed');
      writeFileSync(join(place.root, 'workspace/go'), '');
      expect((await place.run(['resume', place.ids[0] ?? ''], { API_KEY: 'a better secret' })).code).toBe(0);
      expect(place.told().status).toBe('completed');
    },
  );

  it('are warned of by validate and plan, too, where they are weak', async () => {
    const place = new OrchestrateProject(`secrets: [API_KEY]\nsteps:\n${sh('One', 'true')}`);
    project = place;
    for (const command of ['validate', 'plan']) {
      const weak = await place.run([command, 'workflows/flow.yaml'], { API_KEY: 'Output' });
      expect(`${weak.stdout}${weak.stderr}`).toContain('the value of the secret `API_KEY` is a common word');
      const strong = await place.run([command, 'workflows/flow.yaml'], { API_KEY: 'hunter-two' });
      expect(`${strong.stdout}${strong.stderr}`).not.toContain('API_KEY` is');
    }
  });

  it.each(['result', '1200', '123456'])(
    'of the value %s leave the report of an agent and its numbers as they are',
    async (value) => {
      const report = `#!/bin/sh
cat > /dev/null
printf '{"type":"system","subtype":"init","session_id":"s","tools":[]}\\n'
printf '{"type":"result","subtype":"success","is_error":false,"result":"key %s\\\\n\`\`\`json\\\\n{\\\\"count\\\\": 123456}\\\\n\`\`\`","session_id":"s","total_cost_usd":0,"num_turns":1,"modelUsage":{"m":{"inputTokens":1200,"outputTokens":123456}}}\\n' "$API_KEY"
`;
      const text = `name: sample
version: "1"
timeout: 1m
secrets: [API_KEY]
steps:
  ask: { worker: CLAUDE_CODE, instructions: Count., capabilities: [READ], values: { count: { type: integer } } }
`;
      const files = { 'mailroom.yaml': 'trail: off\nsandbox: off\n', 'work.yaml': text, 'bin/agent': report };
      const place = new TestProject(files);
      project = place;
      chmodSync(join(place.root, 'bin/agent'), 0o755);
      const env = { API_KEY: value, MAILROOM_CLAUDE_BIN: join(place.root, 'bin/agent') };
      const { stdout } = await place.run(['run', 'work.yaml', '--json'], env);
      const { status, steps } = JSON.parse(stdout) as { status: string; steps: object };
      expect(status).toBe('SUCCEEDED');
      expect(steps).toMatchObject({ ask: { values: { count: 123_456 }, cost: { tokens: 124_656 } } });
      const context = JSON.parse(place.read('context/ask/_meta.json')) as Record<string, unknown>;
      expect(JSON.stringify(context['workerResult'])).toContain('key ***');
    },
  );
});
