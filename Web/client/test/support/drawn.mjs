/** Waits until a page that is in front stands still, and is drawn as it is now. */
export function drawn(page) {
  // The second frame begins when the first one is drawn. An animation without an end is never over.
  return page.run(`(async () => {
    const ending = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(ending.map((one) => one.finished.catch(() => undefined)));
    for (let left = 2; left > 0; left -= 1) await new Promise((resolve) => { requestAnimationFrame(resolve); });
  })()`);
}
