/** The history of a page, as far as it is the panels' to write. */
export interface PageHistory {
  /** The address that is shown. */
  readonly address: string;
  /** Shows another address: as a step that Back undoes, or in the place of the present one. */
  go(address: string, isStep: boolean): void;
  /** Calls the handler when a person goes back or forward, or writes another address. */
  onMove(handler: () => void): void;
}

/** The fragment of the page's own address. */
export class FragmentHistory implements PageHistory {
  get address(): string { return location.hash.slice(1); }

  go(address: string, isStep: boolean): void {
    if (address === this.address) return;
    if (isStep) history.pushState(null, "", `#${address}`);
    else history.replaceState(null, "", `#${address}`);
  }

  onMove(handler: () => void): void { window.addEventListener("popstate", handler); }
}

/** The history of panels that stand in another page: the address is that page's, and stays as it is. */
export class NoHistory implements PageHistory {
  readonly address = "";

  go(): void { /* There is nothing to write. */ }

  onMove(): void { /* Nobody moves. */ }
}
