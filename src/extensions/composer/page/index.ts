import type { PageExtension } from '../../../web/extension.ts';
import { EditWorkflow, NewWorkflow } from './opening.tsx';

/** The composer: it edits one workflow, and creates others. */
export const composer: PageExtension = {
  workflowView: { part: 'edit', name: 'Edit', View: EditWorkflow },
  AboveWorkflows: NewWorkflow,
};
