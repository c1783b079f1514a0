/** What is under way on each thing, as a promise that never rejects. */
const running = new WeakMap<object, Promise<unknown>>()

/** Do one piece of work on a thing at a time, in the order in which it was asked for. */
export async function exclusively<T> (thing: object, work: () => Promise<T>): Promise<T> {
  const done = (running.get(thing) ?? Promise.resolve()).then(work)
  running.set(thing, done.catch(() => {}))

  return done
}
