export { Flusher } from "../engine/flusher.js";
export { recover } from "../journal/records.js";
export { writeAround } from "../state/around.js";
