/** @module-tag slow */
import muxerTests from '@libp2p/interface-compliance-tests/stream-muxer'
import { yamux } from '@libp2p/yamux'
import { describe } from 'vitest'
import { compress } from '../src/index.ts'
import { provideMocha } from './mocha.ts'

provideMocha()

describe.each(
  ['zstd', 'gzip', 'lz4'] as const
)('yamux compressed with %s, by the compliance suite of stream muxers', codec => {
  muxerTests({
    setup: async () => compress(yamux(), { codecs: [codec] })[0]({}),
    teardown: async () => {}
  })
})
