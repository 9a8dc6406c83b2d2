import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { dialog } from '../keys.ts';

/** A modal dialog; Escape and a click beside it close it, and the focus returns to where it was. */
export function Dialog({
  label,
  close = () => (dialog.value = null),
  children,
}: {
  readonly label: string;
  readonly close?: () => void;
  readonly children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={label}
      onClose={close}
      onClick={(event) => event.target === element.current && close()}
    >
      <div class="sheet">{children}</div>
    </dialog>
  );
}
