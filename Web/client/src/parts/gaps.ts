export { Gaps } from "../engine/gaps.js";
export { applyLate } from "../state/late.js";
export { hold } from "../state/hold.js";
export { dropWaiting, extendUnit, forgetScope, hearInScope, scopeOf } from "../state/several-lines.js";
export { setLineAside } from "../state/aside.js";
export { placeOf } from "../wire/salvage.js";
