/** Runs a `StrangerTask` of `task.ts` in a process of its own. */
import { setTimeout } from 'node:timers/promises'
import { ipfsz } from '@ipfsz/core'
import { FsBlockstore } from 'blockstore-fs'
import { CID } from 'multiformats/cid'
import { peakMemory } from './peak-memory.ts'
import type { StrangerOutcome, StrangerTask } from './task.ts'

// the parent process has ended
process.on('disconnect', () => { process.exit() })

const { action, directory, cid, pause } = JSON.parse(process.argv[2]) as StrangerTask
const files = ipfsz({ blockstore: new FsBlockstore(directory) })
const outcome: StrangerOutcome = { base: peakMemory(), peak: 0, refused: '' }

try {
  for await (const _ of files[action](CID.parse(cid))) {
    if (pause > 0) {
      await setTimeout(pause)
    }
  }
} catch (err) {
  outcome.refused = err instanceof Error ? err.name : String(err)
}

process.send?.({ ...outcome, peak: peakMemory() }, () => { process.exit() })
