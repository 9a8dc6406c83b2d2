// Installs the packages of package-lock.json unless node_modules holds exactly these versions. Runs
// before `npm test` and `npm run demo`, so it uses only Node itself. Of two at once the second
// waits.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** True when node_modules holds the locked version of every package that is not optional. */
function isInstalled() {
  const locked = readPackages(join(root, 'package-lock.json'));
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (locked === undefined || installed === undefined) return false;
  const complete = Object.entries(locked).every(
    ([path, entry]) =>
      path === '' || (installed[path]?.version ?? (entry.optional && entry.version)) === entry.version,
  );
  return complete && Object.keys(installed).every((path) => path in locked);
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

// A listening socket is a lock that the system releases when its owner dies, however that happens.
function lockAddress() {
  const name = `mailroom-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

/**
 * Resolves to true once this process holds the lock (until it exits), or to false once another
 * owner has exited.
 */
function takeLock(address) {
  return new Promise((resolve, reject) => {
    const server = createServer((waiting) => waiting.unref());
    server.once('listening', () => {
      server.unref();
      resolve(true);
    });
    server.once('error', (error) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      const socket = connect(address);
      socket.once('error', () => {
        // Outside Linux and Windows the socket is a file, which outlives its owner.
        if (address.startsWith(tmpdir())) rmSync(address, { force: true });
      });
      socket.once('close', () => resolve(false));
      socket.resume();
    });
    server.listen(address);
  });
}

function install() {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const line = 'Installing packages';
  process.stderr.write(process.stderr.isTTY ? `${line} …` : `${line} …\n`);
  const ticker = process.stderr.isTTY
    ? setInterval(() => process.stderr.write(`\r${line} … ${seconds()}`), 1000)
    : undefined;
  const options = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env['npm_execpath'];
  const child = npm?.endsWith('.js')
    ? spawn(process.execPath, [npm, ...options], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    : spawn('npm', options, {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        shell: process.platform === 'win32',
      });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    const finish = (succeeded, reason) => {
      clearInterval(ticker);
      const start = process.stderr.isTTY ? '\r' : '';
      process.stderr.write(`${start}${line}: ${succeeded ? 'done' : 'failed'} in ${seconds()}\n`);
      if (!succeeded) process.stderr.write(`${output}${reason}\n`);
      resolve(succeeded);
    };
    child.once('error', (error) => finish(false, `npm could not be started: ${error.message}`));
    child.once('close', (code) => finish(code === 0, `npm ci ended with exit code ${code}`));
  });
}

async function setup() {
  const address = lockAddress();
  while (!isInstalled()) {
    if (!(await takeLock(address))) continue;
    if (isInstalled()) return 0;
    if (!(await install())) return 1;
    if (!isInstalled()) {
      process.stderr.write('npm ci succeeded, but node_modules does not match package-lock.json\n');
      return 1;
    }
  }
  return 0;
}

process.exitCode = await setup();
