export { Gaps } from "../engine/gaps.js";
export { applyLate } from "../state/late.js";
export { setLineAside } from "../state/aside.js";
export { placeOf } from "../wire/salvage.js";
