/** The program of a worker thread: see `SmallWork`. */
import { workerData } from 'node:worker_threads'
import { createSmallFileDecoder } from '@ipfsz/core/small-files'
import { serve } from '../threads/serve.ts'
import { openBlocks } from './small-blocks.ts'
import { SmallWork } from './small-work.ts'
import type { SmallBlocks, SmallReply, SmallRequest } from './protocol.ts'

const opening = Promise.all([openBlocks(workerData as SmallBlocks), createSmallFileDecoder({ reusesMemory: true })])

serve<SmallRequest, SmallReply>(async request => {
  const result = await new SmallWork(request, ...await opening).run()
  const { kinds, sizes, frames } = result

  return { result, transfer: [kinds.buffer, sizes.buffer, frames.buffer] as ArrayBuffer[] }
})
