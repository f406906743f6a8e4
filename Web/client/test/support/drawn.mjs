/** Waits until a foreground page has no running animations and its current state is drawn. */
export function drawn(page) {
  // The second frame begins after the first one is drawn. Endless animations are ignored.
  return page.run(`(async () => {
    const ending = document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(ending.map((one) => one.finished.catch(() => undefined)));
    for (let left = 2; left > 0; left -= 1) await new Promise((resolve) => { requestAnimationFrame(resolve); });
  })()`);
}
