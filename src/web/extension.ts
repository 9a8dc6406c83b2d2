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
  /**
   * A view of its own, at `#/<place>`, and the key that leads there after `g`. `from`: it is
   * reached from that view, and does not stand in the list of views.
   */
  readonly view?: {
    readonly place: string;
    readonly name: string;
    readonly key: string;
    readonly from?: 'costs';
    readonly View: ComponentType;
  };
}

/** The views of a workflow that extensions add. */
export function viewsOf(extensions: readonly PageExtension[]) {
  return extensions.flatMap(({ workflowView }) => workflowView ?? []);
}
