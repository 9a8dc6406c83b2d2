import type { ComponentType } from 'preact';

/**
 * What the page has of an extension: it lies in a folder of `extensions/` and in the list there.
 * Without both the page builds and works.
 */
export interface PageExtension {
  /** A view of one workflow, at `#/workflows/<id>/<part>`, and the name of the button to it. */
  readonly workflowView?: {
    readonly part: string;
    readonly name: string;
    readonly View: ComponentType<{ readonly id: string }>;
  };
  /** What stands above the list of workflows. */
  readonly AboveWorkflows?: ComponentType;
}

/** The views of a workflow that extensions add. */
export function viewsOf(extensions: readonly PageExtension[]) {
  return extensions.flatMap(({ workflowView }) => workflowView ?? []);
}
