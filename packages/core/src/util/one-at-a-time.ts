/** The last task of each object, as a promise that never rejects. */
const lastTasks = new WeakMap<object, Promise<unknown>>()

/**
 * Run the tasks of an object one at a time, in order. (p-queue would need this map too, with a
 * queue for each object. mortice locks by a name that all contexts of a process share.)
 */
export async function oneAtATime<T> (owner: object, task: () => Promise<T>): Promise<T> {
  const done = (lastTasks.get(owner) ?? Promise.resolve()).then(task)
  lastTasks.set(owner, done.catch(() => {}))

  return done
}
