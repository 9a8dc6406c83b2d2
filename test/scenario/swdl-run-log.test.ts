import { afterEach, expect, test } from 'vitest';
import { CliProject } from '../support/clis.ts';

let project: CliProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

test('`include_run_log` hands over what the agent of a CLI said, and nothing of its events', async () => {
  const workflow = `
workflow: { id: w, name: W, version: 1.0.0 }
stages:
  - id: first
    roles: { primary: { artifact: "agent:a" } }
    handoff: { include_run_log: true }
  - id: second
    depends_on: [first]
    roles: { primary: { artifact: "agent:a" } }
`;
  const claude = `
    const assistant = (...content) => event({ type: 'assistant', message: { id: 'm', content } });
    event({ type: 'system', subtype: 'init', session_id: 's' });
    assistant({ type: 'text', text: 'I look at "both".' }, { type: 'tool_use', id: 't', name: 'Read', input: {} });
    assistant({ type: 'text', text: 'All is well.' });
    claude('All is well.');`;
  project = new CliProject(
    {
      'mailroom.yaml': 'trail: off\nsandbox: off\n',
      'agents/a/role.md': 'You are a.\n',
      'workflows/w.yaml': workflow,
    },
    { claude },
  );
  const ran = await project.run(['run', 'workflows/w.yaml']);
  expect([ran.stderr, ran.code]).toEqual([expect.any(String), 0]);
  const [id = ''] = project.list('.mailroom/runs');
  const prompt = project.read(`.mailroom/runs/${id}/steps/second/1.1/prompt.md`);
  expect(prompt).toContain('`end of the log of first`\n\n```\nI look at "both".\n\nAll is well.\n```');
  expect(prompt).not.toContain('"type":"assistant"');
});
