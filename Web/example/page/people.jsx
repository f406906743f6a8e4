// Two people side by side: each sees the shared album and a private one, and nothing of the other's.

import { useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import * as client from "@tidemark/client";
import { CacheProvider, usePendingEdits, useView } from "@tidemark/client/react";
import { openPerson, standings } from "./person.js";
import { Scene } from "./scene.jsx";

const photos = { from: "photo", order: [{ path: "/id" }] };
const names = { ann: "Ann", ben: "Ben" };
const world = async (path, body) => (await fetch(`/albums/${path}`, { method: "POST", body: JSON.stringify(body) })).json();

function Album({ person, scope, index, title }) {
  const standing = useSyncExternalStore(person.onChange, () => person.standing[index]);
  const { data = [] } = useView(photos, { library_id: scope.library });
  const [failed] = usePendingEdits(scope.library).filter(({ state }) => state === "failed");
  return <section aria-label={title}>
    <h2>{title} <span className={`pill ${standing}`} data-testid={`${person.name}-${index}`}><i aria-hidden="true" />{standings[standing]}</span></h2>
    {failed === undefined ? null : <p className="notice">An edit was not made: {failed.error?.message}
      <button onClick={() => void person.drop(failed)}>Drop it</button></p>}
    <ul className="grid">{data.map((photo) => <li className="card" key={photo.id} data-id={`${person.name}-${photo.id}`}>
      <Scene photo={{ ...photo, id: `${person.name}-${photo.id}` }} />
      <div className="caption"><div><h2>{photo.title}</h2></div>
        <button onClick={() => void person.rename(scope, photo, `${photo.title}, seen by ${names[person.name]}`)} aria-label={`Rename ${photo.title}`}>Rename</button></div>
    </li>)}</ul>
  </section>;
}

function Person({ person }) {
  const isOffline = useSyncExternalStore(person.onChange, () => person.isOffline);
  return <CacheProvider cache={person.cache}><section className="person" aria-label={names[person.name]}>
    <h1>{names[person.name]}</h1>
    <button role="switch" aria-checked={isOffline} className="switch" onClick={() => isOffline ? person.connect() : person.disconnect()}><i aria-hidden="true" />Work offline</button>
    <Album person={person} scope={person.scopes[0]} index={0} title="Our trip" />
    <Album person={person} scope={person.scopes[1]} index={1} title={`${names[person.name]}'s diary`} />
  </section></CacheProvider>;
}

function People({ people }) {
  const [count, setCount] = useState(1);
  const add = () => {
    setCount(count + 1);
    return world("add", { album: "trip", title: `Ferry ${count}` });
  };
  return <>
    <header><div className="title"><h1>Albums</h1><p>two people, a shared album and a private one each</p></div></header>
    <nav aria-label="Members">
      <button onClick={() => void world("remove", { user: "ben", album: "trip" })}>Take Ben out of the trip</button>
      <button onClick={() => void world("let", { user: "ben", album: "trip" })}>Let Ben in again</button>
      <button onClick={() => void add()}>Add a photo to the trip</button>
    </nav>
    <main className="people">{people.map((person) => <Person key={person.name} person={person} />)}</main>
  </>;
}

const root = createRoot(document.getElementById("root"));
const { serve, hasScopes } = await (await fetch("/config.json")).json();
if (hasScopes) {
  const people = Object.keys(names).map((name) => openPerson(client, {
    serve, name, token: async () => (await world("token", { name })).token, journal: new client.IndexedDBJournal({ name: `people-${name}` }),
  }));
  for (const person of people) person.connect();
  globalThis.people = people;
  root.render(<People people={people} />);
} else root.render(<main><p className="notice">Scopes are served by tidemark serve: start the example with TIDEMARK_COMMAND=.build/debug/tidemark.</p></main>);
