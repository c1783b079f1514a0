import { EventLoopBreaks } from '@ipfsz/utils/event-loop'
import { mergeEntries } from '../entries/merge-entries.ts'
import { DamagedIndexError } from '../errors.ts'
import { compareKey } from '../format/entry.ts'
import type { SourcedEntry } from '../entries/merge-entries.ts'
import type { View } from './view.ts'

/** All entries, those of each key together. If an index file turns out to be damaged, it goes on with its packs. */
export async function * allEntries (view: View): AsyncGenerator<SourcedEntry[]> {
  const breaks = new EventLoopBreaks()
  let last: Uint8Array | undefined
  let isResumed = false

  for (;;) {
    try {
      for (const group of mergeEntries(view.sources())) {
        const [{ entry }] = group

        if (!isResumed || last == null || compareKey(entry, 0, last) > 0) {
          isResumed = false
          last = entry
          yield group

          if (breaks.isDue()) {
            await breaks.take()
          }
        }
      }

      return
    } catch (err) {
      if (!(err instanceof DamagedIndexError)) {
        throw err
      }

      isResumed = true
      await view.lookAgain()
    }
  }
}
