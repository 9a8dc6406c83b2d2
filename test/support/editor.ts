import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import {
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
  type InitializeResult,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver/node';
import { program, type TestProject } from './project.ts';

/** An editor with the real `mailroom lsp` behind it, by the protocol's own client. */
export class Editor {
  readonly connection: ProtocolConnection;
  readonly #child: ChildProcess;
  readonly #root: string;
  readonly #versions = new Map<string, number>();
  readonly #published: PublishDiagnosticsParams[] = [];
  #wake: () => void = () => {};

  private constructor(child: ChildProcess, root: string) {
    this.#child = child;
    this.#root = root;
    this.connection = createProtocolConnection(
      new StreamMessageReader(child.stdout!),
      new StreamMessageWriter(child.stdin!),
    );
    this.connection.onNotification(PublishDiagnosticsNotification.type, (published) => {
      this.#published.push(published);
      this.#wake();
    });
    this.connection.listen();
  }

  static async open(
    place: TestProject,
    cwd = place.root,
  ): Promise<{ editor: Editor; said: InitializeResult }> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: place.root };
    const child = spawn(process.execPath, [program, 'lsp', '--stdio'], { cwd, env });
    const editor = new Editor(child, place.root);
    const rootUri = pathToFileURL(place.root).href;
    const said = await editor.connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri,
      capabilities: {},
    });
    await editor.connection.sendNotification(InitializedNotification.type, {});
    return { editor, said };
  }

  uri(path: string): string {
    return pathToFileURL(join(this.#root, path)).href;
  }

  /** Shows a text, which need not be that on the disk. */
  async show(path: string, text: string, languageId = 'yaml'): Promise<void> {
    this.#versions.set(path, 1);
    const textDocument = { uri: this.uri(path), languageId, version: 1, text };
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  }

  /** Changes a shown text: as a whole, or by ranges. */
  async change(path: string, change: string | TextDocumentContentChangeEvent[]): Promise<void> {
    const version = (this.#versions.get(path) ?? 0) + 1;
    this.#versions.set(path, version);
    const textDocument = { uri: this.uri(path), version };
    const contentChanges = typeof change === 'string' ? [{ text: change }] : change;
    await this.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument,
      contentChanges,
    });
  }

  async hide(path: string): Promise<void> {
    this.#versions.delete(path);
    const textDocument = { uri: this.uri(path) };
    await this.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument });
  }

  /** The next diagnostics of the shown version of a file that fit; older ones are forgotten. */
  async diagnostics(
    path: string,
    fits: (found: readonly Diagnostic[]) => boolean = () => true,
  ): Promise<readonly Diagnostic[]> {
    for (;;) {
      const index = this.#published.findIndex(
        ({ uri, version, diagnostics }) =>
          uri === this.uri(path) &&
          (version === undefined || version === this.#versions.get(path)) &&
          fits(diagnostics),
      );
      if (index !== -1) return this.#published.splice(0, index + 1).at(-1)!.diagnostics;
      await new Promise<void>((resolve) => void (this.#wake = resolve));
    }
  }

  /** Ends the server as the protocol wants. Returns its exit code. */
  async close(): Promise<number | null> {
    const ended = once(this.#child, 'exit');
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    const [code] = (await ended) as [number | null];
    this.connection.dispose();
    return code;
  }
}
