import { json, type Commands } from './table.ts';

export const project: Commands = {
  init: {
    about: 'create a runnable project, or add what an existing one lacks',
    arguments: { '[dir]': 'the folder; default: the current one' },
    options: {
      '--template <name>':
        'one that `--list` shows, by default feature-team; or a folder (./name) or git URL',
      '--provider <name>':
        'the agent program for all roles: claude, codex, gemini, opencode, pi, agy or rehearsal',
      '--from-agents [program]': {
        about:
          'make roles of the agents in .claude, .opencode, .github and .gemini; only of one: --from-agents=claude',
        conflicts: 'template',
      },
      '--for <workflow>': 'write only what a workflow refers to and does not exist: agents, skills, modules',
      '--list': 'print the templates, each with its protocol; write nothing',
      ...json,
    },
    examples: ['mailroom init my-project', 'mailroom init --from-agents'],
    run: async () => (await import('../actions/init.ts')).init,
  },
  add: {
    about: 'add a role to the protocol, with a description to fill in',
    arguments: {
      '<what>': { about: 'what to add', choices: ['role'] },
      '<name>': 'its name',
    },
    options: json,
    examples: ['mailroom add role backend'],
    run: async () => (await import('../actions/add.ts')).add,
  },
  check: {
    about: 'check mailroom.yaml, protocols/ and workflows/ without starting anything',
    options: {
      '--explore': 'only look for states in which a role waits forever',
      '--no-explore': 'do not look for such states',
      '--price': 'also show what a turn of each role costs before its work begins',
      ...json,
    },
    examples: ['mailroom check && mailroom up'],
    run: async () => (await import('../actions/check.ts')).runCheck,
  },
  doctor: {
    about: 'show which agent CLIs are installed, which sandboxing works, and what would fail',
    options: {
      '--probe': 'ask each installed agent CLI one question: costs what one call of it costs',
      '--fix': 'first add what the project lacks: lines of .gitignore, schemas, folders',
      ...json,
    },
    examples: ['mailroom doctor'],
    run: async () => (await import('../actions/doctor.ts')).doctor,
  },
  compare: {
    about: 'do a task twice, under two settings, and show costs and results side by side',
    arguments: { '<task>': 'a file with the text of the task, or a workflow' },
    options: {
      '--with <settings>': {
        about: 'what differs: key=value, separated by commas; given twice: of both sides',
        repeatable: true,
      },
      '--to <role>': 'the role that gets the task (default: the `start` of the protocol)',
      '--name <name>': 'the name of the comparison (default: that of the task)',
      '--param <name=value>': { about: 'set a parameter of the workflow; repeatable', repeatable: true },
      ...json,
    },
    examples: ['mailroom compare task.md --with system_prompt=short'],
    run: async () => (await import('../actions/compare.ts')).compare,
  },
  completion: {
    about: 'print the completion script of a shell',
    arguments: { '<shell>': { about: 'the shell', choices: ['bash', 'zsh', 'fish'] } },
    examples: ['eval "$(mailroom completion bash)"'],
    run: async () => (await import('../actions/completion.ts')).printScript,
  },
  explain: {
    about: 'explain a code of an error, or of `why`: what it means, and what to do',
    arguments: { '<code>': 'the code, such as E_BUDGET' },
    options: json,
    examples: ['mailroom explain E_BUDGET'],
    run: async () => (await import('../actions/explain.ts')).explain,
  },
  help: {
    about: 'show help for a command, or a page of the documentation',
    arguments: { '[topic]': 'a command, a page, or `topics`, which lists the pages' },
    examples: ['mailroom help send', 'mailroom help topics', 'mailroom help commands/send'],
    run: async () => (await import('../actions/help.ts')).help,
  },
  // What the script of `completion` calls.
  complete: {
    about: '',
    isHidden: true,
    arguments: { '[words...]': 'the command line after the name of the program' },
    examples: [],
    run: async () => (await import('../actions/completion.ts')).complete,
  },
};
