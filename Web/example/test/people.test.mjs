// Two people with a shared and a private album, against the built command: each sees their own, one is removed while
// offline.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as client from "../../client/test/support/client.mjs";
import { tidemark } from "../../client/test/support/binary.mjs";
import { openPerson } from "../page/person.js";
import { start } from "../server/main.mjs";

const command = tidemark();
const options = { skip: command === null ? "no command is built" : false };
const closing = [];
after(async () => { for (const body of closing.reverse()) await body(); });

async function until(isSo) {
  for (const end = Date.now() + 20_000; !await isSo();) {
    assert.ok(Date.now() < end, `not so: ${isSo}`);
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}

/** The titles that a person sees, of all albums together. */
async function titles({ joined, cache }) {
  return [...(await joined.list(cache, "photo")).values()].map(({ title }) => title).sort();
}

const shows = (person, ...expected) => until(async () => JSON.stringify(await titles(person)) === JSON.stringify(expected.sort()));

test("two people see the shared album and their own, and one who is removed while offline loses the shared one", options, async () => {
  const example = await start({ command, hasPage: false });
  closing.push(example.end);
  const { albums, serve } = example;
  const journal = new client.MemoryJournal();
  const open = (name, more = {}) => {
    const person = openPerson(client, { serve, name, token: async () => albums.token(name), random: () => 0, ...more });
    closing.push(() => person.close());
    person.connect();
    return person;
  };
  const ann = open("ann");
  const ben = open("ben", { journal });
  await shows(ann, "Harbour", "Dunes", "Letter");
  await shows(ben, "Harbour", "Dunes", "Receipt");
  const [trip, diary] = ben.scopes;
  const photo = (await ben.cache.calls.view.read({ library_id: trip.library, view: { from: "photo" } })).rows.find(({ title }) => title === "Harbour");
  assert.equal("place" in photo, false, "places are not sent");

  // An edit goes through the scope to the service, and both see it.
  await ben.rename(trip, photo, "Harbour at night");
  await shows(ann, "Harbour at night", "Dunes", "Letter");
  await until(async () => (await ben.cache.calls.outbox.list()).outbox.length === 0);

  // Ben is offline, edits a photo, and is taken out of the album meanwhile.
  ben.disconnect();
  await ben.rename(trip, photo, "Harbour at noon");
  await albums.remove("ben", "trip");
  await albums.add("trip", "Ferry");
  await shows(ann, "Harbour at night", "Dunes", "Ferry", "Letter");
  assert.deepEqual(await titles(ben), ["Dunes", "Harbour at noon", "Receipt"], "offline he still sees what he had");
  ben.connect();
  await shows(ben, "Receipt");
  await until(async () => JSON.stringify(ben.standing) === '["gone","live"]');
  const { outbox } = await ben.cache.calls.outbox.list();
  assert.deepEqual(outbox.map(({ state, error }) => [state, error.code]), [["failed", "scope"]]);
  assert.equal(albums.entities.get(`photo:${photo.id}`).title, "Harbour at night");
  assert.equal(ben.cache.export().join("\n").includes("Dunes"), false, "nothing of the album is left in his cache");
  await albums.add("ben-diary", "Ticket");
  await shows(ben, "Receipt", "Ticket");
  assert.equal((await ben.cache.calls.view.read({ library_id: diary.library, view: { from: "photo" } })).rows.length, 2);

  // He drops the edit. Let in again, he is sent the album as it is.
  await ben.drop(outbox[0]);
  await albums.let("ben", "trip");
  ben.disconnect();
  ben.connect();
  await shows(ben, "Harbour at night", "Dunes", "Ferry", "Receipt", "Ticket");
  await shows(ann, "Harbour at night", "Dunes", "Ferry", "Letter");
});
