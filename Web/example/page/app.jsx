// The page: a list that stays up to date, optimistic edits, and their outcome.

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useCache, useCachedQuery, useEntity, usePendingEdits } from "@tidemark/client/react";
import { edit, network, world } from "./cache.js";
import { lists } from "./lists.js";
import { Scene } from "./scene.jsx";

const friends = ["Ada", "Ben", "Chen", "Dina", "Emre"];
const phases = { cold: "Connecting", live: "Up to date", gap: "Something is missing", reconciling: "Catching up", stale: "Something was lost" };
const LINE_COUNT_MAX = 30;

const useOffline = () => useSyncExternalStore(network.onChange, () => network.isOffline, () => false);

/** Subscribes to the state of the library, and keeps the latest events. */
function useNews() {
  const cache = useCache();
  const [phase, setPhase] = useState("cold");
  const [lines, setLines] = useState([]);
  const say = useCallback((text) => setLines((before) => [{ key: `${Date.now()}-${Math.random()}`, time: new Date(), text }, ...before].slice(0, LINE_COUNT_MAX)), []);
  useEffect(() => {
    let last = null;
    const hear = ({ state, cursor }) => {
      setPhase(state);
      if (last !== null && state !== last) {
        if (state === "gap") say(`An event is missing after number ${cursor ?? 0}.`);
        else if (state === "reconciling") say("The missing events are asked for.");
        else if (state === "live" && last !== "cold") say(`The gap has healed: everything up to number ${cursor} is here.`);
        else if (state === "stale") say("Events are lost; lists are read again.");
      }
      last = state;
    };
    const ends = [
      cache.on("library.state", hear),
      cache.on("outbox.changed", ({ state, error }) => {
        if (state === "sending") say("An edit is on its way.");
        else if (state === "waiting") say("An edit waits: the service cannot be reached.");
        else if (state === "failed") say(`An edit was refused: ${error?.message}`);
      }),
    ];
    cache.calls.cache.stats().then(({ libraries }) => hear({ state: libraries[""]?.state ?? "cold", cursor: libraries[""]?.sequence ?? null }));
    return () => ends.forEach((end) => end());
  }, [cache, say]);
  return { phase, lines, say };
}

function Status({ phase, pendingCount }) {
  const cache = useCache();
  const isOffline = useOffline();
  const [isWriter, setWriter] = useState(cache.isWriter);
  useEffect(() => {
    const timer = setInterval(() => setWriter(cache.isWriter), 500);
    return () => clearInterval(timer);
  }, [cache]);
  const kind = isOffline ? "offline" : phase;
  return <div className="status" role="status">
    <span className={`pill ${kind}`} data-testid="phase"><i aria-hidden="true" />{isOffline ? "Offline" : phases[phase]}</span>
    {pendingCount > 0 ? <span className="pill waiting" data-testid="pending">{pendingCount} {pendingCount === 1 ? "edit" : "edits"} to send</span> : null}
    <span className="quiet" title="One tab keeps the database; the others follow it.">{isWriter ? "this tab writes" : "this tab follows"}</span>
  </div>;
}

function Heart({ photo }) {
  const cache = useCache();
  return <button className={photo.favourite ? "heart on" : "heart"} aria-pressed={photo.favourite} aria-label={`Favourite: ${photo.title}`}
    onClick={() => void edit(cache, "photos.favourite", photo, { favourite: !photo.favourite })}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 20.5 4.6 13A4.9 4.9 0 0 1 11.5 6l.5.6.5-.6a4.9 4.9 0 0 1 6.9 7z" /></svg>
  </button>;
}

function Card({ photo, isPending, onOpen }) {
  return <li className="card" data-id={photo.id}>
    <button className="open" onClick={() => onOpen(photo.id)} aria-label={`Open ${photo.title}`}><Scene photo={photo} /></button>
    <div className="caption">
      <div>
        <h2>{photo.title}</h2>
        <p>{photo.album} · <time dateTime={photo.taken}>{new Date(photo.taken).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })}</time>
          {isPending ? <span className="unsent"> · not sent yet</span> : null}</p>
      </div>
      <Heart photo={photo} />
    </div>
  </li>;
}

