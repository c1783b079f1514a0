/** @module-tag slow */
import muxerTests from '@libp2p/interface-compliance-tests/stream-muxer'
import { yamux } from '@libp2p/yamux'
import { beforeEach, describe } from 'vitest'
import { compress } from '../src/index.ts'
import { provideMocha, slowDownClosing } from '../../../test/support/mocha.ts'

provideMocha()

// with one codec: what they differ in ends below the muxer, where test/compressed-connection compares all
describe('yamux compressed with zstd, in the stream muxer compliance suite', () => {
  beforeEach(slowDownClosing)

  muxerTests({
    setup: async () => compress(yamux(), { codecs: ['zstd'] })[0]({}),
    teardown: async () => {}
  })
})
