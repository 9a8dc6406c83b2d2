import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { constructsBelow, heldBy, type Rows } from './held.ts';

const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');

/** By the attacks of the page: the tests that try them. */
const attacks: Rows = {
  'a site whose name leads to this machine (DNS rebinding)': () => {
    heldBy('server/http/access', 'answers to no other host: %s');
    heldBy('browser/attacks', 'a site whose name leads to this machine gets no answer');
  },
  'a page of another origin, or of none (`null`)': () => {
    heldBy('server/http/access', 'refuses a page of the origin %s, even with a key');
    heldBy('browser/attacks', 'a page of another site reads nothing and changes nothing');
  },
  'a form or a script of another page that writes (CSRF)': () => {
    heldBy('server/http/attacks', 'changes nothing by a form of the type %s, which has no key');
    heldBy('server/http/attacks', 'is not told that it may ask with a key');
    heldBy('browser/attacks', 'a page of another site reads nothing and changes nothing');
  },
  'a wrong key, or one that may only read': () => {
    heldBy('server/http/access', 'refuses %s', 'answers without a key only that it is there');
    heldBy('server/http/mail', 'refuses a key that may only read');
    heldBy('scenario/serve-runs', 'refuses a person who is no approver, and cancels');
  },
  'reading the key from a log, the process list or a file': () => {
    heldBy(
      'scenario/serve',
      'answers on IPv4, IPv6 and its socket, with keys that only their owner can read',
      'opens the page without showing the key to other processes',
      'serves in a process of its own, which ends with it, also when it is killed',
    );
    heldBy('host/api-place', 'is no link, wherever it leads');
  },
  'an id that leads out of the project': () => {
    heldBy('server/http/attacks', 'is that of nothing, at every address: %s');
    heldBy('server/http/access', 'serves no other file: %s');
    heldBy('server/http/workflows', 'needs a key that may write, and finds no file outside workflows/');
  },
  'text of an agent with HTML, scripts, control characters or marks of direction': () => {
    heldBy(
      'browser/everywhere',
      'every view is accessible and safe, %s at %i pixels',
      'shows the characters that would hide or turn a text',
    );
    heldBy('browser/saved', 'a saved run opens from disk as the page shows it, and asks for nothing');
  },
  'an oversized body or address': () => {
    heldBy('server/http/mail', 'refuses a body that is too large, not JSON by its type, or not UTF-8');
    heldBy('server/http/access', 'refuses a long address and an unknown key of the query, with the nearest');
  },
  'a body that never ends, an answer that is never read': () => {
    heldBy('scenario/serve-client', 'is answered with 408, and disturbs no other');
    heldBy('server/http/listener', 'cuts off a client that stops reading, and reads no further for it');
    heldBy('server/http/documents', 'keeps for a slow reader only the newest number of each topic');
  },
  'a body that changes the prototype of objects': () => {
    heldBy('server/http/attacks', 'is refused at every address: %s', 'changes nothing by the query either');
  },
  'an agent in its sandbox that looks for socket, key and port': () => {
    heldBy('scenario/sandboxed-api', 'an agent in a sandbox reaches neither the key nor the socket, and %s');
    heldBy('host/api-place', 'is empty in every sandbox, also in one that was there before it');
  },
  'two servers of one project': () => {
    heldBy('scenario/serve', 'is the only one of its project, names a port in use, and starts in no turn');
  },
  'a stale page that saves, or answers twice': () => {
    heldBy(
      'server/http/workflows',
      'refuses a stale page, and shows it the current text',
      'lets only one of two pages save',
    );
    heldBy('extensions/composer/page/composer', 'a file that changed meanwhile is not overwritten');
    heldBy('server/http/mail', 'answers a request as the person whose key it is, and once');
  },
};

const configured =
  'talks to the person’s server, runs nothing of the repository, and has no more permissions';

/** By what a workspace or an agent may try with the settings of agents: the tests with the real CLIs that try it. */
const settings: Rows = {
  'redirect keys and prompts to another server; helper programs': () => {
    heldBy('real-clis/repository', configured);
  },
  'the same in `.codex`, also in a repository that you trust': () => {
    heldBy('real-clis/repository', configured, 'obeys none of its settings %s');
  },
  'the same in `.gemini/settings.json`, `.gemini/.env`, `.env`': () => {
    heldBy(
      'real-clis/repository',
      configured,
      'gemini sends nothing to an address that only a file of the repository names',
    );
  },
  'the same in `opencode.json`': () => {
    heldBy('real-clis/repository', configured);
  },
  'the same in `.pi/`: extensions, settings, another folder for conversations': () => {
    heldBy('real-clis/repository', configured);
  },
  'hooks, MCP servers, permissions, allowed tools': () => {
    heldBy('real-clis/repository', configured, 'lets a turn do no more by %s with %j');
  },
  'plug-ins in `.opencode/` or named in `opencode.json`, in the workspace or above it': () => {
    heldBy('real-clis/repository', 'opencode is not started without a sandbox among %s');
    heldBy(
      'scenario/repository-settings',
      'are named by check, validate and plan, with their line and what to do',
    );
  },
  // Its program is not in the registry.
  'hooks, servers and plug-ins in `.agents/`': () => {
    heldBy('scenario/repository-settings', 'are those of agy, too');
  },
  'any of these, for a CLI started by your own `command`': () => {
    heldBy(
      'scenario/repository-settings',
      'are named by check, validate and plan, with their line and what to do',
      'are refused with a required sandbox, too, where none hides them',
    );
  },
  'use of your MCP servers by a role or step that does not name them': () => {
    heldBy(
      'real-clis/servers',
      'connects $name with a server of the person in the stage that names it alone',
    );
  },
  "writing `.claude .codex .gemini .opencode .pi .mcp.json opencode.json* .env*` with the agent's tools":
    () => {
      heldBy(
        'real-clis/guarded',
        'writes of what configures agents only what its rules cannot keep from it',
        'without a sandbox $name writes all of it where its role may',
        'gemini writes what it owes, and below it, without the right to edit',
      );
    },
  'writing them by commands; codex with any capability beyond `READ`': () => {
    heldBy('real-clis/guarded', 'writes of what configures agents only what its rules cannot keep from it');
    heldBy(
      'real-clis/settings',
      'in the sandbox $name with every right changes no settings of any CLI, and runs no plug-in of the repository',
    );
  },
  'writing your own settings: `settings.json`, `config.toml`, `opencode.json`, `.claude.json`, hooks, agents, commands, skills, plug-ins':
    () => {
      heldBy(
        'real-clis/settings',
        'in the sandbox $name with every right changes no settings of any CLI, and runs no plug-in of the repository',
        'in the sandbox $name works where settings of the person are links, and replaces none',
      );
    },
};

it('every attack on settings of agents that docs/security.md names is tried with the real CLIs', () => {
  expect(constructsBelow(page, 'Protection of agent settings')).toEqual(Object.keys(settings));
  for (const tried of Object.values(settings)) tried();
});

it('every attack on the HTTP API that docs/security.md names is tried by a test', () => {
  expect(constructsBelow(page, 'The HTTP API')).toEqual(Object.keys(attacks));
  for (const tried of Object.values(attacks)) tried();
});
