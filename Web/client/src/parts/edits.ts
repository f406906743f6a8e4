export { layerState, pendingOut } from "../layers/out.js";
export { Outbox } from "../engine/outbox.js";
export { addMethods } from "../methods/edits.js";
export { writeAround } from "../state/around.js";
export { dropOutlived, maySettle, noteOutlived, noteOutlivedBy, settleBy, settleNamed, settleReached } from "../state/settling.js";
export { settleNode, settleQuery } from "../state/layer-lists.js";
export { layerByteCount } from "../layers/layer.js";
export { nodesOf } from "../layers/stack.js";
export { pushLayer } from "../state/layers.js";
