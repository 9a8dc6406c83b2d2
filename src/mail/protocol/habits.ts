import { argvText, type Habits, type KeyHint } from '../../yaml/suggest.ts';

const instructions = 'they stand in agents/<role>/role.md';
const gates: KeyHint = (value) =>
  `write \`gates: [{ run: ${typeof value === 'string' ? argvText(value) : '[npm, test]'} }]\``;
const ofWorkflow = 'steps are those of a workflow, a file of its own in workflows/';

/** What authors of workflows and of other tools write in a protocol. */
export const habits: Habits = {
  keys: {
    protocol: {
      agents: 'did you mean `roles`?',
      types: 'did you mean `messages`?',
      jobs: ofWorkflow,
      steps: ofWorkflow,
      stages: ofWorkflow,
      on: 'what a new thread begins with is `start`',
      gates: 'they stand under a type of `messages`',
      timeout: '`timeout` of all roles stands under `defaults` of mailroom.yaml',
    },
    role: {
      worker: (value) => `write \`provider: ${typeof value === 'string' ? nameOf(value) : 'claude'}\``,
      permissions: 'did you mean `capabilities`?',
      tools: 'did you mean `capabilities`?',
      instructions,
      prompt: instructions,
      system_prompt: instructions,
      description: instructions,
      max_retries: 'did you mean `retries`?',
    },
    'message type': {
      run: gates,
      command: gates,
      checks: 'did you mean `gates`?',
      blocks: 'did you mean `blocking`?',
      replies: 'did you mean `reply`?',
      needs: 'what a role waits for before it starts is `expects`, under the role or in the protocol',
      if: 'a message type has no condition: its sender decides, and `gates` check',
      when: 'a message type has no condition: its sender decides, and `gates` check',
    },
  },
};

/** `CLAUDE_CODE` is `claude` here. */
function nameOf(worker: string): string {
  return worker.toLowerCase().replace(/_(?:code|cli)$/, '');
}
