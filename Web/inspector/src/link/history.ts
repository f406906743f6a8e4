/** The part of a page's history that the inspector may write. */
export interface PageHistory {
  /** The current address. */
  readonly address: string;
  /** Sets the address, as a new step that Back undoes, or in place of the current one. */
  go(address: string, isStep: boolean): void;
  /** Calls the handler when the user goes back or forward, or types another address. */
  onMove(handler: () => void): void;
}

/** The history of the inspector's own page: the address is its fragment. */
export class FragmentHistory implements PageHistory {
  get address(): string { return location.hash.slice(1); }

  go(address: string, isStep: boolean): void {
    if (address === this.address) return;
    if (isStep) history.pushState(null, "", `#${address}`);
    else history.replaceState(null, "", `#${address}`);
  }

  onMove(handler: () => void): void { window.addEventListener("popstate", handler); }
}

/** The history of panels inside another page, whose address they never change. */
export class NoHistory implements PageHistory {
  readonly address = "";

  go(): void { /* There is nothing to write. */ }

  onMove(): void { /* Nobody moves. */ }
}
