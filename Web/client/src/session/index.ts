export { Session } from "./session.js";
export type { SessionOptions } from "./session.js";
