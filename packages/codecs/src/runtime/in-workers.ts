import { runInWorkers } from '../workers/run-in-workers.ts'
import type { ImplementationEntry } from './implementation-entry.ts'

/**
 * Runs an implementation in workers. Codecs name it in their entries, so that a program with none of these, such as a
 * service worker, has no code for workers.
 *
 * @param load - loads the source of the worker
 */
export function inWorkers (load: () => Promise<{ source: string }>): NonNullable<ImplementationEntry['worker']> {
  return async codec => {
    const { source } = await load()

    return modules => runInWorkers({ codec, source, modules })
  }
}
