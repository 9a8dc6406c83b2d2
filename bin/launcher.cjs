const { dirname, join } = require('node:path');

/** Commands that start programs as long as they run. */
const hosts = ['up', 'run', 'resume', 'retry', 'worker', 'serve'];

/**
 * Returns the function that starts a launcher for the built program: a second, small Node, which
 * starts all others (see src/process/starting/launcher.ts). For a command that starts programs the
 * first one is started at once, while this process is small and has yet to load the program.
 */
function launcherOf(program, argv) {
  const file = join(dirname(program), 'launcher.cjs');
  let first = hosts.includes(argv[0]) ? startLauncher(file) : undefined;
  return () => {
    const child = first ?? startLauncher(file);
    first = undefined;
    return child;
  };
}

// A session of its own: Ctrl-C at a terminal is for its host.
function startLauncher(file) {
  const { spawn } = require('node:child_process');
  const { PATH, TMPDIR } = process.env;
  const launcher = spawn(process.execPath, ['--max-old-space-size=32', '--max-semi-space-size=1', file], {
    cwd: '/',
    // A child has it, too, until it has become its program.
    env: { PATH, TMPDIR, MAILROOM_LAUNCHER: `${process.pid}-${process.hrtime.bigint()};` },
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  launcher.on('error', () => {});
  launcher.unref();
  launcher.channel?.unref();
  return launcher;
}

module.exports = { launcherOf, startLauncher };
