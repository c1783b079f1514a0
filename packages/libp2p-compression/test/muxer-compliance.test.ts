/** @module-tag slow */
import muxerTests from '@libp2p/interface-compliance-tests/stream-muxer'
import { yamux } from '@libp2p/yamux'
import { beforeEach, describe } from 'vitest'
import { compress } from '../src/index.ts'
import { provideMocha, slowDownClosing } from '../../../test/support/mocha.ts'

provideMocha()

describe.each(
  ['zstd', 'gzip', 'lz4'] as const
)('yamux compressed with %s, in the stream muxer compliance suite', codec => {
  beforeEach(slowDownClosing)

  muxerTests({
    setup: async () => compress(yamux(), { codecs: [codec] })[0]({}),
    teardown: async () => {}
  })
})
