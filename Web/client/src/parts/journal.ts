export { Flusher } from "../engine/flusher.js";
export { recover } from "../journal/records.js";
