export { addMethods, restoreView } from "../live/index.js";