function Detail({ id, onClose }) {
  const cache = useCache();
  const { data: photo } = useEntity("photo", id);
  const dialog = useRef(null);
  const [title, setTitle] = useState(null);
  useEffect(() => { if (dialog.current !== null && !dialog.current.open) dialog.current.showModal(); }, [photo !== undefined]);
  if (photo === undefined || photo === null) return null;
  const shown = title ?? photo.title;
  const save = (event) => {
    event.preventDefault();
    if (shown.trim() !== "" && shown !== photo.title) void edit(cache, "photos.rename", photo, { title: shown.trim() });
    dialog.current.close();
  };
  return <dialog ref={dialog} onClose={onClose} aria-label={photo.title}>
    <Scene photo={{ ...photo, id: `large-${photo.id}` }} />
    <form onSubmit={save}>
      <label htmlFor="title">Title</label>
      <div className="row">
        <input id="title" value={shown} maxLength={80} autoFocus onChange={(event) => setTitle(event.target.value)} />
        <Heart photo={photo} />
      </div>
      <div className="row end">
        <button type="button" onClick={() => dialog.current.close()}>Close</button>
        <button className="primary">Save</button>
      </div>
    </form>
  </dialog>;
}

function Trials({ photos, say }) {
  const isOffline = useOffline();
  const friend = () => friends[Math.floor(Math.random() * friends.length)];
  const rename = async () => {
    const photo = photos[Math.floor(Math.random() * photos.length)];
    if (photo !== undefined) await world("rename", { id: photo.id, title: `${photo.title.split(" — ")[0]} — ${friend()}'s pick` });
  };
  const lose = async () => {
    await world("lose", { delay: 900 });
    await rename();
    say("An event was lost on the way. The next one shows that it is missing.");
    await rename();
  };
  return <section className="trials" aria-labelledby="try">
    <h2 id="try">Try it</h2>
    <div className="buttons">
      <button role="switch" aria-checked={isOffline} className="switch" onClick={() => { network.isOffline = !isOffline; }}><i aria-hidden="true" />Work offline</button>
      <button onClick={() => void world("add", { title: `${friend()}'s photo` })}>A friend adds a photo</button>
      <button onClick={() => void rename()}>A friend renames one</button>
      <button onClick={() => void lose()}>Lose an event</button>
      <a className="button" href="/" target="_blank" rel="noreferrer">Open a second tab</a>
    </div>
  </section>;
}

/** The whole page. */
export function App() {
  const [filter, setFilter] = useState(lists[0]);
  const [opened, setOpened] = useState(null);
  const { data = [], isLoading, error, refetch } = useCachedQuery("photos", filter.input);
  const pending = usePendingEdits();
  const isOffline = useOffline();
  const { phase, lines, say } = useNews();
  const unsent = useMemo(() => new Set(pending.filter(({ state }) => state !== "confirmed").flatMap(({ changes }) => changes.map((change) => change.id))), [pending]);
  const unsentCount = pending.filter(({ state }) => state !== "confirmed").length;
  // Failed reads are repeated once the page is online again.
  useEffect(() => { if (error !== null && !isOffline) void refetch(); }, [error, isOffline, refetch]);
  return <>
    <header>
      <div className="title"><h1>Photos</h1><p>{isLoading ? "…" : `${data.length} ${filter.name === "All" ? "in the library" : `in ${filter.name}`}`}</p></div>
      <Status phase={phase} pendingCount={unsentCount} />
    </header>
    <nav aria-label="Albums">{lists.map((one) =>
      <button key={one.name} aria-current={one === filter ? "page" : undefined} onClick={() => setFilter(one)}>{one.name}</button>)}</nav>
    <main>
      {error === null ? null : <p className="notice">{isOffline ? "This list was never read online. It comes as soon as the page is online again." : error.message}</p>}
      {!isLoading && error === null && data.length === 0 ? <p className="notice">Nothing here yet. Mark a photo with the heart.</p> : null}
      <ul className="grid">{data.map((photo) => <Card key={photo.id} photo={photo} isPending={unsent.has(photo.id)} onOpen={setOpened} />)}</ul>
    </main>
    <aside>
      <Trials photos={data} say={say} />
      <section aria-labelledby="news"><h2 id="news">What happens</h2>
        <ol className="news" aria-live="polite" data-testid="news">{lines.length === 0 ? <li className="quiet">Nothing yet. Edit a photo, or try one of the buttons.</li> : lines.map((line) =>
          <li key={line.key}><time>{line.time.toLocaleTimeString("en-GB")}</time>{line.text}</li>)}</ol>
      </section>
    </aside>
    {opened === null ? null : <Detail key={opened} id={opened} onClose={() => setOpened(null)} />}
  </>;
}
