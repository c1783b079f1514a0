import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createHeliaLight } from 'helia'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { expect, it, onTestFinished } from 'vitest'
import { mended } from './installed.ts'

const WALKER = 'packages/core/src/helia/depth-first-walker.ts'

const PROGRAM = `
  import { car } from '@helia/car'
  import { createHeliaLight } from 'helia'
  import { CID } from 'multiformats/cid'
  import { sha256 } from 'multiformats/hashes/sha2'

  const helia = await createHeliaLight().start()
  const bytes = Uint8Array.of(1)
  const cid = CID.createV1(0x300001, await sha256.digest(bytes))
  await helia.blockstore.put(cid, bytes)
  process.on('unhandledRejection', err => { console.info('unhandled ' + err.name) })

  for (const values of [helia.pins.add(cid), car(helia).export(cid)]) {
    await Array.fromAsync(values).catch(err => { console.info('caught ' + err.name) })
  }
`

it('a walk of @helia/utils that fails rejects twice, once unhandled', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM])

  expect(stdout.trim().split('\n').toSorted(), mended('@helia/utils', WALKER)).toEqual([
    'caught UnknownCodecError', 'caught UnknownCodecError',
    'unhandled UnknownCodecError', 'unhandled UnknownCodecError'
  ])
})

it('the pins of helia keep the codecs that the node was created with', async () => {
  const helia = createHeliaLight()
  const asked: number[] = []
  onTestFinished(async () => { await helia.stop() })
  await helia.start()
  const { getCodec } = helia
  helia.getCodec = async (code, options) => {
    asked.push(code)

    return getCodec(code, options)
  }

  for await (const _ of helia.pins.add(CID.createV1(0x55, identity.digest(Uint8Array.of(1))))) {
    // only for its effect
  }

  expect(asked, mended('helia', 'packages/core/src/helia/with-ipfsz.ts')).toEqual([])
})
