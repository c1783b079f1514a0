/** The last task of each object, as a promise that never rejects. */
const running = new WeakMap<object, Promise<unknown>>()

/** Run the tasks of an object one at a time, in order. */
export async function exclusively<T> (thing: object, work: () => Promise<T>): Promise<T> {
  const done = (running.get(thing) ?? Promise.resolve()).then(work)
  running.set(thing, done.catch(() => {}))

  return done
}
