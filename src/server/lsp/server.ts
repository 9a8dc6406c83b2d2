import { dirname } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { TextDocument } from 'vscode-languageserver-textdocument';
import {
  createConnection,
  DiagnosticSeverity,
  TextDocuments,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node';
import type {
  Connection,
  Diagnostic as EditorDiagnostic,
  InitializeResult,
} from 'vscode-languageserver/node';
import { UnsavedTexts } from '../../disk/unsaved.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Edited } from '../../operations/services.ts';

/** What the language server needs of the program. */
interface EditorServices {
  readonly version: string;
  readonly open: (file: string, unsaved: UnsavedTexts) => Promise<Edited>;
}

/** Serves one editor on standard input and output until the editor ends the process. */
export function serveEditor(services: EditorServices): Promise<never> {
  const connection = createConnection(process.stdin, process.stdout);
  new EditorServer(connection, services).listen();
  // The connection ends the process, as the protocol wants.
  return new Promise(() => {});
}

class EditorServer {
  readonly #connection: Connection;
  readonly #services: EditorServices;
  readonly #documents = new TextDocuments(TextDocument);
  readonly #unsaved = new UnsavedTexts();
  /** By the folder of a file. */
  readonly #projects = new Map<string, Promise<Edited>>();
  /** The documents whose diagnostics are to be computed, in this order. */
  readonly #waiting = new Set<string>();
  #isWorking = false;

  constructor(connection: Connection, services: EditorServices) {
    this.#connection = connection;
    this.#services = services;
  }

  listen(): void {
    this.#connection.onInitialize(() => this.#initialize());
    this.#documents.onDidChangeContent(({ document }) => this.#changed(document));
    this.#documents.onDidClose(({ document }) => this.#closed(document));
    this.#documents.listen(this.#connection);
    this.#connection.listen();
  }

  #initialize(): InitializeResult {
    return {
      capabilities: { positionEncoding: 'utf-16', textDocumentSync: TextDocumentSyncKind.Incremental },
      serverInfo: { name: 'mailroom', version: this.#services.version },
    };
  }

  #changed(document: TextDocument): void {
    const file = fileOf(document.uri);
    if (file === null) return;
    this.#unsaved.set(file, document.getText());
    this.#recheck(document.uri);
  }

  #closed({ uri }: TextDocument): void {
    const file = fileOf(uri);
    if (file !== null) this.#unsaved.delete(file);
    this.#waiting.delete(uri);
    void this.#connection.sendDiagnostics({ uri, diagnostics: [] });
    this.#recheck(null);
  }

  /** Checks the changed document first, then the others, which may depend on it. */
  #recheck(changed: string | null): void {
    this.#waiting.clear();
    if (changed !== null) this.#waiting.add(changed);
    for (const uri of this.#documents.keys()) this.#waiting.add(uri);
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let [uri] = this.#waiting; uri !== undefined; [uri] = this.#waiting) {
      this.#waiting.delete(uri);
      // Changes that have arrived meanwhile are read first.
      await new Promise((resolve) => void setImmediate(resolve));
      await this.#publish(uri).catch((error: unknown) => this.#connection.console.error(messageOf(error)));
    }
    this.#isWorking = false;
  }

  async #publish(uri: string): Promise<void> {
    const document = this.#documents.get(uri);
    const file = fileOf(uri);
    if (document === undefined || file === null) return;
    const { version } = document;
    const project = await this.#projectOf(file);
    const found = await project.diagnose(file, document.getText());
    if (this.#documents.get(uri)?.version !== version) return;
    await this.#connection.sendDiagnostics({ uri, version, diagnostics: found.map(diagnosticOf) });
  }

  #projectOf(file: string): Promise<Edited> {
    const folder = dirname(file);
    const known = this.#projects.get(folder) ?? this.#services.open(file, this.#unsaved);
    this.#projects.set(folder, known);
    return known;
  }
}

/** Null: not a file on a disk. */
function fileOf(uri: string): string | null {
  return uri.startsWith('file:') ? fileURLToPath(uri) : null;
}

/** A diagnostic of the protocol; without a place, at the beginning of the text. */
function diagnosticOf({ code, severity, message, place, hint }: Diagnostic): EditorDiagnostic {
  const line = (place?.line ?? 1) - 1;
  const character = (place?.column ?? 1) - 1;
  return {
    range: { start: { line, character }, end: { line, character: character + (place?.length ?? 0) } },
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'mailroom',
    message: hint === null ? message : `${message}\n${hint}`,
  };
}
