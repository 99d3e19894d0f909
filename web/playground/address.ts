// The address of the page, which holds the open page and the settings. Inside a notebook there is none, and the widget keeps them.

export interface Address {
  /** Such as #/tour/2?problem=hypergrid&stick=0.5. */
  read(): string;
  /** Changes it without a step of the history. */
  replace(hash: string): void;
  /** Changes it as a step of the history. */
  push(hash: string): void;
  /** Calls back when it was changed by somebody else. */
  listen(changed: () => void): void;
}

const OF_THE_BROWSER: Address = {
  read: () => location.hash,
  replace: (hash) => history.replaceState(null, "", hash),
  push: (hash) => history.pushState(null, "", hash),
  listen(changed) {
    addEventListener("hashchange", changed);
    addEventListener("popstate", changed);
  },
};

let used = OF_THE_BROWSER;

export const address = (): Address => used;

/** Before the page starts. */
export function setAddress(other: Address): void {
  used = other;
}
