import { describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { habits } from '../../src/cli/usage.ts';
import { ProjectFixture } from './project-fixture.ts';

describe('the program', () => {
  it('shows its help', async () => {
    const fixture = new ProjectFixture();
    const { code, out } = await fixture.run('--help');
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Usage: mailroom [options] [command]

      Hands work between headless coding agents by files. Each role has an inbox and an outbox, a protocol
      in YAML says who may ask whom for what, and one controller moves the mail and starts each role that
      can work. Workflows in YAML run on the same engine.

      Options:
        -v, --version               print the version
        -C, --project <dir>         the project, instead of the one around the current folder
        --no-color                  print without colours, as \`$NO_COLOR\` does
        --debug                     show where in the program an error comes from
        -h, --help                  show help

      The project:
        init [dir]                  create a runnable project, or add what an existing one lacks
        add <what> <name>           add a role to the protocol, with a description to fill in
        check                       check mailroom.yaml, protocols/ and workflows/ without starting
                                    anything
        doctor                      show which agent CLIs are installed, which sandboxing works, and what
                                    would fail
        compare <task>              do a task twice, under two settings, and show costs and results side
                                    by side
        completion <shell>          print the completion script of a shell
        explain <code>              explain a code of an error, or of \`why\`: what it means, and what to do
        help [topic]                show help for a command, or a page of the documentation

      The mail:
        up                          run the controller: watch the mail, deliver it and start roles
        stop                        end the controller of the project; its work continues with the next
                                    \`up\`
        inbox                       list what waits for you: requests to answer, gates to approve, notices
        send <role> [file]          send a message to a role as a person
        reply [id] [file]           answer a message as the person who received it
        status                      show running turns, waits and costs
        why <target>                explain why a role, message, thread, run or step does not move
        costs                       show costs in tokens and dollars by role, thread, workflow, run, step,
                                    provider, model, host, day or week
        trail [thread]              show all messages, thread by thread
        show <id>                   show a message, turn, thread, run or workflow, with its state, cost
                                    and reasons
        pause <target>              pause a role, a thread, a run or everything; running turns and steps
                                    continue
        unpause <target>            let a role, a thread, a run or everything continue after \`pause\`
        cancel <target>             end a run, a turn or a thread permanently; mail of a turn or thread
                                    goes to failed/
        retry <target> [step]       put a failed message back into its inboxes, or run a failed step and
                                    the steps after it again
        worktree [action] [thread]  list, merge or remove the git worktrees of threads and roles
        undo <what>                 take back what a message, a turn, a thread or a run has landed, by one
                                    more commit
        prune [kinds...]            list and remove old turns, runs and worktrees that nothing needs
        mcp                         serve the tools of the project, or inside a turn those of the turn,
                                    over MCP on stdio
        serve                       serve a page and an HTTP API of the project, on this machine only

      Workflows:
        workflows                   list the workflows in workflows/
        validate [workflow...]      check workflows without starting anything
        reload [workflow...]        confirm changed workflows and roles, so that a running \`up\` uses them
        plan <workflow>             show what a run would do and its worst-case cost, without starting it
        graph [workflow]            print a workflow, or the protocol, as a diagram
        run <workflow>              run a workflow to its end
        resume <run>                continue a run; finished steps do not run again
        run-step <workflow> [step]  run a single step of a workflow, in a new run
        watch <workflow>            run a workflow, and again after every change of a file in its
                                    workspace
        runs                        list the runs of the project, newest first
        logs <target>               print the output of the steps of a run, or of the agent of a turn
        approve [run] [gate]        approve a gate so that dependent steps can run
        reject [run] [gate]         reject a gate: dependent steps are skipped

      Exit codes:
        0    done
        1    it ran and failed
        2    wrong command line or configuration; nothing started
        3    a path would leave the project
        124  timed out
        130  cancelled

      Examples:
        $ mailroom init my-project && cd my-project
        $ mailroom send architect --message "Add a --json flag"
        $ mailroom up
        $ mailroom run first-look

      \`mailroom help topics\` lists the documentation; \`mailroom explain E_BUDGET\` explains a code.
      "
    `);
    expect((await fixture.run()).out).toBe(out);
    expect((await fixture.run('help')).out).toBe(out);
  });

  it('shows the help of a command, with an example', async () => {
    const fixture = new ProjectFixture();
    const { code, out } = await fixture.run('pause', '--help');
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Usage: mailroom pause [options] <target>

      pause a role, a thread, a run or everything; running turns and steps continue

      Arguments:
        target               a role, a thread or a run by its id, or \`all\`

      Options:
        --now                also stop running turns; they restart after \`unpause\`, and no attempt is
                             counted
        --json               print one JSON document
        -h, --help           show help

      Global Options:
        -v, --version        print the version
        -C, --project <dir>  the project, instead of the one around the current folder
        --no-color           print without colours, as \`$NO_COLOR\` does
        --debug              show where in the program an error comes from

      Example:
        $ mailroom pause engineer --now
      "
    `);
  });

  it('prints its version', async () => {
    for (const word of ['--version', '-v', '-V', 'version'])
      expect(await new ProjectFixture().run(word)).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  it('answers words of other programs only with commands that it has', async () => {
    const fixture = new ProjectFixture();
    const { out } = await fixture.run('--help');
    const commands = [...out.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);
    for (const [word, hint] of Object.entries(habits)) {
      expect(commands).not.toContain(word);
      for (const [, command] of hint.matchAll(/mailroom ([a-z-]+)/g)) expect(commands).toContain(command);
    }
  });

  it.each([
    [['statsu'], 'error E_USAGE: unknown command `statsu`\nhint: did you mean `status`?\n'],
    [
      ['xyz'],
      'error E_USAGE: unknown command `xyz`\nhint: `mailroom --help` lists the commands and options\n',
    ],
    [
      ['ls'],
      'error E_USAGE: unknown command `ls`\nhint: `mailroom status` shows roles and threads, `mailroom runs` the runs, `mailroom inbox` what waits for you\n',
    ],
    [['diff', '4f2a9c'], /^error .*\nhint: `mailroom show <message> --diff` shows what/],
    [['watch', 'ship', '--dry-run'], /^error .*`--dry-run`\nhint: `mailroom plan <workflow>` shows/],
    [
      ['help', 'upp'],
      'error E_TARGET: there is neither a command nor a page `upp`\nhint: did you mean `up`?\n',
    ],
    [['status', '--jsno'], 'error E_USAGE: unknown option `--jsno`\nhint: did you mean `--json`?\n'],
    [['run', 'ship', '--dryrun'], /^error .*\nhint: did you mean `--dry-run`\?\n/],
    [['status', '--no-colour'], /^error .*\nhint: did you mean `--no-color`\?\n/],
    [['show'], 'error E_USAGE: <id> is missing\nhint: `mailroom show --help` shows what it takes\n'],
    [
      ['status', 'x'],
      'error E_USAGE: `status` takes no arguments, and got 1\nhint: `mailroom status --help` shows what it takes\n',
    ],
    [['show', 'a', 'b'], /^error E_USAGE: `show` takes at most 1 argument, and got 2\n/],
    [['costs', '--since'], /^error E_USAGE: option `--since <when>` argument missing\n/],
    [
      ['completion', 'tcsh'],
      'error E_USAGE: `tcsh` is not a value of <shell>\nhint: one of bash, zsh, fish\n',
    ],
    [
      ['costs', '--by', 'roles'],
      'error E_USAGE: `roles` is not a value of `--by <kinds>`\nhint: did you mean `role`?\n',
    ],
  ])('refuses %j with exit code 2', async (argv, text) => {
    const { code, err, out } = await new ProjectFixture().run(...argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(text);
  });

  it('tells failures as one document with --json', async () => {
    const fixture = new ProjectFixture();
    fixture.cwd = '/home/ada/here';
    fixture.hasProject = false;
    const { code, out, err } = await fixture.run('status', '--json');
    const failure = {
      code: 'E_NO_PROJECT',
      message: 'there is no project in /home/ada/here or above it',
      file: null,
      line: null,
      column: null,
      endLine: null,
      endColumn: null,
      severity: 'error',
      hint: '`mailroom init` makes one here; `-C DIR` names another folder',
    };
    expect(JSON.parse(out)).toEqual({ schema: 1, error: failure, errors: [failure] });
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(JSON.parse((await fixture.run('statsu', '--json')).out)).toMatchObject({
      error: { code: 'E_USAGE' },
    });
  });

  it('shows where a bug is only with --debug', async () => {
    const fixture = new ProjectFixture();
    const call = Object.assign(fixture.call(), {
      findProject: () => {
        throw new TypeError('x is not a function', { cause: new Error('deep below') });
      },
    });
    const run = async (...argv: string[]) => {
      fixture.terminal.clear();
      return {
        code: await runCli(argv, fixture.start(call), fixture.terminal),
        err: fixture.terminal.err,
      };
    };
    expect(await run('status')).toEqual({
      code: 1,
      err: 'error E_INTERNAL: x is not a function\nhint: this is a bug; the same command with --debug shows where\n',
    });
    const debugged = await run('status', '--debug');
    expect(debugged.err).toMatch(/TypeError: x is not a function\n {4}at /);
    expect(debugged.err).toMatch(/caused by Error: deep below\n {4}at /);
  });

  it('takes --project before and after the command', async () => {
    const fixture = new ProjectFixture();
    fixture.cwd = '/home/ada/here';
    const asked: [string, boolean][] = [];
    const call = Object.assign(fixture.call(), {
      findProject: (from: string, named: boolean) => {
        asked.push([from, named]);
        return '/project';
      },
    });
    for (const argv of [['status'], ['-C', '../there', 'status'], ['status', '--project', '/else']])
      expect(await runCli(argv, fixture.start(call), fixture.terminal)).toBe(0);
    expect(asked).toEqual([
      ['/home/ada/here', false],
      ['/home/ada/there', true],
      ['/else', true],
    ]);
  });
});
