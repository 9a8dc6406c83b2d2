import { ownValue } from '../kernel/own.ts';
/**
 * Local signs, checked without a request, that a CLI can use its model: variables that are set or
 * files that exist.
 */
interface LoginSigns {
  readonly variables: readonly string[];
  /** A folder is a variable with its default; `~` is the home. */
  readonly files: readonly string[];
  /** How the user logs in. */
  readonly advice: string;
}

const traces: Readonly<Record<string, LoginSigns>> = {
  claude: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
    ],
    files: ['$CLAUDE_CONFIG_DIR:~/.claude/.credentials.json'],
    advice: 'run `claude` once and log in, or set ANTHROPIC_API_KEY',
  },
  codex: {
    variables: ['CODEX_API_KEY'],
    files: ['$CODEX_HOME:~/.codex/auth.json'],
    advice: 'run `codex login` once, or set CODEX_API_KEY',
  },
  gemini: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
    files: ['~/.gemini/oauth_creds.json', '~/.gemini/gemini-credentials.json'],
    advice: 'run `gemini` once and log in, or set GEMINI_API_KEY',
  },
  opencode: {
    variables: [
      'OPENCODE_API_KEY',
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY',
      'OPENROUTER_API_KEY',
      'GEMINI_API_KEY',
    ],
    files: ['$XDG_DATA_HOME:~/.local/share/opencode/auth.json'],
    advice: 'run `opencode auth login` once, or set the key of its provider',
  },
  pi: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_OAUTH_TOKEN',
      'OPENAI_API_KEY',
      'GEMINI_API_KEY',
      'OPENROUTER_API_KEY',
    ],
    files: ['$PI_CODING_AGENT_DIR:~/.pi/agent/auth.json', '$PI_CODING_AGENT_DIR:~/.pi/agent/models.json'],
    advice: 'run `pi` once and use /login, or set the key of its provider',
  },
  agy: {
    variables: [],
    files: [],
    advice: 'run `agy` once and log in; it keeps its login in the keyring of the system',
  },
};

/** Describes the login that a CLI will use; null: none found, although one may exist. */
export function loginOf(
  cli: string,
  environment: Readonly<Record<string, string | undefined>>,
  exists: (path: string) => boolean,
): { readonly found: string | null; readonly advice: string } {
  const { variables, files, advice } = ownValue(traces, cli) ?? { variables: [], files: [], advice: '' };
  const set = variables.find((name) => (ownValue(environment, name) ?? '') !== '');
  if (set !== undefined) return { found: `${set} is set`, advice };
  const file = files.map((path) => placed(path, environment)).find(exists);
  return { found: file ?? null, advice };
}

/** `$CODEX_HOME:~/.codex/auth.json` is `auth.json` in $CODEX_HOME, or by default in `~/.codex`. */
function placed(path: string, environment: Readonly<Record<string, string | undefined>>): string {
  const [, variable = '', standard = path] = /^\$(\w+):(.+)$/.exec(path) ?? [];
  const named = ownValue(environment, variable) ?? '';
  const usual = standard.replace(/^~/, environment['HOME'] ?? '');
  if (named === '') return usual;
  const below = variable === 'XDG_DATA_HOME' ? 'opencode/auth.json' : usual.slice(usual.lastIndexOf('/') + 1);
  return `${named}/${below}`;
}
