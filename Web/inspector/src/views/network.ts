import { LinkError } from "../link/link";
import type { Json } from "../model/json";
import { flag, number } from "../model/json";
import { button, choose, h, labelled, say, set, setChoices, show, toggle } from "../ui/dom";
import { plural } from "../ui/format";
import type { Page } from "./page";

const DELAYS = [0, 0.2, 1, 3, 10];

/** Simulates faults of the server's network, for tests of a client: no network, a slow one, or failing fetches. */
export class NetworkCard {
  /** The element of the card. */
  readonly element: HTMLElement;
  private readonly offline = toggle("Offline", false, (isOn) => void this.set({ offline: isOn }));
  private readonly delay = h("select");
  private readonly failing = button("Fail the next fetch", () => void this.set({ fail_next: this.failureCount + 1 }));
  private readonly note = h("p", { class: "muted", role: "status" });
  private failureCount = 0;
  /** Ends with the last request: each waits for those before it, so that the newest answer is shown last. */
  private requests: Promise<void> = Promise.resolve();

  /** Creates the card, which is hidden. */
  constructor(private readonly app: Page) {
    setChoices(this.delay, DELAYS.map((seconds) => ({ value: String(seconds), label: seconds === 0 ? "none" : `${seconds} s` })));
    this.delay.addEventListener("change", () => void this.set({ delay: Number(this.delay.value) }));
    this.element = h("section", { class: "card network", hidden: true }, h("h2", {}, "The server's network, for tests"),
      h("div", { class: "levers" }, this.offline, labelled("Delay", this.delay), this.failing), this.note);
  }

  /** Requests and shows the current faults. Hidden for a cache without a network of its own. */
  ask(): Promise<void> {
    return this.inTurn(() => this.read());
  }

  private inTurn(request: () => Promise<void>): Promise<void> {
    this.requests = this.requests.then(request);
    return this.requests;
  }

  private async read(): Promise<void> {
    if (this.app.isReadOnly) return show(this.element, false);
    try {
      this.take(await this.app.link.call("network.disturb"));
    } catch (error) {
      if (error instanceof LinkError && error.code !== "offline") show(this.element, false);
    }
  }

  private set(params: object): Promise<void> {
    return this.inTurn(async () => {
      try {
        this.take(await this.app.link.call("network.disturb", params));
      } catch (error) {
        this.app.tellError(error);
        await this.read();
      }
    });
  }

  private take(faults: Json): void {
    show(this.element, flag(faults, "settable"));
    const isOffline = flag(faults, "offline");
    const delay = number(faults, "delay") ?? 0;
    this.failureCount = number(faults, "fail_next") ?? 0;
    set(this.offline, "aria-checked", String(isOffline));
    choose(this.delay, String(delay), `${delay} s`);
    const parts = [isOffline ? "nothing is sent" : "", delay > 0 ? "requests are sent late" : "",
    this.failureCount > 0 ? `the next ${plural(this.failureCount, "request")} will fail` : ""].filter((part) => part !== "");
    set(this.element, "data-bad", parts.length > 0);
    say(this.note, parts.length > 0 ? `Now ${parts.join(", ")}. It ends with the server.` : "Requests to the upstream go out as they are.");
  }
}
