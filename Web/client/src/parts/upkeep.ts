export { Refreshes } from "../engine/refreshes.js";
export { addMethods } from "../methods/upkeep.js";
export { cascade, deleteWithOthers } from "../state/cascade.js";
export { evict } from "../state/eviction.js";
export { expiredField, limitsOf } from "../state/expiry.js";
