/** How an agent of the Agent Client Protocol is made to ask for permission. */
export interface AcpMode {
  /** The known name, or the file of the program, by which a provider starts it. */
  readonly provider: string;
  /** The name by which it introduces itself. */
  readonly agent: string;
  /** The version whose program shows it. */
  readonly seen: string;
  /** The mode of its conversations in which it asks; null: it has none. */
  readonly mode: string | null;
  /** Options of its conversations that would let it act unasked, and their values. */
  readonly options: Readonly<Record<string, string | boolean>>;
  /** Whether a test has shown that it asks, so that a person can answer; otherwise why not. */
  readonly asks: true | string;
}

const untested = 'no test has shown that it asks';

/** One row for each agent. A conversation that cannot be put into its mode begins no turn. */
export const acpModes: readonly AcpMode[] = [
  {
    provider: 'copilot',
    agent: 'Copilot',
    seen: '1.0.102',
    mode: 'https://agentclientprotocol.com/protocol/session-modes#agent',
    options: { allow_all: 'off' },
    asks: true,
  },
  { provider: 'qwen', agent: 'qwen-code', seen: '0.24.4', mode: 'default', options: {}, asks: true },
  { provider: 'gemini', agent: 'gemini-cli', seen: '0.61.0', mode: 'default', options: {}, asks: true },
  {
    provider: 'claude-agent-acp',
    agent: '@agentclientprotocol/claude-agent-acp',
    seen: '0.101.0',
    mode: 'default',
    options: {},
    asks: true,
  },
  {
    provider: 'codex-acp',
    agent: '@agentclientprotocol/codex-acp',
    seen: '2.6.0',
    mode: 'read-only',
    options: {},
    asks: 'its own sandbox refuses commands without a question',
  },
  {
    provider: 'cline',
    agent: 'cline',
    seen: '3.0.65',
    mode: 'act',
    options: { auto_approve: false },
    asks: untested,
  },
  { provider: 'droid', agent: '@factory/cli', seen: '0.215.0', mode: 'normal', options: {}, asks: untested },
  // These two cannot open a conversation without a login: their modes are those in their programs.
  { provider: 'auggie', agent: 'auggie', seen: '0.36.0', mode: 'default', options: {}, asks: untested },
  { provider: 'kimi', agent: 'Kimi Code CLI', seen: '2.1.0', mode: 'default', options: {}, asks: untested },
  {
    provider: 'opencode',
    agent: 'OpenCode',
    seen: '1.18.33',
    mode: null,
    options: {},
    asks: 'it asks only for what its configuration sets to `ask`',
  },
];

/** Whether the agents of a provider ask for permission: see `AcpMode.asks`. */
export function asksByName(name: string, command: readonly string[]): true | string {
  const names = new Set([name, ...command.map((word) => word.slice(word.lastIndexOf('/') + 1))]);
  return acpModes.find(({ provider }) => names.has(provider))?.asks ?? untested;
}
