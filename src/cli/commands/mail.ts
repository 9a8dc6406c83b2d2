import { momentHelp } from '../../mail/questions/moment.ts';
import { json, progress, recording, type Commands } from './table.ts';

/** The options of a message. */
const message = {
  '-m, --message <text>': 'the text of the message',
  '--type <type>': 'the message type, where several are allowed',
  '--subject <line>': 'the subject, instead of the first line of the text',
  '--field <name=value>': { about: 'a field of the message; repeatable', repeatable: true },
  '--attach <path>': { about: 'attach a file of the project; repeatable', repeatable: true },
} as const;

export const mail: Commands = {
  up: {
    about: 'run the controller: watch the mail, deliver it and start roles',
    options: {
      '-d, --detach': 'run it in a process of its own, which `mailroom stop` ends',
      '--until-idle': 'exit when no work is left',
      '--drain': 'on Ctrl-C, let running turns finish',
      ...recording,
      '--serve': 'also serve the page and the HTTP API, in a process of its own',
      '--port <n>': 'with --serve: listen on this port; default 6246, 0: any free one',
      ...progress,
    },
    examples: ['mailroom up', 'mailroom up --detach --serve', 'mailroom up --until-idle'],
    run: async () => (await import('../actions/up.ts')).up,
  },
  stop: {
    about: 'end the controller of the project; its work continues with the next `up`',
    options: json,
    examples: ['mailroom stop'],
    run: async () => (await import('../actions/stop.ts')).stop,
  },
  inbox: {
    about: 'list what waits for you: requests to answer, gates to approve, notices',
    options: {
      '--as <role>': 'only what waits for this human role',
      '--done [ids]': 'put all notices away, or some (--done=@2,@3)',
      '-w, --watch': 'list it again whenever something changes',
      ...json,
    },
    examples: [
      'mailroom inbox',
      'mailroom reply @1 --message "Use the second parser."',
      'mailroom inbox --done',
    ],
    run: async () => (await import('../actions/inbox.ts')).inbox,
  },
  send: {
    about: 'send a message to a role as a person',
    arguments: {
      '<role>': 'the recipient roles, separated by commas',
      '[file]': 'the text; `-` is standard input',
    },
    options: {
      ...message,
      '--thread <id>': 'continue this thread instead of starting one',
      '--in-reply-to <id>': 'the message that this one answers',
      '--as <role>': 'the role to speak for (default: that of $MAILROOM_USER or the user name, else user)',
      '--wait': 'wait for the answer, or for the end of the thread, and print it',
      ...json,
    },
    examples: ['mailroom send architect --message "Add a --json flag to list"'],
    run: async () => (await import('../actions/send.ts')).send,
  },
  reply: {
    about: 'answer a message as the person who received it',
    arguments: {
      '[id]': 'the message: its id, the beginning or end of it, or @1 of `inbox` (default: the only request)',
      '[file]': 'the text; `-` is standard input',
    },
    options: {
      ...message,
      '--type <type>': 'the message type, where several types answer',
      '--as <role>': 'the role to answer as (default: that of $MAILROOM_USER or the user name, else user)',
      '--wait': 'wait for the outcome and print it',
      ...json,
    },
    examples: ['mailroom reply 4f2a9c --message "Use the second parser."'],
    run: async () => (await import('../actions/reply.ts')).reply,
  },
  status: {
    about: 'show running turns, waits and costs',
    options: {
      '-w, --watch': 'update the output whenever something changes',
      '--threads': 'list all threads, not only the newest',
      '--all': 'show all your projects instead, one line each',
      '--drop-gone': 'with --all: remove projects that no longer exist from the list',
      '--at <moment>': `show the past: ${momentHelp}`,
      ...json,
    },
    examples: ['mailroom status --watch'],
    run: async () => (await import('../actions/status.ts')).status,
  },
  why: {
    about: 'explain why a role, message, thread, run or step does not move',
    arguments: {
      '<target>':
        'a role, a turn (t12), the id of a message, thread or run, <run>/<step>, @1 of `inbox`, or `last`',
    },
    options: json,
    examples: ['mailroom why backend', 'mailroom why last/build'],
    run: async () => (await import('../actions/why.ts')).runWhy,
  },
  costs: {
    about:
      'show costs in tokens and dollars by role, thread, workflow, run, step, provider, model, host, day or week',
    options: {
      '--by <kinds>': {
        about: 'group by these, separated by commas; or `part`: what the tokens were used for',
        default: 'role',
      },
      '--since <when>': 'only costs since a date (2026-11-21) or within a duration (7d)',
      '--csv': { about: 'print CSV, for a spreadsheet', conflicts: 'json' },
      ...json,
    },
    examples: ['mailroom costs --by week,model --since 30d --csv'],
    run: async () => (await import('../actions/costs.ts')).costs,
  },
  trail: {
    about: 'show all messages, thread by thread',
    arguments: {
      '[thread]': 'only this thread: its id, the beginning or end of it, @1 of `inbox`, or `last`',
    },
    options: {
      '--full': 'show whole messages',
      '-w, --watch': 'update the output whenever a message arrives',
      '--json': 'print one JSON array of messages',
    },
    examples: ['mailroom trail 4f2a9c --full'],
    run: async () => (await import('../actions/trail.ts')).trail,
  },
  show: {
    about: 'show a message, turn, thread, run or workflow, with its state, cost and reasons',
    arguments: {
      '<id>':
        'a message, thread or run: its id, the beginning or end of it, @1 of `inbox`, or `last`; a turn (t12); a workflow file',
    },
    options: {
      '--at <moment>': `show it as it was: ${momentHelp}`,
      '--diff': 'print what the work of a message changes, or of a turn that is to land, as a patch',
      '--html': 'print a run or a thread as one HTML file that opens without a server',
      '--all': 'with --html: whole logs, however long',
      ...json,
    },
    examples: ['mailroom show 4f2a9c', 'mailroom show 4f2a9c --html > run.html'],
    run: async () => (await import('../actions/show.ts')).runShow,
  },
  pause: {
    about: 'pause a role, a thread, a run or everything; running turns and steps continue',
    arguments: { '<target>': 'a role, a thread or a run by its id, or `all`' },
    options: {
      '--now': 'also stop running turns; they restart after `unpause`, and no attempt is counted',
      ...json,
    },
    examples: ['mailroom pause engineer --now'],
    run: async () => (await import('../run-control.ts')).pauseOrUnpause.bind(null, 'pause'),
  },
  unpause: {
    about: 'let a role, a thread, a run or everything continue after `pause`',
    arguments: { '<target>': 'a role, a thread or a run by its id, or `all`' },
    options: json,
    examples: ['mailroom unpause all'],
    run: async () => (await import('../run-control.ts')).pauseOrUnpause.bind(null, 'unpause'),
  },
  cancel: {
    about: 'end a run, a turn or a thread permanently; mail of a turn or thread goes to failed/',
    arguments: { '<target>': 'a turn (t12), or a run or a thread by its id' },
    options: json,
    examples: ['mailroom cancel t12'],
    run: async () => (await import('../run-control.ts')).cancel,
  },
  retry: {
    about: 'put a failed message back into its inboxes, or run a failed step and the steps after it again',
    arguments: {
      '<target>': 'a message or a run: its id, the beginning or end of it, `@1`, or `last`',
      '[step]': 'the step of the run',
    },
    options: {
      '--instructions <file>': 'replace the instructions of the step; `-` is standard input',
      ...json,
    },
    examples: ['mailroom retry 4f2a9c', 'mailroom retry 8c1d02 build'],
    run: async () => (await import('../actions/retry.ts')).retry,
  },
  worktree: {
    about: 'list, merge or remove the git worktrees of threads and roles',
    arguments: {
      '[action]': { about: 'what to do', choices: ['list', 'merge', 'remove'], default: 'list' },
      '[thread]': 'the thread: its id, the beginning or end of it, or `last`',
    },
    options: {
      '--role <role>': 'the role whose worktree it is, where roles have their own',
      '--rules': 'merge it although it changes rules of the project',
      ...json,
    },
    examples: ['mailroom worktree', 'mailroom worktree merge 4f2a9c'],
    run: async () => (await import('../actions/worktree.ts')).worktree,
  },
  undo: {
    about: 'take back what a message, a turn, a thread or a run has landed, by one more commit',
    arguments: {
      '<what>': 'the message, turn, thread or run: its id, the beginning or end of it, or `last`',
    },
    options: json,
    examples: ['mailroom undo 4f2a9c', 'mailroom undo last'],
    run: async () => (await import('../actions/undo.ts')).undo,
  },
  prune: {
    about: 'list and remove old turns, runs and worktrees that nothing needs',
    arguments: {
      '[kinds...]': { about: 'what to remove; default: all', choices: ['turns', 'runs', 'worktrees'] },
    },
    options: {
      '--older-than <duration>': { about: 'only what has not changed for so long', default: '30d' },
      '--yes': 'remove without asking; otherwise only a terminal is asked',
      ...json,
    },
    examples: ['mailroom prune', 'mailroom prune turns --older-than 7d --yes'],
    run: async () => (await import('../actions/prune.ts')).runPrune,
  },
  mcp: {
    about: 'serve the tools of the project, or inside a turn those of the turn, over MCP on stdio',
    options: { '--approve': 'also serve the tool that answers approvals' },
    examples: ['claude mcp add mailroom -- mailroom mcp'],
    run: async () => (await import('../actions/mcp.ts')).mcp,
  },
  serve: {
    about: 'serve a page and an HTTP API of the project, on this machine only',
    options: {
      '--port <n>': 'listen on this port; default 6246, 0: any free one',
      '--open': 'open the page in the browser',
      '--while-input': 'end when the standard input closes',
    },
    examples: ['mailroom serve'],
    run: async () => (await import('../actions/serve.ts')).serve,
  },
};
