// A part of the page that scrolls by itself, such as a wide table. It can be reached and scrolled by keyboard.

import type { ComponentChildren, Ref } from "preact";

export function ScrollArea({
  label,
  class: name = "",
  place,
  onScroll,
  children,
}: {
  readonly label: string;
  readonly class?: string;
  readonly place?: Ref<HTMLElement>;
  readonly onScroll?: () => void;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, those who use a keyboard cannot scroll the area
    <section class={`wide ${name}`} aria-label={label} tabIndex={0} ref={place} onScroll={onScroll}>
      {children}
    </section>
  );
}
