import type { StepProgress } from '../events.ts'

/**
 * Tell a step its total once that is measured, beside its work.
 *
 * @returns what ends the measuring
 */
export function expectSize (
  measure: (signal: AbortSignal) => Promise<number>,
  progress: Pick<StepProgress, 'expect'>,
  signal: AbortSignal
): () => Promise<void> {
  const ended = new AbortController()
  // whoever adds what cannot be read says so
  const measured = measure(AbortSignal.any([signal, ended.signal])).then(progress.expect, () => {})

  return async () => {
    ended.abort()
    await measured
  }
}
